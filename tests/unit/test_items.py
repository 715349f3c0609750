"""Lists inside a statement: what they hold, which thing a wish means, and what is left."""

from __future__ import annotations

import pytest

from rememora.statements.items import items_of, meant_item, without_item

LIST = "Guests: Ana (the dentist), Bruno, Carla and Davi"


@pytest.mark.parametrize(
    ("text", "items"),
    [
        (LIST, ["Ana (the dentist)", "Bruno", "Carla", "Davi"]),
        ("compras: leite, pão e café", ["leite", "pão", "café"]),
        ("supplier is Honeycroft, contact Lorne, minimum 20 lb", []),
        ("Moro em Recife", []),
    ],
)
def test_a_list_has_things(text: str, items: list[str]) -> None:
    """After a colon or up to an "and"; commas alone make no list."""
    assert items == [each.text for each in items_of(text)]


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
    place = meant_item(LIST, wish, items)

    assert place is not None
    assert left == without_item(LIST, items, place)


def test_a_sentence_is_meant_as_a_whole_unless_a_word_of_it_is_said() -> None:
    """Commas part clauses too; a request that only describes such a sentence takes no piece out of it."""
    told = "a Tainá, da sala 6, copiou meu molde da saia godê e vendeu pra uma loja"
    items = items_of(told)

    assert 4 == len(items)
    assert meant_item(told, "sobre aquele desabafo, apaga por favor", items) is None
    assert 1 == meant_item(told, "tira a parte da sala", items)
