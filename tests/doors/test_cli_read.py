"""`rememora read`: what the rules and a model make of a text, side by side, and nothing stored."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from tests.endpoint import answer, chat_answer, serving
from typer.testing import CliRunner, Result

from rememora.cli import app

TEXT = "me chamo Ana e minha sócia toca o financeiro"
TOLD = "minha sócia toca o financeiro"
SAID = {"action": "add", "subject": "sócia", "attribute": "role", "certainty": 0.9, "duration": "lasting"}
FOUND = json.dumps(
    {
        "statements": [
            {"statement": TOLD, "quote": TOLD, "value": "toca o financeiro", **SAID},
            {"statement": "minha tia cuida do resto", "quote": "minha tia", "value": "tia", **SAID},
        ]
    }
)  # fmt: skip


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing is stored: the folder stays empty."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REMEMORA_RECALL_EMBEDDER", "none")
    return tmp_path


async def read(*words: str) -> Result:
    return await asyncio.to_thread(CliRunner().invoke, app, ["read", *words])


async def test_the_rules_reading(empty_folder: Path) -> None:
    """Verdict, reason and facts, for people and as JSON."""
    shown, reading = await read("me chamo Ana"), await read("me chamo Ana", "--json")
    document = json.loads(reading.output)

    assert "rules: save (stated)" in shown.output
    assert "user.name" in shown.output
    assert ("save", "Ana", None) == (
        document["rules"]["verdict"], document["rules"]["facts"][0]["value"], document["model"],
    )  # fmt: skip
    assert [] == list(empty_folder.iterdir())


async def test_both_readings_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model's facts stand below the rules', with what the gate says; what it made up is dropped."""
    async with serving(answer(chat_answer(FOUND))) as endpoint:
        monkeypatch.setenv("REMEMORA_MODEL_PROVIDER", "openai")
        monkeypatch.setenv("REMEMORA_MODEL_BASE_URL", endpoint.url)
        shown, reading = await read(TEXT, "--model"), await read(TEXT, "--model", "--json")
        held = await read("minha senha do banco é 4321abc", "--model")
        count = len(endpoint.asked)
    [fact] = json.loads(reading.output)["model"]["facts"]

    assert "model: 1 facts, 1 dropped" in shown.output
    assert TOLD in shown.output
    assert ("add", "save", "stated") == (fact["action"], fact["verdict"], fact["reason"])
    assert (TOLD, "sócia", "role") == (fact["value"], fact["subject"], fact["attribute"])
    assert ("model: not called" in held.output, 2) == (True, count)


async def test_without_a_model_it_says_so() -> None:
    """One line that names the setting, and no traceback."""
    done = await read(TEXT, "--model")

    assert 0 != done.exit_code
    assert "model.provider" in str(done.exception or done.output)
