"""The words of rows that were loaded together, as the one text they were stored in, and searched in it."""

from __future__ import annotations

from array import array
from bisect import bisect_right

import numpy as np
from numpy.typing import NDArray

from rememora.userindex.features import BETWEEN

_BYTES_BESIDE = 300


class WordText:
    """Tokens of rows from the first one on, each row's one after the other; nothing is worked out until asked.

    For a small user this is less work than one table of all words, of which a question needs a handful.
    """

    def __init__(self, sizes: NDArray[np.int64], text: str, counts: NDArray[np.uint8]) -> None:
        """Take how many tokens each row has, the tokens of all, and how often each is said in its row."""
        self.sizes, self.counts = sizes, counts
        # One count is read ten times as fast this way as through numpy.
        self._counts = counts.data
        self._ends: list[int] = np.cumsum(sizes).tolist()
        # Each token has one of them before and after it.
        self._text = f"{BETWEEN}{text}{BETWEEN}"

    @property
    def tokens(self) -> list[str]:
        """All tokens, in their order."""
        return self._text[1:-1].split(BETWEEN) if len(self.counts) else []

    @property
    def nbytes(self) -> int:
        """About how much memory it takes."""
        return len(self._text) + 9 * len(self._ends) + len(self.counts) + _BYTES_BESIDE

    def holds(self, token: str) -> bool:
        """Return whether some row has a token."""
        return bool(token) and f"{BETWEEN}{token}{BETWEEN}" in self._text

    def cells(self, token: str, *, bits: int) -> array[int]:
        """Rows that have a token, in ascending order, each with its count there in the lowest `bits`."""
        wanted = f"{BETWEEN}{token}{BETWEEN}"
        text, ends, counts, found = self._text, self._ends, self._counts, array("I")
        seen, place, most = 0, 0, (1 << bits) - 1
        at = text.find(wanted) if token else -1
        while at >= 0:
            place += text.count(BETWEEN, seen, at)
            found.append(bisect_right(ends, place) << bits | min(counts[place], most))
            seen, at = at, text.find(wanted, at + 1)
        return found

    def row(self, number: int) -> list[str]:
        """Return the tokens of a row."""
        end = self._ends[number]
        return self.tokens[end - int(self.sizes[number]) : end]

    def beginning(self, letters: str) -> list[str]:
        """Return the tokens that begin with some letters, in the order in which they were first said."""
        text, wanted = self._text, BETWEEN + letters
        found: dict[str, None] = {}
        at = text.find(wanted)
        while at >= 0:
            end = text.index(BETWEEN, at + 1)
            found[text[at + 1 : end]] = None
            at = text.find(wanted, end)
        return list(found)
