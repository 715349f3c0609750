"""The words of rows that were loaded together, as the one text they were stored in, and searched in it."""

from __future__ import annotations

from array import array
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rememora.userindex.features import BETWEEN

_BYTES_BESIDE = 300
_BETWEEN = BETWEEN.encode()


class WordText:
    """Tokens of rows from the first one on, each row's one after the other; nothing is worked out until asked.

    For a first question this is less work than one table of all words, of which it needs a handful.
    """

    def __init__(self, sizes: NDArray[np.int64], text: bytes, counts: NDArray[np.uint8]) -> None:
        """Take how many tokens each row has, the tokens of all, and how often each is said in its row."""
        self.sizes, self.counts = sizes, counts
        self._ends = np.cumsum(sizes)
        # Each token has one of them before and after it.
        self._text = b"%b%b%b" % (_BETWEEN, text, _BETWEEN)

    def __len__(self) -> int:
        return len(self._text)

    @cached_property
    def _gaps(self) -> NDArray[np.int64]:
        """Where one token ends and the next begins: before the first, between any two, and after the last."""
        return np.flatnonzero(np.frombuffer(self._text, dtype=np.uint8) == ord(BETWEEN))

    @property
    def tokens(self) -> list[str]:
        """All tokens, in their order."""
        return self._text[1:-1].decode().split(BETWEEN) if len(self.counts) else []

    @property
    def nbytes(self) -> int:
        """About how much memory it takes."""
        beside = 9 * len(self.counts) + 16 * len(self.sizes)
        return len(self._text) + beside + _BYTES_BESIDE

    def holds(self, token: str) -> bool:
        """Return whether some row has a token."""
        return bool(token) and b"%b%b%b" % (_BETWEEN, token.encode(), _BETWEEN) in self._text

    def cells(self, token: str, *, bits: int) -> array[int]:
        """Rows that have a token, in ascending order, each with its count there in the lowest `bits`."""
        found = array("I")
        at = self._places(token)
        if at:
            places = np.searchsorted(self._gaps, at)
            rows = np.searchsorted(self._ends, places, side="right")
            cells = rows << bits | np.minimum(self.counts[places], (1 << bits) - 1)
            found.frombytes(cells.astype(np.uint32).tobytes())
        return found

    def _places(self, token: str) -> list[int]:
        """Where in the text a token stands, with what is before it."""
        wanted = b"%b%b%b" % (_BETWEEN, token.encode(), _BETWEEN)
        text, found, step = self._text, list[int](), len(wanted) - 1
        at = text.find(wanted) if token else -1
        while at >= 0:
            found.append(at)
            # What ends one token begins the next.
            at = text.find(wanted, at + step)
        return found

    def row(self, number: int) -> list[str]:
        """Return the tokens of a row."""
        end, size = int(self._ends[number]), int(self.sizes[number])
        if not size:
            return []
        start, stop = int(self._gaps[end - size]), int(self._gaps[end])
        return self._text[start + 1 : stop].decode().split(BETWEEN)

    def beginning(self, letters: str) -> list[str]:
        """Return the tokens that begin with some letters, in the order in which they were first said."""
        text, wanted = self._text, _BETWEEN + letters.encode()
        found: dict[bytes, None] = {}
        at = text.find(wanted)
        while at >= 0:
            end = text.index(_BETWEEN, at + 1)
            found[text[at + 1 : end]] = None
            at = text.find(wanted, end)
        return [token.decode() for token in found]
