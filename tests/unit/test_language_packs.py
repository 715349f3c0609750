"""Every language pack meets its own cases, holds what the schema asks for, and says which field is wrong."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from rememora.contracts import CASE_READERS, check_language
from rememora.domain.verdict import Refuse
from rememora.errors import InvalidInput
from rememora.gate import evaluate
from rememora.gate.policy import load_policy
from rememora.knowledge.mentions.moments import moments
from rememora.language import packs
from rememora.language.detection import is_unread, language_of_text, language_of_turns


@pytest.mark.parametrize("code", packs.CODES)
def test_a_pack_keeps_its_contract(code: str) -> None:
    """It has the keys of the others, the same places in its sentences, and meets as many cases as it says."""
    assert [] == check_language(code)


@pytest.mark.parametrize("code", packs.CODES)
def test_a_pack_has_cases_of_every_kind(code: str) -> None:
    """At least 150 where the pack comes with the package, and one of each thing that a case may expect."""
    lines = (packs.folder_of(code) / "cases.jsonl").read_text("utf-8").splitlines()
    kinds = {kind for line in lines for kind in json.loads(line)}

    assert {*CASE_READERS, "text"} == kinds
    assert len(lines) >= (150 if code in packs.BUILTIN else 40)


def test_a_pack_that_misses_its_cases_or_keys_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The contract names the case and the key; a code without a pack is told too."""
    folder = tmp_path / "es"
    shutil.copytree(packs.FOLDER / "es", folder)
    (folder / "cases.jsonl").write_text('{"text": "Moro em Recife com a minha irmã", "language": "es"}\n', "utf-8")
    monkeypatch.setattr(packs, "FOLDER", tmp_path)

    assert ["'Moro em Recife com a minha irmã': language is 'pt', not 'es'"] == check_language("es")
    assert ["no language pack is installed under 'xx' (pt, en, es)"] == check_language("xx")


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


@pytest.mark.parametrize("stem", ["ab*", "desenvolvedor*", "fora d*", "acess* total"])
def test_a_stem_that_never_matches_is_refused(stem: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too short, too long to be looked up, or where no phrase begins."""
    (tmp_path / "xx").mkdir()
    (tmp_path / "xx" / "lexicon.toml").write_text(f'[classes]\nrank = "chefe|{stem}"\n', "utf-8")
    monkeypatch.setattr(packs, "FOLDER", tmp_path)

    with pytest.raises(InvalidInput) as raised:
        packs.lexicon_of.__wrapped__("xx")

    assert "languages/xx/lexicon.toml" == raised.value.field
    assert stem in raised.value.reason


@pytest.mark.parametrize(
    ("file", "table", "read"),
    [
        ("phrases.toml", "phrases", packs.phrases_of),
        ("lexicon.toml", "classes", packs.lexicon_of),
        ("gate.toml", "words", packs.gate_words_of),
        ("figures.toml", "lists", packs.figure_words_of),
        ("topics.toml", "lists", packs.topic_words_of),
        ("cues.toml", "patterns", packs.cue_words_of),
        ("answer_length.toml", "parts", packs.length_words_of),
    ],
)
def test_a_name_that_no_rule_has_is_refused(
    file: str, table: str, read: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A misspelt name in an installed pack would have no effect and tell nobody."""
    (tmp_path / file).write_text(f'[{table}]\nnegatoin = "non"\n', "utf-8")
    monkeypatch.setattr(packs, "INSTALLED", {"xx": tmp_path})

    with pytest.raises(InvalidInput) as raised:
        read.__wrapped__("xx")

    assert f"languages/xx/{file}" == raised.value.field
    assert "negatoin" in raised.value.reason


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
    ("text", "language"),
    [
        ("Me llamo Carmen", "es"),
        ("olvídalo", "es"),
        ("compré dos sillas", "es"),
        ("Me chamo Carmen", "pt"),
        ("moro no Recife", "pt"),
        ("my name is Carmen", "en"),
    ],
)
def test_a_short_message_tells_its_language(text: str, language: str) -> None:
    """Everyday words and spellings tell where function words are missing."""
    assert language == language_of_text(text)


@pytest.mark.parametrize(
    ("turns", "language"),
    [
        (("soy contadora", "me mudé a Cádiz"), "es"),
        (("soy contadora", "sí"), "es"),
        (("sou contadora", "me mudei pra Cádiz"), "pt"),
        (("soy contadora", "moro em Cádiz"), "pt"),
        (("sí",), "pt"),
        ((), None),
    ],
)
def test_a_turn_told_by_accents_alone_is_in_the_language_before_it(
    turns: tuple[str, ...], language: str | None
) -> None:
    """Portuguese and Spanish share their accents; words of either one decide."""
    assert language == language_of_turns(turns)


def test_a_reason_is_told_in_every_language_with_a_pack() -> None:
    """Portuguese and English have fields, the others stand beside them; what is missing is told in English."""
    verdict = evaluate("mi contraseña es gato1234")

    assert isinstance(verdict, Refuse)
    assert packs.reasons_of("es")["sensitive.password"] in verdict.why.told_in("es")
    for code in packs.CODES:
        assert packs.reasons_of(code)["refuse.empty"] == load_policy().why("refuse.empty").told_in(code)
    assert verdict.why.en == verdict.why.told_in("xx")


@pytest.mark.parametrize(
    ("folded", "language", "value"),
    [
        ("el 4 de julio de 2026", "es", "2026-07-04"),
        ("12 de dic", "es", "--12-12"),
        ("07/04/2026", "es", "2026-04-07"),
        ("07/04/2026", "en", "2026-07-04"),
        ("4 de dezembro", "pt", "--12-04"),
    ],
)
def test_dates_are_read_with_the_months_of_every_pack(folded: str, language: str, value: str) -> None:
    """The pack says whether the day or the month comes first."""
    assert [value] == [mention.value for mention in moments(folded, language)]


@pytest.mark.parametrize(
    "text", ["Moro em Roma com a Giulia", "Let's have crème brûlée", "Trabajo en Bonjour", "ok"]
)
def test_a_loan_word_makes_no_other_language(text: str) -> None:
    """One word of another language is a loan."""
    assert not is_unread(text)
