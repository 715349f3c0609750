"""A running score: its parts add up, and what is left out stays behind whatever it would gain."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from rememora.recall.fuse import Tally


def scores(*values: float) -> NDArray[np.float32]:
    return np.array(values, dtype=np.float32)


@pytest.fixture
def tally() -> Tally:
    """Four rows, of which the last is the best."""
    made = Tally()
    made.plus("words", scores(0.1, 0.3, 0.2, 0.4))
    made.plus("meaning", scores(0.1, 0.0, 0.2, 0.3))
    return made


def test_the_parts_of_each_row_add_up_to_its_score(tally: Tally) -> None:
    """What adds nothing is not named."""
    tally.gain("recency", scores(0, 0.5, 0, 1))
    best = tally.order[:2]
    explained = tally.explain(best)

    assert [3, 1] == best.tolist()
    assert [["words", "meaning", "recency"], ["words", "recency"]] == [[*parts] for parts in explained]
    assert tally.total[best].tolist() == pytest.approx([sum(parts.values()) for parts in explained])


def test_what_is_left_out_comes_in_no_order(tally: Tally) -> None:
    """Neither before a gain nor after one."""
    tally.leave_out(np.array([False, False, True, True]))
    before = tally.order.tolist()
    tally.gain("recency", scores(0.1, 0.1, 9, -1))

    assert [1, 0] == before == tally.order.tolist()


def test_a_row_without_a_score_is_not_left_out_by_that(tally: Tally) -> None:
    """Who has lost everything still comes before those who never were in question."""
    tally.leave_out(np.array([True, False, False, True]))
    tally.gain("superseded", scores(0, -1, 0, 0))

    assert [2, 1] == tally.order.tolist()


def test_nothing_is_left_out_of_nothing() -> None:
    """A shelf may have no row in question."""
    tally = Tally()
    tally.plus("words", scores())
    tally.leave_out(np.zeros(0, dtype=np.bool_))

    assert [] == tally.order.tolist()
    assert [] == tally.explain(tally.order)
