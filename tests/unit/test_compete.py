"""Memories and passages compete for tokens: by worth, once each, and never with less for more room."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from rememora.context.compete import LONG_TOKENS, Pool, Prices, choose, excerpt
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
        prices=Prices(words, lambda item: 2 if item.tokens > 2 else 0),
        **{"said": frozenset(), "known": {}, "least_worth": 0.0, "query": QUERY, **fields},
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

    neighbour, alone = weighed([turn, memory])[1], weighed([memory])[0]

    assert 0 < neighbour.worth < alone.worth


def test_a_message_of_the_window_is_not_told_again() -> None:
    """What stands among the newest messages is no passage too, nor takes a place among them."""
    local = passage("a farinha é do Moinho", section="past", id="m1", score=0.9)
    other = passage("o sal é da Salina", section="past", id="m2", score=0.6)
    recent = passage("a farinha é do Moinho", section="recent", id="m1")

    assert ["m2"] == list(chosen([local, other], 100, said=frozenset({"m1"}))[0])
    assert weighed([other])[0].worth == weighed([recent, local, other])[2].worth


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
    result = excerpt(item, QUERY, space, cost=words)

    assert result is None or words(result) == result.tokens <= space
    assert result is None or "A farinha vem do Moinho." in result.text


@given(st.integers(0, 99), st.floats(0.01, 1), st.floats(0.01, 1))
def test_chance_falls_with_place_and_score(place: int, one: float, other: float) -> None:
    """A better place and a better score never make an answer less likely."""
    low, high = sorted([one, other])

    assert 0 < chance(place + 1, low) <= chance(place, low) <= chance(place, high) <= 1


def on_day(text: str, day: int, worth: float = 0.5, conversation: str = "c") -> Item:
    return passage(text, worth, at=f"2026-11-{day:02}T09:00:00Z", conversation=conversation)


def test_messages_of_one_day_pay_for_its_date_once() -> None:
    """The second message of a day is cheaper, and so has its place where one of another day would not fit."""
    first, second = on_day("a farinha vem do Moinho", 1), on_day("e o trigo do Sul", 1, 0.3)
    other_day, elsewhere = on_day("e o trigo do Norte", 2, 0.3), on_day("e o trigo de Leste", 1, 0.3, "d")

    for other, taken in ((second, True), (other_day, False), (elsewhere, False)):
        kept, why = chosen([first, other], 8)
        assert taken == (other.id in kept)
        assert taken or {1: "budget"} == why
    assert [5, 3] == [item.tokens for item in chosen([first, second], 8)[0].values()]


def test_a_message_competes_at_the_price_beside_its_day() -> None:
    """Two that are worth the same: the one that joins a line which is there comes first."""
    first = on_day("a farinha vem do Moinho", 1, 0.9)
    joins, alone = on_day("o trigo vem do Sul", 1, 0.2), on_day("o sal vem do Norte", 2, 0.22)

    assert {first.id, joins.id} == set(chosen([first, alone, joins], 9)[0])


drawn_days = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 60), st.floats(0.001, 1)), max_size=40).map(
    lambda drawn: [
        on_day(" ".join(f"{place}w{word}" for word in range(size)), day, worth)
        for place, (day, size, worth) in enumerate(drawn)
    ]
)


@given(drawn_days, st.integers(0, 600))
def test_shared_lines_never_overrun_the_room(items: list[Item], room: int) -> None:
    """What is paid is what the lines take: each day's date once."""
    kept, why = chosen(items, room)
    paid = sum(item.tokens for item in kept.values())
    alone = {item.id: item.tokens for item in items}
    days = {item.at.day for item in kept.values() if item.at}
    whole = sum(alone[id] for id in kept)
    saved = {id: 2 if alone[id] > 2 else 0 for id in kept}

    assert paid <= room
    assert whole - sum(saved.values()) <= paid <= whole - sum(saved.values()) + 2 * len(days)
    assert len(kept) + len(why) == len(items)
