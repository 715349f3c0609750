"""Who comes before and after whom, whatever the order of writing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rememora.userindex.neighbours import NOBODY, Neighbours


@given(st.permutations(range(8)), st.sets(st.integers(0, 7)))
def test_neighbours_follow_positions_through_any_order_of_writes(order: list[int], gone: set[int]) -> None:
    """Rows written in any order and partly removed are linked as their positions say."""
    neighbours = Neighbours()
    for position in order:
        neighbours.add(position, 1, position)
    for position in gone:
        neighbours.remove(position, 1)
    left = [position for position in range(8) if position not in gone]

    assert [NOBODY, *left[:-1]] == [int(neighbours.before(8)[row]) for row in left] or not left
    assert [*left[1:], NOBODY] == [int(neighbours.after(8)[row]) for row in left] or not left


def test_conversations_are_not_linked_and_a_row_without_position_is_its_own_neighbour() -> None:
    """A memory stands alone; two conversations end where they end."""
    neighbours = Neighbours()
    neighbours.add(0, 1, 0)
    neighbours.add(1, 2, 0)
    neighbours.add(2, 2, None)

    assert neighbours.before(3).tolist() == [NOBODY, NOBODY, 2]
    assert neighbours.after(3).tolist() == [NOBODY, NOBODY, 2]
