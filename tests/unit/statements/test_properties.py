"""Laws of the pure pieces of statements, for any text: what is not meant stays to the letter."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from tests.unit.statements.texts import (
    HEADINGS,
    anything,
    digits,
    doings,
    people,
    phones,
    things,
    words,
)

from rememora.language.parsed import parse_text
from rememora.statements.contacts import without_contact
from rememora.statements.items import items_of, meant_item, things_of, without_item, without_items
from rememora.statements.values import values_of

KINDS = {"email", "phone", "date", "time", "weekday", "figure", "name"}
WISHES = ("esquece o telefone", "forget the phone number", "borra el número")
TOLD = (
    ("o telefone da {} é ", "esquece o telefone", " e ela "),
    ("{}'s phone is ", "forget the phone", " and she "),
    ("el teléfono de {} es ", "borra el teléfono", ", y ella "),
)
"""Clauses that tell a number, the wish that it goes, and how what is told beside it begins."""
quick = settings(max_examples=60, deadline=None)


def listing(heading: str, some: list[str], joint: str) -> str:
    """A list after a colon, its last two things joined by a word or a comma."""
    return f"{heading}: {', '.join(some[:-1])}{joint}{some[-1]}"


lists = st.builds(
    listing, st.sampled_from(HEADINGS), things, st.sampled_from((", ", " e ", " and ", " y ", " ou ", ", and "))
)


class TestItems:
    """Lists inside a statement."""

    @quick
    @given(st.sampled_from(HEADINGS), things, st.sampled_from((", ", " e ", " and ", " y ")))
    def test_a_list_has_the_things_that_it_was_made_of(self, heading: str, some: list[str], joint: str) -> None:
        text = listing(heading, some, joint)

        assert some == [item.text for item in items_of(text)]
        assert some == things_of(text, items_of(text))

    @quick
    @given(lists, st.data())
    def test_taking_one_thing_off_leaves_every_other_to_the_letter(self, text: str, data: st.DataObject) -> None:
        """In its order and behind its heading."""
        items = items_of(text)
        place = data.draw(st.integers(0, len(items) - 1))
        left = without_item(text, items, place)
        others = [item.text for at, item in enumerate(items) if at != place]

        assert f"{text[: items[0].start]}{', '.join(others)}" == left
        assert items[place].text not in left.removeprefix(text[: items[0].start]).split(", ")

    @quick
    @given(lists, st.data())
    def test_things_go_together_as_they_go_one_by_one(self, text: str, data: st.DataObject) -> None:
        items = items_of(text)
        assume(len(items) > 3)
        one, other = sorted(data.draw(st.sets(st.integers(0, len(items) - 1), min_size=2, max_size=2)))
        once = without_item(text, items, other)

        assert without_item(once, items_of(once), one) == without_items(text, items, {one, other})
        assert sorted(item.text for item in items) == sorted(
            item.text for item in items_of(without_items(text, items, ()))
        )

    @quick
    @given(lists, st.sampled_from(("tira {} da lista", "take {} off the list", "quita {} de la lista")), st.data())
    def test_a_thing_is_meant_by_its_name(self, text: str, wish: str, data: st.DataObject) -> None:
        items = items_of(text)
        place = data.draw(st.integers(0, len(items) - 1))

        assert place == meant_item(text, parse_text(wish.format(items[place].text)), items)

    @quick
    @given(anything)
    def test_things_stand_where_they_say(self, text: str) -> None:
        """In order, none inside another; and nothing is made up."""
        items = items_of(text)

        assert all(item.text == text[item.start : item.end].strip(" .") for item in items)
        assert all(one.end <= other.start for one, other in pairwise(items))
        if items:
            assert Counter(words(without_item(text, items, 0))) <= Counter(words(text))


class TestContacts:
    """Phone numbers that go, and what stays."""

    @quick
    @given(people, doings, phones, st.sampled_from(TOLD))
    def test_a_number_that_is_told_goes_and_what_follows_is_told_of_its_owner(
        self, person: str, doing: str, phone: str, frame: tuple[str, str, str]
    ) -> None:
        opening, wish, joint = frame
        text = f"{opening.format(person)}{phone}{joint}{doing}"

        assert f"{person} {doing}" == without_contact(text, parse_text(wish))

    @quick
    @given(anything, phones, anything, st.sampled_from(WISHES))
    @example("a Bia, ", "99999-1234", " e o resto", WISHES[0])
    @example("", "11 90000-1000", "0a0", WISHES[0])
    def test_no_figure_of_the_number_stays_and_no_word_is_added(
        self, before: str, phone: str, after: str, wish: str
    ) -> None:
        """Whatever stands around it; a name takes at most the place of a pronoun."""
        text = f"{before} {phone} {after}"
        numbers = [value for value in values_of(text) if value.kind == "phone"]
        left = without_contact(text, parse_text(wish))
        assume(left is not None and len(numbers) == 1)
        assert left is not None

        assert digits(numbers[0].text) not in digits(left)
        assert set(words(left)) <= set(words(text))

    @quick
    @given(anything, st.sampled_from(WISHES))
    def test_without_a_number_nothing_goes(self, text: str, wish: str) -> None:
        assume(not any(value.kind == "phone" for value in values_of(text)))

        assert without_contact(text, parse_text(wish)) is None


class TestValues:
    """Values of a statement."""

    @quick
    @given(anything)
    @example("Dr. O'Neil's at 5 May, 11:30 or +55 (81) 99999-1234, ana@x.example")
    def test_values_stand_at_their_spans(self, text: str) -> None:
        """In order, each of a known kind, none inside another."""
        values = values_of(text)

        assert all(value.text == text[value.start : value.end] for value in values)
        assert all(value.start < value.end and value.kind in KINDS for value in values)
        assert all(one.end <= other.start for one, other in pairwise(values))
        assert values == values_of(text)

    @quick
    @given(people, phones, st.integers(10, 28), st.sampled_from(("às {}h", "at {}:30", "dia {}")))
    def test_a_value_is_found_wherever_it_stands(self, person: str, phone: str, number: int, when: str) -> None:
        text = f"quem atende é {person}, {phone}, {when.format(number)}"
        by_kind = {value.kind: value for value in values_of(text)}

        assert phone == by_kind["phone"].text
        assert person == by_kind["name"].text
        assert str(number) in by_kind["date" if "dia" in when else "time"].text
