"""Names and rows: a table of few bytes answers as a dictionary does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rememora.userindex import id_table
from rememora.userindex.id_table import IdTable

NAMES = st.text(alphabet="abcé\x1f", min_size=1, max_size=4)


@given(st.lists(st.tuples(st.booleans(), NAMES), max_size=300))
def test_places_answer_as_a_dictionary_does(acts: list[tuple[bool, str]]) -> None:
    """Through any putting and taking away, each name has its row and each row its name."""
    places, expected, free = IdTable(), dict[str, int](), list(range(300, 0, -1))
    for put, name in acts:
        if put and name not in expected:
            expected[name] = free.pop()
            places.put(name, expected[name])
        elif not put:
            row = expected.pop(name, None)

            assert row == places.pop(name)
            if row is not None:
                free.append(row)

    assert len(expected) == len(places)
    assert expected == {name: places.get(name) for name in expected}
    assert set(expected) == {places.name(row) for row in expected.values()}
    assert all(places.get(name) is None for _, name in acts if name not in expected)


@given(st.lists(NAMES, unique=True, max_size=40), st.lists(NAMES, max_size=30), NAMES, st.sampled_from([0, 512]))
def test_names_that_came_together_answer_as_a_dictionary_does(
    names: list[str], query: list[str], gone: str, few: int
) -> None:
    """Listed or entered, looked for a few times or often, before and after one of them is taken away."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(id_table, "_FEW_LISTED", few)
        places, expected = IdTable(), {name: row for row, name in enumerate(names)}
        places.put_many(names, 0)
        values = [places.get(name) for name in query]
        items = [places.name(row) for row in range(len(names) + 1)]
        taken = places.pop(gone)

    assert [expected.get(name) for name in query] == values
    assert [*names, ""] == items
    assert expected.pop(gone, None) == taken
    assert expected == {name: places.get(name) for name in expected}
    assert (len(expected), None) == (len(places), places.get(gone))


def test_a_name_that_is_taken_away_leaves_no_byte() -> None:
    """Neither in the names nor through the table's growing."""
    places = IdTable()
    for row in range(200):
        places.put(f"secret{row}", row)
    for row in range(100):
        places.pop(f"secret{row}")

    assert b"secret50" not in places._names.head(len(places._names)).tobytes()
    assert b"secret150" in places._names.head(len(places._names)).tobytes()
