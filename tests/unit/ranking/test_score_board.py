"""A running score: its parts add up, and what is left out stays behind whatever it would gain."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from rememora.ranking.fuse import ScoreBoard


def scores(*values: float) -> NDArray[np.float32]:
    return np.array(values, dtype=np.float32)


@pytest.fixture
def board() -> ScoreBoard:
    """Four rows, of which the last is the best."""
    made = ScoreBoard()
    made.plus("words", scores(0.1, 0.3, 0.2, 0.4))
    made.plus("meaning", scores(0.1, 0.0, 0.2, 0.3))
    return made


def test_the_parts_of_each_row_add_up_to_its_score(board: ScoreBoard) -> None:
    """What adds nothing is not named."""
    board.gain("recency", scores(0, 0.5, 0, 1))
    best = board.order[:2]
    explained = board.explain(best)

    assert [3, 1] == best.tolist()
    assert [["words", "meaning", "recency"], ["words", "recency"]] == [[*parts] for parts in explained]
    assert board.total[best].tolist() == pytest.approx([sum(parts.values()) for parts in explained])


def test_what_differs_in_the_last_digits_is_equal() -> None:
    """Equal rows are ordered newest first, then by place, whatever the last digit of their sums is."""
    for noise in (0, 3e-7, -3e-7):
        board = ScoreBoard()
        board.plus("words", scores(0.5, 0.5 + noise, 0.5 - noise, 0.7))
        board.newness = np.array([0.2, 0.9, 0.2, 0.0])

        assert [3, 1, 0, 2] == board.order.tolist()
        assert len({*board.scores(board.order[1:]).tolist()}) == 1


def test_what_differs_is_told_apart() -> None:
    """A newer row does not pass one that is better by little."""
    board = ScoreBoard()
    board.plus("words", scores(0.50002, 0.5))
    board.newness = np.array([0.0, 1.0])

    assert [0, 1] == board.order.tolist()


def test_what_is_left_out_comes_in_no_order(board: ScoreBoard) -> None:
    """Neither before a gain nor after one."""
    board.leave_out(np.array([False, False, True, True]))
    before = board.order.tolist()
    board.gain("recency", scores(0.1, 0.1, 9, -1))

    assert [1, 0] == before == board.order.tolist()


def test_a_row_without_a_score_is_not_left_out_by_that(board: ScoreBoard) -> None:
    """Who has lost everything still comes before those who never were in question."""
    board.leave_out(np.array([True, False, False, True]))
    board.gain("superseded", scores(0, -1, 0, 0))

    assert [2, 1] == board.order.tolist()


def test_nothing_is_left_out_of_nothing() -> None:
    """A index may have no row in question."""
    board = ScoreBoard()
    board.plus("words", scores())
    board.leave_out(np.zeros(0, dtype=np.bool_))

    assert [] == board.order.tolist()
    assert [] == board.explain(board.order)
