"""Lists inside a statement: what they hold, which thing a wish means, and what is left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from rememora.language.parsed import parse_text
from rememora.statements.items import items_of, meant_item, meant_text, names_item, without_item
from rememora.statements.meaning import Meaning

LIST = "Guests: Ana (the dentist), Bruno, Carla and Davi"


@pytest.mark.parametrize(
    ("text", "items"),
    [
        (LIST, ["Ana (the dentist)", "Bruno", "Carla", "Davi"]),
        ("compras: leite, pão e café", ["leite", "pão", "café"]),
        ("Biscuit, Admiral, black penny rounds", ["Biscuit", "Admiral", "black penny rounds"]),
        ("supplier is Honeycroft, contact Lorne, minimum 20 lb", []),
        ("Moro em Recife", []),
    ],
)
def test_a_list_has_things(text: str, items: list[str]) -> None:
    """After a colon or up to an "and"; commas alone list nothing but names."""
    assert items == [item.text for item in items_of(text)]


@pytest.mark.parametrize(
    ("wish", "left"),
    [
        ("forget the dentist", "Guests: Bruno, Carla, Davi"),
        ("take Bruno off", "Guests: Ana (the dentist), Carla, Davi"),
        ("o segundo pode tirar", "Guests: Ana (the dentist), Carla, Davi"),
        ("the one that starts with d", "Guests: Ana (the dentist), Bruno, Carla"),
    ],
)
def test_a_wish_means_one_thing(wish: str, left: str) -> None:
    """By name, by what is said of it, by its place, by its first letter."""
    items = items_of(LIST)
    place = meant_item(LIST, parse_text(wish), items)

    assert place is not None
    assert left == without_item(LIST, items, place)


def test_a_sentence_is_meant_as_a_whole_unless_a_word_of_it_is_said() -> None:
    """Commas part clauses too; a request that only describes such a sentence takes no piece out of it."""
    text = "a Tainá, da sala 6, copiou meu molde da saia godê e vendeu pra uma loja"
    items = items_of(text)

    assert 4 == len(items)
    assert meant_item(text, parse_text("sobre aquele desabafo, apaga por favor"), items) is None
    assert 1 == meant_item(text, parse_text("tira a parte da sala"), items)


NEAR = {
    "Bramble": 0.20, "Quill": 0.22, "Tansy": 0.20, "Pewter": 0.25,
    "wall clock": 0.1, "course of ceramics": 0.5, "dinner": 0.1,
}  # fmt: skip
"""Nearness of each text to every wish."""


def _encode(texts: Sequence[str]) -> list[Any]:
    values = (NEAR.get(text, 1.0) for text in texts)
    return [np.array([near, (1 - near * near) ** 0.5], np.float32) for near in values]


def test_one_of_several_alike_is_meant_by_what_sets_it_apart() -> None:
    items = ["present Beatriz: wall clock", "present Beatriz: course of ceramics", "present Beatriz: dinner"]
    alike = ["present Beatriz: wall clock", "present Beatriz: dinner"]

    assert 1 == meant_text("forget the present about clay", items, Meaning(_encode))
    assert meant_text("forget the present about clay", alike, Meaning(_encode)) is None


def test_the_likeliest_goes_where_one_certainly_must() -> None:
    text = "Names: Bramble, Quill, Tansy, Pewter"
    items = items_of(text)

    assert meant_item(text, parse_text("the one of metal"), items, Meaning(_encode)) is None
    assert 3 == meant_item(text, parse_text("the one of metal"), items, Meaning(_encode), certain=True)


def test_no_thing_is_guessed_where_one_of_several_is_to_go() -> None:
    """Unless a word of it is said."""
    text = "Names: Bramble, Quill, Tansy, Pewter"
    items = items_of(text)

    assert meant_item(text, parse_text("take one of the names off"), items, Meaning(_encode), certain=True) is None
    assert meant_item(text, parse_text("tira um dos nomes"), items) is None
    assert 1 == meant_item(
        text, parse_text("take one of the names off, Quill"), items, Meaning(_encode), certain=True
    )


def test_a_thing_is_named_by_a_word_of_its_own() -> None:
    text = "to buy: smoker fuel, queen excluder, a new hive tool"

    assert names_item(text, parse_text("the excluder can come off the list"))
    assert not names_item(text, parse_text("my bike can come off the list of what to buy"))
    assert not names_item(text, parse_text("excluder and fuel can come off the list"))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Snacks are pretzels, chips and figs", "Snacks are chips, figs"),
        ("prof. Hélcio (o de anatomia), profa. Dirce e prof. Osmar", "profa. Dirce, prof. Osmar"),
        ("Cantina do Grilo, Casa Madalena e Brasa do Pampa", "Casa Madalena, Brasa do Pampa"),
    ],
)
def test_nothing_of_the_first_thing_is_left(text: str, left: str) -> None:
    assert left == without_item(text, items_of(text), 0)
