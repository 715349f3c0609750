"""Memories and passages compete for tokens: by worth, once each, and never with less for more room."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from rememora.context.compete import LONG_TOKENS, Pool, choose, excerpt
from rememora.context.worth import chance, weighed
from rememora.domain.context import Item, Omission

QUERY = "quem fornece a farinha da padaria"


def words(item: Item) -> int:
    """A counting rule that is easy to check by hand."""
    return len(item.text.split())


def passage(text: str, worth: float = 0.5, **fields: Any) -> Item:
    drawn = {"section": "related", "kind": "message", "id": text[:40], "role": "user", **fields}
    return msgspec.convert({**drawn, "text": text, "worth": worth, "tokens": len(text.split())}, Item)


def statement(key: str, text: str, worth: float = 0.5, **fields: Any) -> Item:
    return passage(text, worth, section="memories", kind="memory", id=key, key=key, role=None, **fields)


def chosen(items: list[Item], room: int, **fields: Any) -> tuple[dict[str | None, Item], dict[int, Omission]]:
    sections: set[Any] = {item.section for item in items}
    pool = Pool(
        candidates=list(enumerate(items)),
        caps=dict.fromkeys(sections, 10**6),
        **{"said": frozenset(), "known": {}, "least_worth": 0.0, "query": QUERY, "cost": words, **fields},
    )
    kept, why = choose(pool, room=room)
    return {item.id: item for _, item in kept}, why


drawn_items = st.lists(
    st.tuples(st.sampled_from(["related", "past", "memories"]), st.integers(1, LONG_TOKENS), st.floats(0.001, 1)),
    max_size=40,
).map(
    lambda drawn: [
        passage(" ".join(f"{place}w{word}" for word in range(size)), worth, section=section, id=str(place))
        for place, (section, size, worth) in enumerate(drawn)
    ]
)


@given(drawn_items, st.integers(0, 1500), st.integers(0, 500))
def test_more_room_never_holds_less_worth(items: list[Item], room: int, more: int) -> None:
    """Whatever the sizes, a larger room holds at least as much worth, and no room is overrun."""
    small, _ = chosen(items, room)
    large, _ = chosen(items, room + more)

    assert sum(item.tokens for item in small.values()) <= room
    assert sum(item.worth for item in large.values()) >= sum(item.worth for item in small.values()) - 1e-9


def test_what_is_worth_too_little_is_left_out_and_named() -> None:
    """There is room for both; the one that answers nothing stays out all the same."""
    kept, why = chosen([passage("a farinha é do Moinho"), passage("oi tudo bem", 0.0005)], 100, least_worth=0.001)

    assert ["a farinha é do Moinho"] == list(kept)
    assert {1: "worth"} == why


def test_a_memory_and_its_message_do_not_both_stand() -> None:
    """The one that is worth more per token stands; a message names the memories that it stands for."""
    turn = passage("anota aí que o fornecedor de farinha da padaria é o Moinho Azul", id="m1")
    brief = statement("suppliers.flour", "Moinho Azul, fornecedor de farinha da padaria", source="m1")
    poor = statement("people.moinho", "fornecedor", worth=0.01, source="m1")

    kept, why = chosen([turn, brief], 100)
    assert ["suppliers.flour"] == list(kept)
    assert {0: "repeated"} == why

    kept, why = chosen([turn, poor], 100)
    assert ["m1"] == list(kept)
    assert ("people.moinho",) == kept["m1"].memory_ids
    assert {1: "repeated"} == why


def test_worth_falls_where_a_memory_leaves_out_what_its_message_says() -> None:
    """Beside its message a memory is worth the share of it that it tells."""
    turn = passage("o contador da empresa é o João Pedro da Silva e atende só às terças", id="m1", score=0.5)
    memory = statement("people.joao", "contador da empresa", source="m1", score=0.5)

    beside, alone = weighed([turn, memory])[1], weighed([memory])[0]

    assert 0 < beside.worth < alone.worth


def test_a_message_of_the_window_is_not_told_again() -> None:
    """What stands among the newest messages is no passage too, nor takes a place among them."""
    here = passage("a farinha é do Moinho", section="past", id="m1", score=0.9)
    other = passage("o sal é da Salina", section="past", id="m2", score=0.6)
    recent = passage("a farinha é do Moinho", section="recent", id="m1")

    assert ["m2"] == list(chosen([here, other], 100, said=frozenset({"m1"}))[0])
    assert weighed([other])[0].worth == weighed([recent, here, other])[2].worth


def test_what_says_nearly_the_same_waits() -> None:
    """Of two that are much alike the second comes after one that tells something else."""
    first = passage("o fornecedor de farinha da padaria é o Moinho Azul de Caruaru", 0.5)
    again = passage("ok o fornecedor de farinha da padaria é o Moinho Azul de Caruaru", 0.4)
    other = passage("a entrega chega toda segunda bem cedo", 0.2)

    kept, why = chosen([first, again, other], first.tokens + again.tokens)

    assert {first.id, other.id} == set(kept)
    assert {1: "budget"} == why


def test_a_long_message_comes_whole_where_it_fits() -> None:
    """It is cut only where it does not, and then to whole sentences around what was asked."""
    filler = " ".join(f"Assunto {place} sem relação nenhuma com o resto." for place in range(40))
    long = passage(f"{filler} Quem fornece a farinha da padaria é o Moinho Azul. {filler}", id="m1")

    whole, _ = chosen([long], 10_000)
    part, _ = chosen([long], LONG_TOKENS - 20)

    assert whole["m1"].text == long.text
    assert "Quem fornece a farinha da padaria é o Moinho Azul." in part["m1"].text
    assert part["m1"].cut
    assert part["m1"].tokens <= LONG_TOKENS - 20


@given(st.integers(1, 200))
def test_an_excerpt_fits_its_space(space: int) -> None:
    """Whole sentences or nothing, within the space."""
    item = passage("Um dois três. Quatro cinco seis sete! A farinha vem do Moinho. Oito nove?")
    found = excerpt(item, QUERY, space, cost=words)

    assert found is None or words(found) == found.tokens <= space
    assert found is None or "A farinha vem do Moinho." in found.text


@given(st.integers(0, 99), st.floats(0.01, 1), st.floats(0.01, 1))
def test_chance_falls_with_place_and_score(place: int, one: float, other: float) -> None:
    """A better place and a better score never make an answer less likely."""
    low, high = sorted([one, other])

    assert 0 < chance(place + 1, low) <= chance(place, low) <= chance(place, high) <= 1
