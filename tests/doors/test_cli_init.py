"""`rememora init` writes projects that run as they are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from packaging.requirements import Requirement
from tests.house.source import ROOT
from typer.testing import CliRunner

from rememora.cli import app
from rememora.cli.init import EXTRAS, project

SAYS = {
    "plain": " = I prefer aisle seats']",
    "mem0": "I prefer aisle seats {'topic': 'travel'}",
    "mcp": "aisle seats",
    "langchain": "known: ['I prefer aisle seats']",
    "openai-agents": "Which seats do I prefer? -> An aisle seat.",
    "pydantic-ai": "known: ['I prefer aisle seats']",
    "langgraph": "Which seats do I prefer? -> known: ['",
    "anthropic": "Seat: aisle",
    "google-adk": "Which seats do I prefer? -> prefs",
    "llama-index": "aisle seats",
}
ELSEWHERE = {"crewai"}
"""What needs an environment of its own: `tests/apart` runs it."""


def test_every_project_is_run() -> None:
    """Here, or where its framework can be installed."""
    assert {*EXTRAS} == {*SAYS} | ELSEWHERE


QUICK = ("plain", "mem0", "mcp", "langgraph")
"""Run every time; each of the others imports a framework for seconds, and its integration has tests of its own."""

FRAMEWORKS = [
    *QUICK,
    *(pytest.param(name, marks=pytest.mark.slow) for name in SAYS if name not in QUICK),
]


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_project_runs(framework: str, tmp_path: Path) -> None:
    """In its own folder, without a model."""
    folder = tmp_path / "new" / framework
    made = CliRunner().invoke(app, ["init", framework, str(folder), "--json"])
    # Whoever calls an environment's Python by its path has none of its programs on theirs.
    environment = {**os.environ, "PATH": os.defpath, "REMEMORA_RECALL_EMBEDDER": "none"}
    shown = subprocess.run(
        [sys.executable, "main.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert set(json.loads(made.stdout)["files"]) == {path.name for path in folder.iterdir() if path.is_file()}
    assert 0 == shown.returncode, shown.stderr
    assert SAYS[framework] in shown.stdout


async def test_an_mcp_client_starts_the_server_from_anywhere(tmp_path: Path) -> None:
    """The block in `mcp.json` needs no folder and no program path of the client's."""
    folder, elsewhere = tmp_path / "agent", tmp_path / "elsewhere"
    CliRunner().invoke(app, ["init", "mcp", str(folder)])
    (folder / ".venv").symlink_to(sys.prefix)
    elsewhere.mkdir()
    block = json.loads((folder / "mcp.json").read_text())["mcpServers"]["rememora"]
    server = StdioServerParameters(
        **block, cwd=elsewhere, env={"PATH": os.defpath, "REMEMORA_RECALL_EMBEDDER": "none"}
    )
    async with Client(server) as client:
        await client.call_tool("add_memory", {"text": "I prefer aisle seats."})

    assert (folder / "memory/rememora.db").exists()
    assert [] == list(elsewhere.iterdir())


@pytest.mark.parametrize("framework", EXTRAS)
def test_a_project_installs_what_there_is(framework: str) -> None:
    """Every extra it names is one of the package."""
    import tomllib

    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]

    assert set(Requirement(project(framework, ROOT)["requirements.txt"].strip()).extras) <= set(known)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """A file that is there stays as it is, and nothing else is written."""
    (tmp_path / "main.py").write_text("mine")
    done = CliRunner().invoke(app, ["init", "plain", str(tmp_path)])

    assert 0 != done.exit_code
    assert ["main.py"] == [path.name for path in tmp_path.iterdir()]
    assert 0 != CliRunner().invoke(app, ["init", "cobol", str(tmp_path / "x")]).exit_code
