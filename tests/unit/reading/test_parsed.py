"""The forms of a message are made once and on demand, and say what they did before they were shared."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest
from tests.looped import looped

from rememora.caches import forget_people
from rememora.gate import evaluate, read_answer
from rememora.gate.erasure import confirms_erasure, final_wish
from rememora.gate.pointing import (
    asks_for_silence,
    bare_wish,
    declined,
    insisted,
    known_again,
    means_other,
    righted,
    silenced_topic,
    spoken_again,
    undoes,
)
from rememora.gate.verbatim import verbatim_start
from rememora.knowledge.find import counts_only
from rememora.language.folding import fold, fold_same_length
from rememora.language.parsed import HELD_CHARACTERS, parse_text
from rememora.reading.parsed import ParsedMessage, parse_message

VERBS: tuple[Callable[[ParsedMessage], object], ...] = (
    bare_wish,
    asks_for_silence,
    declined,
    means_other,
    insisted,
    known_again,
    undoes,
    righted,
    silenced_topic,
    spoken_again,
    final_wish,
    confirms_erasure,
    read_answer,
    counts_only,
)
MESSAGES = ("Não fala mais do meu divórcio", "Can you undo that?", "guarda isso aí: o código é “Aço”", "1 e 3")


@pytest.fixture
def folded() -> Iterator[Counter[tuple[str, str]]]:
    """Count how often each text was given to each kind of folding, since nothing is held."""
    calls, code = Counter[tuple[str, str]](), {made.__code__: made.__name__ for made in (fold, fold_same_length)}

    def count(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code in code:
            calls[code[frame.f_code], frame.f_locals["text"]] += 1

    forget_people()
    sys.setprofile(count)
    yield calls
    sys.setprofile(None)


@looped("text", MESSAGES)
def test_a_message_is_folded_once_for_all_requests_to_memory(text: str, folded: Counter[tuple[str, str]]) -> None:
    """Fourteen verbs and the gate look at it, after a turn and without one."""
    folded.clear()
    forget_people()
    for message in (parse_message(text), parse_message(text, ["user: oi"])):
        for verb in VERBS:
            verb(message)
        verbatim_start(message, asked_to_keep=False)
    once = folded["fold", text]
    evaluate(text)

    assert (1, 1) == (once, folded["fold_same_length", text])


COUNTED = """
from rememora.context.act_first import addresses_memory
from rememora.reading import BUILTIN, hold_reader, read_builtin
from rememora.reading.parsed import parse_message

texts = []

def noting(text, before):
    texts.append(text)
    return read_builtin(text, before)

hold_reader(BUILTIN, noting)
assert addresses_memory(parse_message("desfaz isso"))
assert texts == []
assert not addresses_memory(parse_message("que dia lindo lá fora"))
assert texts == ["que dia lindo lá fora"]
"""


def test_a_wish_that_its_words_tell_costs_no_network() -> None:
    """Only what frames leave open is read.

    In a process of its own: one reader serves a process, and an open memory of another test may hold it.
    """
    done = subprocess.run([sys.executable, "-c", COUNTED], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


def test_the_network_reads_the_normal_form() -> None:
    """Invisible characters and stutter are not read, and every rule asks about the same words."""
    message = parse_message("eu eu moro em Re\u200bcife")

    assert "eu moro em Recife" == message.normal.text == message.reading.text
    assert "Re\u200bcife" == message.normal.span(11, 17).text


def test_forms_keep_places_or_compare() -> None:
    """A place found in the folded text is one of the text; a comparison may change the length."""
    text = parse_text("  “Straße” do Zé’s Bar?! ")

    assert len(text.raw) == len(text.in_place)
    assert "Zé’s" == text.raw[(at := text.in_place.index("ze's")) : at + 4]
    assert "“strasse” do ze's bar" == text.plain
    assert not text.asks


def test_forms_of_a_long_text_are_right_too() -> None:
    """They are made anew, since they are not held."""
    long = "Ação " * HELD_CHARACTERS

    assert parse_text(long).compared == parse_text(long).in_place == "acao " * HELD_CHARACTERS


def test_an_erasure_lets_go_of_the_forms(folded: Counter[tuple[str, str]]) -> None:
    folded.clear()
    for _ in range(2):
        assert "acude" == parse_text("Açude").compared
        forget_people()

    assert 2 == folded["fold", "Açude"]
