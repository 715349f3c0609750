"""Words and meaning brought to one scale and added up so that each part stays visible."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32]
IdTable = NDArray[np.intp]

# Cosines that differ by less differ by nothing: divided by it, a score would have no end.
_LEAST_APART = 1e-30


def of_words(scores: Scores, full: float, coverage: float) -> Scores:
    """Between the best match (`coverage` 0) and the full match (`coverage` 1): a weak best stays weak."""
    best = float(scores.max()) if len(scores) else 0.0
    if best <= 0.0:
        return scores
    return scores / np.float32(best ** (1 - coverage) * max(full, best) ** coverage)


def of_meaning(cosines: Scores, counted: NDArray[np.bool_], most: float) -> Scores:
    """0 for what has nothing in common, `most` for the nearest row that counts; 0 for rows that do not count."""
    near = cosines if np.count_nonzero(counted) == len(counted) else cosines[counted]
    if not len(near):
        return np.zeros_like(cosines)
    # Among few rows the farthest may be close: what has nothing in common lies at 0 or below.
    low, high = min(float(near.min()), 0.0), float(near.max())
    if high - low < _LEAST_APART:
        return np.zeros_like(cosines)
    scaled = (cosines - np.float32(low)) * np.float32(most / (high - low))
    return scaled if len(near) == len(cosines) else np.where(counted, scaled, np.float32(0))


STEPS = np.float32(1 << 17)
"""Steps of a point that scores are told apart by.

Sums of floats end in other digits on another processor: what differs by less is equal.
"""


def _rounded(scores: Scores) -> Scores:
    """Return the steps of each score; whole numbers of this size are exact."""
    steps: Scores = np.rint(scores * STEPS)
    return steps


class ScoreBoard:
    """A running score per row that remembers what each ingredient added or took."""

    def __init__(self) -> None:
        self.parts: dict[str, Scores] = {}
        self.total: Scores = np.zeros(0, dtype=np.float32)
        # From 0 to 1: of equal rows the newer leads, of these the first.
        self.newness: NDArray[np.float64] | float = 0.0
        self._order: IdTable | None = None
        self._left_out = 0

    @property
    def order(self) -> IdTable:
        """The places of the rows, best first, without those that were left out."""
        if self._order is None:
            # Below one step, so that it only parts what is equal.
            leading = _rounded(self.total) + 0.5 * self.newness
            self._order = (-leading).argsort(kind="stable")[: len(self.total) - self._left_out]
        return self._order

    def scores(self, rows: IdTable) -> Scores:
        """Return the scores of `rows` as they are put in order by."""
        return _rounded(self.total[rows]) / STEPS

    def leave_out(self, which: NDArray[np.bool_]) -> None:
        """Have some rows in no order; whatever they would gain is lost on them."""
        self._left_out = int(np.count_nonzero(which))
        if self._left_out:
            # Behind all others, whose scores are never below 0.
            self.total[which] = -1
            self._order = None

    def plus(self, name: str, amount: Scores) -> None:
        """Add `amount` under `name`."""
        self.parts[name] = amount
        self.total = self.total + amount if len(self.total) else amount
        self._order = None

    def gain(self, name: str, share: Scores) -> None:
        """Add that `share` of what there is, and note it under `name`."""
        self.plus(name, self.total * share)

    def explain(self, rows: IdTable) -> list[dict[str, float]]:
        """Explain the score of each of `rows`, part by part; the parts add up to it."""
        amounts = zip(*(part[rows].tolist() for part in self.parts.values()), strict=True)
        return [{name: part for name, part in zip(self.parts, amount, strict=True) if part} for amount in amounts]
