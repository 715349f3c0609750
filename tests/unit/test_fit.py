"""The budget: never exceeded, shared by priority, and honest about what it left out."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from rememora.context.compete import Prices
from rememora.context.fit import SHARES, Share, cut, fit
from rememora.domain.context import SECTIONS, Item

ROOM = 1000
SHARE = {share.section: share for share in SHARES}


def words(item: Item) -> int:
    """A counting rule that is easy to check by hand."""
    return len(item.text.split()) + 1


PRICES = Prices(words)


def item_of(section: str, size: int, number: int) -> Item:
    text = " ".join(["w"] * size)
    return msgspec.convert({"section": section, "text": text, "kind": "x", "id": f"{section}-{number}"}, Item)


items_of_any_size = st.lists(st.tuples(st.sampled_from(SECTIONS), st.integers(1, 400)), max_size=60).map(
    lambda drawn: [item_of(section, size, number) for number, (section, size) in enumerate(drawn)]
)
headings = st.dictionaries(st.sampled_from(SECTIONS), st.integers(0, 9))


@given(items_of_any_size, st.integers(0, 3000), st.integers(0, 80), headings)
def test_the_budget_is_never_exceeded(items: list[Item], budget: int, frame: int, opening: dict[Any, int]) -> None:
    """Items, headings and frame together stay within the budget, and the count is the true one."""
    fitted = fit(items, budget=budget, prices=PRICES, frame=frame, headings=opening)

    spent = sum(words(item) for item in fitted.items)
    spent += sum(opening.get(section, 0) for section in {item.section for item in fitted.items})
    assert fitted.tokens == (spent + frame if fitted.items else 0)
    assert fitted.tokens <= budget


@given(items_of_any_size, st.integers(0, 3000))
def test_every_item_is_either_kept_or_named(items: list[Item], budget: int) -> None:
    """Nothing vanishes without a word."""
    fitted = fit(items, budget=budget, prices=PRICES)

    ids = [item.id for item in fitted.items] + [left.id for left in fitted.left_out]
    assert sorted(str(item.id) for item in items) == sorted(map(str, ids))


@given(items_of_any_size, st.integers(0, 3000), st.randoms(use_true_random=False))
def test_only_the_order_inside_a_section_counts(items: list[Item], budget: int, chance: Random) -> None:
    """The same items give the same pack, however the layers interleave."""
    by_section = {section: [item for item in items if item.section == section] for section in SECTIONS}
    order = list(SECTIONS)
    chance.shuffle(order)
    shuffled = [item for section in order for item in by_section[section]]

    assert fit(items, budget=budget, prices=PRICES).items == fit(shuffled, budget=budget, prices=PRICES).items


@given(items_of_any_size, st.integers(0, 3000))
def test_a_section_stays_under_its_cap(items: list[Item], budget: int) -> None:
    """No section takes more than its cap, whatever is left; but for messages, which may have what nobody wants."""
    fitted = fit(items, budget=budget, prices=PRICES)

    for section in (section for section in SECTIONS if not SHARE[section].in_a_row):
        spent = sum(item.tokens for item in fitted.items if item.section == section)
        assert spent <= SHARE[section].cap * budget


@given(items_of_any_size)
def test_what_fits_its_floor_is_always_kept(items: list[Item]) -> None:
    """A section within its floor loses nothing, however much the others want, unless it competes."""
    fitted = fit(items, budget=ROOM, prices=PRICES)

    kept = {item.id for item in fitted.items}
    for section in (section for section in SECTIONS if not SHARE[section].compete):
        mine = [item for item in items if item.section == section]
        if sum(map(words, mine)) <= int(SHARE[section].floor * ROOM):
            assert {item.id for item in mine} <= kept


@given(items_of_any_size)
def test_those_who_compete_share_their_floors(items: list[Item]) -> None:
    """All that competes is kept where it is within the floors of its sections, whatever the others want."""
    fitted = fit(items, budget=ROOM, prices=PRICES)

    rivals = [item for item in items if SHARE[item.section].compete]
    spent = {section: sum(words(item) for item in rivals if item.section == section) for section in SECTIONS}
    if all(spent[section] <= int(SHARE[section].floor * ROOM) for section in SECTIONS):
        assert {item.id for item in rivals} <= {item.id for item in fitted.items}


def test_what_nobody_wants_goes_to_older_messages() -> None:
    """Messages may have half of the room, and more where memories and passages leave it empty."""
    said = [item_of("recent", 99, number) for number in range(10)]
    passages = [item_of("related", 99, number) for number in range(3)]

    assert 10 == len(fit(said, budget=ROOM, prices=PRICES).items)
    assert [5 + 2, 3] == [
        sum(item.section == section for item in fit([*said, *passages], budget=ROOM, prices=PRICES).items)
        for section in ("recent", "related")
    ]


@given(items_of_any_size, st.integers(0, 3000))
def test_recent_messages_are_kept_without_a_gap(items: list[Item], budget: int) -> None:
    """The newest messages are kept in a row; one that does not fit hides the older ones."""
    fitted = fit(items, budget=budget, prices=PRICES)

    said = [item.id for item in items if item.section == "recent"]
    kept = [item.id for item in fitted.items if item.section == "recent"]
    assert kept == said[len(said) - len(kept) :]


@given(st.lists(st.sampled_from(SECTIONS), max_size=12))
def test_what_fits_altogether_loses_nothing(sections: list[Any]) -> None:
    """With room enough nothing is left out."""
    items = [item_of(section, 1, number) for number, section in enumerate(sections)]

    assert fit(items, budget=10_000, prices=PRICES).left_out == ()


def test_a_message_too_long_is_cut_and_says_so() -> None:
    """Where the newest message alone is over the budget, its beginning is given, marked as cut."""
    fitted = fit([item_of("recent", 500, 0), item_of("recent", 5000, 1)], budget=200, prices=PRICES)

    assert [(item.id, item.cut) for item in fitted.items] == [("recent-1", True)]
    assert fitted.tokens <= 200
    assert [(left.id, left.why) for left in fitted.left_out] == [("recent-0", "older")]


def test_what_is_left_out_says_why() -> None:
    """Over the cap and over the budget are different reasons."""
    shares = (Share(section="profile", cap=0.5), Share(section="entities"))
    items = [item_of("profile", 60, 0), item_of("entities", 200, 1)]
    fitted = fit(items, budget=100, prices=PRICES, shares=shares)

    assert [(left.section, left.why) for left in fitted.left_out] == [("profile", "cap"), ("entities", "budget")]


def test_floors_leave_room_for_each_other() -> None:
    """Every section has a share, and the floors together never promise more than there is."""
    assert set(SECTIONS) == {share.section for share in SHARES}
    assert sum(share.floor for share in SHARES) <= 1
    assert all(share.floor <= share.cap <= 1 for share in SHARES)


@given(st.integers(1, 300), st.integers(0, 120))
def test_a_cut_fits_its_space(size: int, space: int) -> None:
    """A cut item costs what it says, within the space it was given."""
    shorter = cut(item_of("summary", size, 0), space, cost=words)

    assert shorter is None or words(shorter) == shorter.tokens <= space


def said_on(day: int, number: int) -> Item:
    at = datetime(2026, 11, day, 9, number, tzinfo=UTC)
    text = f"{number} w w w w w w w w w"
    return Item(
        section="past", kind="message", id=f"m{number}", text=text, role="user", conversation="c", at=at, worth=0.5
    )


def test_another_message_pays_for_the_date_when_the_one_that_paid_is_dropped() -> None:
    """The newest messages come to hold one of three passages of a day: the line of the other two has its date."""
    passages = [said_on(1, number) for number in range(3)]
    # It does not fit the cap of the newest messages, and comes with what nobody else wants.
    again = msgspec.structs.replace(passages[0], section="recent", worth=0.0)
    fitted = fit([again, item_of("recent", 495, 9), *passages], budget=ROOM, prices=Prices(words, lambda _: 3))

    assert ["m1", "m2"] == [item.id for item in fitted.items if item.section == "past"]
    assert [11, 8] == [item.tokens for item in fitted.items if item.section == "past"]
    assert fitted.tokens == sum(item.tokens for item in fitted.items)
