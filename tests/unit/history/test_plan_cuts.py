"""The plan of episodes: one for each multiple, whatever the steps in which turns arrive."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.looped import looped

from rememora.errors import InvalidInput
from rememora.history.episodes import Cuts, EpisodeText, plan_cuts

COUNTS = st.integers(0, 10_000)


@looped(
    ("turns", "cut", "answered", "expected"),
    [
        (9, 0, True, Cuts()),
        (10, 0, True, Cuts((10,))),
        (10, 0, False, Cuts((), later=True)),
        (11, 0, False, Cuts((10,))),
        (10, 10, True, Cuts()),
        (19, 10, True, Cuts()),
        (25, 0, False, Cuts((10, 20))),
        (30, 10, False, Cuts((20,), later=True)),
        (20, 14, True, Cuts((20,))),
    ],
)
def test_a_multiple_is_cut_once_it_is_answered(turns: int, cut: int, answered: bool, expected: Cuts) -> None:
    """A multiple that the user's message reaches waits; any later turn, or an answer, cuts it."""
    assert expected == plan_cuts(turns, cut, threshold=10, answered=answered)


@given(
    steps=st.lists(st.tuples(st.integers(1, 600), st.booleans()), min_size=1, max_size=30),
    threshold=st.integers(2, 1000),
)
def test_each_multiple_exactly_once(steps: list[tuple[int, bool]], threshold: int) -> None:
    """Cut after every step and finished by the worker, the episodes are the multiples, each one once, in order."""
    turns, made = 0, [0]
    for more, answered in steps:
        turns += more
        made += plan_cuts(turns, made[-1], threshold=threshold, answered=answered).now
    while rest := plan_cuts(turns, made[-1], threshold=threshold, answered=True).now:
        made += rest

    assert list(range(0, turns + 1, threshold)) == made


@given(
    turns=st.integers(0, 10_000),
    cut=st.integers(0, 10_000),
    threshold=st.integers(2, 1000),
    answered=st.booleans(),
)
def test_what_is_left_is_noted(turns: int, cut: int, threshold: int, answered: bool) -> None:
    """Whenever a complete multiple is not cut now, the plan says that it is left for later."""
    plan = plan_cuts(turns, cut, threshold=threshold, answered=answered)
    complete = [end for end in range(threshold, turns + 1, threshold) if end > cut]

    assert complete[: len(plan.now)] == list(plan.now)
    assert plan.later == (len(complete) > len(plan.now))


@pytest.mark.parametrize("body", [{"title": ""}, {"title": "a" * 256}, {"summary": " "}, {"summary": "a\x00"}])
def test_what_the_caller_says_is_checked(body: dict[str, Any]) -> None:
    """A title or summary that cannot be stored is refused by the name of its field."""
    with pytest.raises(InvalidInput) as refused:
        EpisodeText(**body)

    assert [refused.value.field] == list(body)
