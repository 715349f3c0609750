"""Every language pack meets its own cases, holds what the schema asks for, and says which field is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from string import Formatter
from typing import Any

import msgspec
import pytest

from rememora.errors import InvalidInput
from rememora.gate import No, Unrelated, Value, Yes, evaluate, read_answer
from rememora.gate.pointing import bare_wish, hushed
from rememora.gate.stated import SLOTS
from rememora.language import packs
from rememora.language.detection import is_unread, language_of_text
from rememora.ranking.when import resolve

NOW = datetime(2026, 11, 17, 15, tzinfo=UTC)


def span_of(text: str, code: str) -> list[str] | None:
    meant = resolve(text, now=NOW, language=code)
    return None if meant is None else [str(meant.span.since.date()), str(meant.span.until.date())]


def answer_of(text: str) -> str:
    answer = read_answer(text)
    if isinstance(answer, Value):
        return answer.text
    return {Yes: "yes", No: "no", Unrelated: "other"}[type(answer)]


def slots_of(text: str) -> dict[str, Any]:
    return {fact.key: fact.value for fact in evaluate(text).facts if fact.key in SLOTS}


READ: dict[str, Callable[[str, str], Any]] = {
    "language": lambda text, _: language_of_text(text),
    "span": span_of,
    "wish": lambda text, _: bare_wish(text),
    "hushed": lambda text, _: hushed(text),
    "answer": lambda text, _: answer_of(text),
    "slots": lambda text, _: slots_of(text),
    "label": lambda text, _: evaluate(text).label,
}


@pytest.mark.parametrize("code", packs.CODES)
def test_a_pack_meets_its_cases(code: str) -> None:
    """As many of the labelled cases as the pack says; those that fail are shown."""
    lines = (packs.FOLDER / code / "cases.jsonl").read_text("utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    failed = [
        (case, found)
        for case in cases
        for kind in READ.keys() & case
        if (found := READ[kind](case["text"], code)) != case[kind]
    ]
    kinds = {kind for case in cases for kind in case}

    assert {*READ, "text"} == kinds
    assert len(cases) >= 40
    assert 1 - len(failed) / len(cases) >= packs.words_of(code).bar, failed


@pytest.mark.parametrize("code", packs.CODES)
def test_a_pack_names_every_key_that_another_names(code: str) -> None:
    """Labels, words and reasons stand in all languages or in none; what is filled in has the same places."""
    for other in packs.CODES:
        mine, theirs = packs.attributes_of(code), packs.attributes_of(other)
        for table in ("labels", "words", "family", "own", "spaces", "asked_by"):
            assert getattr(mine, table).keys() == getattr(theirs, table).keys()
        assert packs.reasons_of(code).keys() == packs.reasons_of(other).keys()
        assert _places(packs.replies_of(code)) == _places(packs.replies_of(other))


def _places(replies: msgspec.Struct) -> dict[str, list[str]]:
    """The names that each sentence is filled in with."""
    said = {
        f"{part}.{name}": text
        for part, table in msgspec.to_builtins(replies).items()
        for name, text in table.items()
        if name != "day"
    }
    return {
        name: sorted(field for _, field, _, _ in Formatter().parse(text) if field) for name, text in said.items()
    }


@pytest.mark.parametrize(
    ("written", "field"),
    [("tag = 3", "$.tag"), ('tag = "pt"\nsurprise = 1', "surprise"), ("stop = [1]", "stop")],
)
def test_a_pack_that_does_not_fit_says_where(
    written: str, field: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the file and the field."""
    name = written.partition(" ")[0]
    source = (packs.FOLDER / "pt" / "words.toml").read_text("utf-8")
    kept = "\n".join(line for line in source.splitlines() if not line.startswith(f"{name} = "))
    if name == "stop":
        start, end = source.index("stop ="), source.index("# How people write")
        kept = source[:start] + source[end:]
    (tmp_path / "xx").mkdir()
    (tmp_path / "xx" / "words.toml").write_text(f"{written}\n{kept}", "utf-8")
    monkeypatch.setattr(packs, "FOLDER", tmp_path)

    with pytest.raises(InvalidInput) as raised:
        packs.words_of.__wrapped__("xx")

    assert "languages/xx/words.toml" == raised.value.field
    assert field in raised.value.reason


@pytest.mark.parametrize(
    "text",
    [
        "Je m'appelle Claire et je travaille chez Renault",
        "Ich heiße Anna und arbeite bei Siemens",
        "Mi chiamo Anna e non lavoro questa settimana perché sono malata",
        "我叫李明，在北京工作",
        "Меня зовут Анна",
    ],
)
def test_a_language_without_a_pack_is_not_read(text: str) -> None:
    """It is refused for what it is, and never taken for Portuguese."""
    assert is_unread(text)
    assert language_of_text(text) is None
    assert "refuse.unread_language" == evaluate(text).reason


@pytest.mark.parametrize(
    "text", ["Moro em Roma com a Giulia", "Let's have crème brûlée", "Trabajo en Bonjour", "ok"]
)
def test_a_loan_word_makes_no_other_language(text: str) -> None:
    """One word of another language is a loan."""
    assert not is_unread(text)
