"""Which names are read, of what they are the names of, and where they begin and end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec
import numpy as np
import pytest
from tests.looped import looped

from rememora.adapters.offline import OfflineEmbedder
from rememora.knowledge.mentions import mentions
from rememora.reading.encoders import lend_encoder
from rememora.reading.labels import NAME_TAGS
from rememora.reading.name_network import WEIGHTS
from rememora.reading.name_reader import STRETCH, read_names
from rememora.reading.names import name_spans
from rememora.reading.network import WEIGHTS as READER
from rememora.reading.tokens import tokenise

KINDS = ("person", "organization", "product", "place", "campaign")
DATA = Path(__file__).parents[3] / "data"
LEAST = {
    "reading/names/suite.jsonl": 0.85,
    "evaluation/names_fresh16.jsonl": 0.70,
    "evaluation/names_fresh17.jsonl": 0.70,
}
"""Least share found and least precision: of sentences that it has learned from, and of two sets by strangers."""
UNNAMED = (
    "I am happy today",
    "Obrigada, entendi tudo",
    "Queria saber quanto custa o frete",
    "Sold the old van yesterday",
    "Bom dia, tudo certo por aí?",
    "Meine Mutter kauft Brot und Milch im Supermarkt und kocht danach für uns alle.",
    "Der Hund ist im Garten und die Katze schläft auf dem Sofa, weil es regnet.",
)
"""Ordinary words, also of a language that the network has not learnt, in which every noun has a capital."""


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
@looped(("file", "least"), LEAST.items())
def test_most_names_are_found_and_most_of_what_is_found_is_right(file: str, least: float) -> None:
    """A wrong spelling, boundary or kind counts twice: as not found, and as wrong."""
    rows = [msgspec.json.decode(line, type=Named) for line in (DATA / file).read_bytes().splitlines()]
    expected = [{(name, kind) for name, kind in row.names if kind in KINDS} for row in rows]
    counted = [named(row.text) for row in rows]
    right = sum(len(one & two) for one, two in zip(expected, counted, strict=True))

    assert right >= least * sum(map(len, expected))
    assert right >= least * sum(map(len, counted))


@pytest.mark.usefixtures("encoder")
@looped("text", UNNAMED)
def test_ordinary_words_are_no_names(text: str) -> None:
    """Neither a capital at the head of a sentence nor a noun of another language names anybody."""
    assert set() == named(text)


@pytest.mark.usefixtures("encoder")
def test_blanks_inside_a_name_are_one_and_a_long_run_of_letters_is_none() -> None:
    """What is counted can be printed, and has a length that a name can have."""
    assert {("Ana Lima", "person")} == named("Ontem falei com a Ana\u00a0Lima")
    assert set() == named(f"Falei com a A{'na' * 400} ontem")


def test_the_names_were_trained_with_the_reader_that_ships() -> None:
    """A new reader sees words otherwise: `tools.train_names` has to run after `tools.train_reader`."""
    with np.load(WEIGHTS, allow_pickle=False) as arrays:
        trained_with = str(arrays["reader"])

    assert sha256(READER.read_bytes()).hexdigest() == trained_with


@pytest.mark.usefixtures("encoder")
def test_names_behind_a_long_text_are_found_where_they_stand() -> None:
    """A text is read a stretch at a time, and the place of each name is its own."""
    text = "Isto aqui é só uma conversa sem nada de novo.\n" * (STRETCH // 4) + "Ontem falei com a Juliana Prado."
    (name,) = read_names(text)

    assert ("Juliana Prado", "person") == (text[name.start : name.end], name.kind)
    assert {("Juliana Prado", "person")} == named(text)


def test_the_ending_of_a_possessive_is_a_part_of_firms_names_alone() -> None:
    """ "Marta's boss" names Marta; "Wendy's" is called so."""
    assert ["Marta"] == spans("Marta's boss", ["person+", ""])
    assert ["Lisbon"] == spans("Lisbon's trams", ["place+", ""])
    assert ["Wendy's"] == spans("Wendy's again", ["organization+", ""])


def test_a_name_goes_on_until_another_begins() -> None:
    """Words of one kind are one name unless a word begins another; another kind is another name."""
    assert ["Ana Lima"] == spans("Ana Lima", ["person+", "person"])
    assert ["Ana", "Bia"] == spans("Ana Bia", ["person+", "person+"])
    assert ["Ana", "Bia"] == spans("Ana\nBia", ["person+", "person"]), "each line of a list names its own"
    assert ["Ana", "Natura"] == spans("Ana Natura", ["person+", "organization"])
    assert [] == spans("sim sim", ["", ""])


def test_a_limit_on_what_a_person_does_is_none_of_theirs() -> None:
    """The subject of a limit is a thing."""
    assert "threshold.margem" in {item.key for item in mentions("Se a margem passar de 10%, me avise.")}
    assert {"person.juliana", "threshold.minimum"} == {
        item.key for item in mentions("Se a Juliana gastar mais de R$ 300, me avise.")
    }


def spans(text: str, tags: Sequence[str]) -> list[str]:
    """The names of a text whose words have these tags; a sign behind a kind begins a name."""
    chances = np.full((len(tags), len(NAME_TAGS)), 0.01, np.float32)
    for row, tag in enumerate(tags):
        chances[row, NAME_TAGS.index((tag.rstrip("+"), tag.endswith("+")))] = 0.9
    return [text[name.start : name.end] for name in name_spans(text, tokenise(text), chances)]
