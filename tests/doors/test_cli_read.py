"""`rememora read`: what the offline reader and a model make of a text, by which words, and nothing stored."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from tests.endpoint import answer, chat_answer, serving
from typer.testing import CliRunner, Result

from rememora.cli import app

PARTS = "me ajuda com o convite? Meu nome é Ana"
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


async def test_the_offline_reading(empty_folder: Path) -> None:
    """Verdict, reason and facts, for people and as JSON."""
    shown, reading = await read("me chamo Ana"), await read("me chamo Ana", "--json")
    document = json.loads(reading.output)

    assert "offline reader: save (stated)" in shown.output
    assert "user.name" in shown.output
    assert ("save", "Ana", None) == (
        document["offline"]["verdict"], document["offline"]["facts"][0]["value"], document["model"],
    )  # fmt: skip
    assert [] == list(empty_folder.iterdir())


async def test_each_part_names_the_words_that_spoke_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Act, subject, attribute, value and certainty too, in 80 columns; `--json` has the same."""
    monkeypatch.setenv("COLUMNS", "80")
    shown, reading = await read(PARTS), await read(PARTS, "--json")
    words = json.loads(reading.output)["offline"]["words"]
    by = {(decision["by"], decision["decision"]): decision for decision in words}
    request, statement = by["reader", "request"], by["reader", "tell"]

    assert "facts.user.name matched" in shown.output
    assert "act: request · certainty" in shown.output
    assert "subject: me · attribute: name" in shown.output
    assert f"words: {request['words'][0]['text']} {request['words'][0]['weight']:+.2f}" in shown.output
    assert "ajuda" == request["words"][0]["text"]
    assert ("me", "name", ["Ana"]) == (
        statement["said"]["subject"],
        statement["said"]["attribute"],
        statement["values"],
    )
    assert "Meu nome é Ana" == by["rule", "facts.user.name"]["span"]["text"]
    assert 80 >= max(len(line) for line in shown.output.splitlines())


async def test_both_readings_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model's facts stand below the offline reader's, with what the gate says; what it made up is dropped."""
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
