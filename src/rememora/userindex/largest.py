"""The places of the largest of many values, the same on every processor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def largest(values: NDArray[Any], count: int) -> NDArray[np.intp]:
    """Return the places of the `count` largest values in ascending order; of equal ones the first are taken.

    `argpartition` takes any of the equal ones, and which depends on the instructions that a processor has.
    """
    if count >= len(values):
        return np.arange(len(values))
    if count < 1:
        return np.zeros(0, dtype=np.intp)
    split = len(values) - count
    least = np.partition(values, split)[split]
    chosen = values > least
    equal = np.flatnonzero(values == least)[: count - np.count_nonzero(chosen)]
    chosen[equal] = True
    return np.flatnonzero(chosen)
