"""Which names are read, of what they are the names of, and where they begin and end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest

from rememora.adapters.offline import OfflineEmbedder
from rememora.knowledge.mentions import mentions
from rememora.reading.encoders import lend_encoder
from rememora.reading.labels import NAME_TAGS
from rememora.reading.name_reader import STRETCH, read_names
from rememora.reading.names import name_spans
from rememora.reading.tokens import tokenise

KINDS = ("person", "organization", "product", "place", "campaign")
SENTENCES = Path(__file__).parents[3] / "data" / "reading" / "names" / "suite.jsonl"
"""Sentences that the rules before the network were written for; it has learned from them, so the bar is high."""


class Named(msgspec.Struct):
    """A sentence with its names."""

    text: str
    names: list[tuple[str, str]]


@pytest.fixture(params=[True, False], ids=["with an encoder", "without"])
def encoder(request: pytest.FixtureRequest) -> Iterator[None]:
    """The reader with and without the sentence encoder of the extra `local`."""
    take_back = lend_encoder(OfflineEmbedder().encode_words) if request.param else lambda: None
    yield
    take_back()


def named(text: str) -> set[tuple[str, str]]:
    """The names of a text with their kinds, as they are counted."""
    return {(item.value, item.type) for item in mentions(text) if item.type in KINDS}


@pytest.mark.usefixtures("encoder")
def test_most_names_are_found_and_most_of_what_is_found_is_right() -> None:
    """At least 85 of 100."""
    rows = [msgspec.json.decode(line, type=Named) for line in SENTENCES.read_bytes().splitlines()]
    expected = [{(name, kind) for name, kind in row.names if kind in KINDS} for row in rows]
    counted = [named(row.text) for row in rows]
    right = sum(len(one & two) for one, two in zip(expected, counted, strict=True))

    assert right >= 0.85 * sum(map(len, expected))
    assert right >= 0.85 * sum(map(len, counted))


@pytest.mark.usefixtures("encoder")
def test_names_behind_a_long_text_are_found_where_they_stand() -> None:
    """A text is read a stretch at a time, and the place of each name is its own."""
    text = "Isto aqui é só uma conversa sem nada de novo.\n" * (STRETCH // 4) + "Ontem falei com a Juliana Prado."
    (name,) = read_names(text)

    assert ("Juliana Prado", "person") == (text[name.start : name.end], name.kind)
    assert {("Juliana Prado", "person")} == named(text)


def test_the_ending_of_a_possessive_is_no_part_of_a_persons_name() -> None:
    """ "Marta's boss" names Marta; "'s" stays where it belongs to the name of a firm."""
    assert ["Marta"] == spans("Marta's boss", ["person+", "", ""])
    assert ["Wendy's"] == spans("Wendy's menu", ["organization+", ""])


def test_a_name_goes_on_until_another_begins() -> None:
    """Words of one kind are one name unless a word begins another; another kind is another name."""
    assert ["Ana Lima"] == spans("Ana Lima", ["person+", "person"])
    assert ["Ana", "Bia"] == spans("Ana Bia", ["person+", "person+"])
    assert ["Ana", "Natura"] == spans("Ana Natura", ["person+", "organization"])
    assert [] == spans("sim sim", ["", ""])


def test_a_limit_on_what_a_person_does_is_none_of_theirs() -> None:
    """The subject of a limit is a thing."""
    assert "threshold.margem" in {item.key for item in mentions("Se a margem passar de 10%, me avise.")}
    assert {"person.juliana", "threshold.minimo"} == {
        item.key for item in mentions("Se a Juliana gastar mais de R$ 300, me avise.")
    }


def spans(text: str, tags: Sequence[str]) -> list[str]:
    """The names of a text whose words have these tags; a sign behind a kind begins a name."""
    chances = np.full((len(tags), len(NAME_TAGS)), 0.01, np.float32)
    for row, tag in enumerate(tags):
        chances[row, NAME_TAGS.index((tag.rstrip("+"), tag.endswith("+")))] = 0.9
    return [text[name.start : name.end] for name in name_spans(tokenise(text), chances)]
