"""The examples run as they are, without a model, and say what their pages promise."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
SAYS = {
    "mcp_client.py": ("kept: user.location", "refused:", 'profile: {"user.location":"Olinda"}'),
    "anthropic_memory_tool.py": ("Seat: window", "1 created", "2 modified"),
    "google_adk_memory.py": (
        "I prefer aisle seats. -> Noted.",
        "Which seats do I prefer? -> I prefer aisle seats",
    ),
    "llama_index_block.py": ("<memory>", "aisle seats"),
    "openai_agents_session.py": ("told the model: True", "items of the second thread: 2"),
    "pydantic_ai_memory.py": ("I prefer aisle seats. -> Noted.", "Which seat should you book? -> An aisle seat."),
    "langchain_agent.py": ("told the model: aisle seats", "stored: 4 messages", "document: {'theme': 'dark'}"),
    "openai_proxy.py": ("I prefer aisle seats. -> Noted.", "Which seat should you book? -> An aisle seat."),
    "mem0_switch.py": ("but I love sci-fi movies", "not kept:", "history: ['ADD', 'UPDATE']", "left: []"),
}


ELSEWHERE = {
    "finance_mission.py": "tests/unit/missions/test_run.py",
    "marketing_orchestrator.py": "tests/scenarios/test_langgraph.py",
    "crewai_memory.py": "tests/apart/crewai_storage.py",
}
"""Examples that other tests run."""


def test_every_example_is_run() -> None:
    """Here, or by the test that is named for it."""
    there = {path.name for path in EXAMPLES.glob("*.py")}

    assert there == {*SAYS, *ELSEWHERE}
    for name, place in ELSEWHERE.items():
        assert Path(name).stem in (ROOT / place).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SAYS)
def test_an_example_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """In an empty folder; in this process, which has loaded most of what the frameworks need already."""
    monkeypatch.setenv("REMEMORA_RECALL_EMBEDDER", "offline")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    shown = capfd.readouterr().out

    for text in SAYS[name]:
        assert text in shown


@pytest.mark.slow
@pytest.mark.parametrize("name", SAYS)
def test_an_example_runs_by_itself(name: str, tmp_path: Path) -> None:
    """As a process of its own, in an empty folder."""
    environment = {**os.environ, "REMEMORA_RECALL_EMBEDDER": "offline"}
    shown = subprocess.run(
        [sys.executable, str(EXAMPLES / name)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert 0 == shown.returncode, shown.stderr
    for text in SAYS[name]:
        assert text in shown.stdout
