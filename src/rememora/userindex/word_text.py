"""The words of rows that were loaded together, as they were stored: marks to look words up by, and their text."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rememora.userindex.features import BETWEEN
from rememora.userindex.marks import mark_of_token

_BYTES_BESIDE: Final = 300
_BETWEEN: Final = BETWEEN.encode()
_SHORT: Final = 32_768
"""Bytes of a text up to which it costs less to search all of it for a token than to look where marks say."""


class WordText:
    """Tokens of rows from the first one on, each row's one after the other; nothing is worked out until asked.

    A token is found by its mark, one comparison of small numbers with all of them, and told from another of the
    same mark by its text. For a first question this is less work than a table of all words: it needs a handful.
    """

    def __init__(
        self,
        sizes: NDArray[np.int64],
        text: bytes,
        counts: NDArray[np.uint8],
        marks: NDArray[np.uint32],
        lengths: NDArray[np.int64],
    ) -> None:
        """Take how many tokens each row has and how long their text is, and of each token count and mark."""
        self.sizes, self.counts = sizes, counts
        self._marks, self._lengths = marks, lengths
        self._ends = np.cumsum(sizes)
        # Each token has one of them before and after it.
        self._text = b"%b%b%b" % (_BETWEEN, text, _BETWEEN)

    def __len__(self) -> int:
        return len(self._text)

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        """Where the text of each row begins; of a row without tokens, anywhere."""
        lengths = self._lengths
        return np.cumsum(np.where(lengths > 0, lengths + 1, 0)) - lengths

    @property
    def tokens(self) -> list[str]:
        """All tokens, in their order."""
        return self._text[1:-1].decode().split(BETWEEN) if len(self.counts) else []

    @property
    def nbytes(self) -> int:
        """About how much memory it takes."""
        bookkeeping = 5 * len(self.counts) + 32 * len(self.sizes)
        return len(self._text) + bookkeeping + _BYTES_BESIDE

    def holds(self, token: str) -> bool:
        """Return whether some row has a token."""
        if len(self._text) <= _SHORT:
            return bool(token) and _written(token) in self._text
        places = self._marked(token)
        if not len(places):
            return False
        first = int(self._ends.searchsorted(places[0], side="right"))
        return self._are(token, [first]) or len(self._places(token)[0]) > 0

    def cells(self, token: str, *, bits: int) -> array[int]:
        """Rows that have a token, in ascending order, each with its count there in the lowest `bits`."""
        numbers = array("I")
        places, rows = self._places(token)
        if len(places):
            cells = rows << bits | np.minimum(self.counts[places], (1 << bits) - 1)
            numbers.frombytes(cells.astype(np.uint32).tobytes())
        return numbers

    def _marked(self, token: str) -> NDArray[np.intp]:
        """Which of all tokens have the mark of this one."""
        places: NDArray[np.intp] = (self._marks == mark_of_token(token)).nonzero()[0]
        return places

    def _places(self, token: str) -> tuple[NDArray[Any], NDArray[Any]]:
        """Which of all tokens are this one, and in which rows they are."""
        places = self._marked(token)
        rows = self._ends.searchsorted(places, side="right")
        if len(places) and not self._hold(token, rows.tolist()):
            first = (self._ends - self.sizes)[rows]
            same = [
                self.row(row)[place] == token
                for row, place in zip(rows.tolist(), (places - first).tolist(), strict=True)
            ]
            return places[same], rows[same]
        return places, rows

    def _hold(self, token: str, rows: Sequence[int]) -> bool:
        """Check whether all that have the mark of a token, one in each of these rows, are the token."""
        # Two tokens beside each other share what is between them, and one of them is not counted: never too many.
        if len(self._text) <= _SHORT and self._text.count(_written(token)) == len(rows):
            return True
        return self._are(token, rows)

    def _are(self, token: str, rows: Sequence[int]) -> bool:
        """Check whether each of some rows has a token and none of them stands there twice, for another's mark."""
        needle, text = _written(token), self._text
        starts = self._starts[rows]
        ends = (starts + self._lengths[rows]).tolist()
        return len({*rows}) == len(rows) and all(
            text.find(needle, start - 1, end + 1) >= 0 for start, end in zip(starts.tolist(), ends, strict=True)
        )

    def row(self, number: int) -> list[str]:
        """Return the tokens of a row."""
        start, length = int(self._starts[number]), int(self._lengths[number])
        return self._text[start : start + length].decode().split(BETWEEN) if self.sizes[number] else []

    def beginning(self, letters: str) -> list[str]:
        """Return the tokens that begin with some letters, in the order in which they were first said."""
        text, needle = self._text, _BETWEEN + letters.encode()
        tokens: dict[bytes, None] = {}
        at = text.find(needle)
        while at >= 0:
            end = text.index(_BETWEEN, at + 1)
            tokens[text[at + 1 : end]] = None
            at = text.find(needle, end)
        return [token.decode() for token in tokens]


def _written(token: str) -> bytes:
    """A token with what is before and after it in a text."""
    return b"%b%b%b" % (_BETWEEN, token.encode(), _BETWEEN)
