"""The largest values are the same ones on every processor."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rememora.userindex.largest import largest


@given(values=st.lists(st.integers(0, 5), max_size=40), count=st.integers(0, 45))
def test_the_largest_are_those_that_sorting_puts_first(values: list[int], count: int) -> None:
    """As sorting does it, of equal values the first are taken."""
    column = np.array(values, dtype=np.float32)
    first = sorted(range(len(values)), key=lambda place: -values[place])[:count]

    assert sorted(first) == largest(column, count).tolist()


@pytest.mark.parametrize("size", [300, 5_000])
def test_equal_values_are_taken_from_the_beginning(size: int) -> None:
    """Many equal values are where `argpartition` takes others with other instructions."""
    values = np.zeros(size, dtype=np.float32)
    values[-1] = 1

    assert [0, 1, 2, size - 1] == largest(values, 4).tolist()
