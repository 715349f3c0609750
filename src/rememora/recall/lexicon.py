"""One user's words: which row holds which token, how often, and which tokens begin alike."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence
from sys import intern
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from rememora.recall.columns import Column, Room, no_room, weight, zeros

_COUNT_BITS = 6
_COUNT_MOST = (1 << _COUNT_BITS) - 1
_KIN_LETTERS = 4
_KIN_SHARE = 0.7
_BYTES_PER_TOKEN = 140
_BYTES_PER_ARRAY = 120
NEW_CELLS = 500_000
"""New cells that are laid down at the least; a user with fewer has each token's apart."""
_NEW_SHARE = 4
_NOTHING = array("I")

Rows = NDArray[np.intp]
Cells = NDArray[np.uint32]
Scores = NDArray[np.float32]


class Lexicon:
    """Rows per token, and tokens per row to take them off again. Row and count share one small integer.

    New rows of a token are in an array of its own; from time to time those of all tokens are laid one after the
    other, where they take four bytes each and may be anywhere.
    """

    def __init__(self, room: Room = no_room) -> None:
        self._room = room
        self._codes: dict[str, int] = {}
        self._tokens: list[str] = []
        self._beginnings: dict[str, list[str]] = {}
        self._new: dict[int, array[int]] = {}
        self._new_cells = 0
        # Of each token that was laid down: where its cells begin, and how many they are.
        self._cells: Cells = np.zeros(0, dtype=np.uint32)
        self._cells_lent = False
        self._laid, self._sizes = Column(np.int64), Column(np.int64)
        # Tokens of each row, one after the other.
        self._held, self._end = Column(np.uint32, room=room), 0
        self._starts, self._counts = Column(np.int64, room=room), Column(np.int32, room=room)

    def add(self, row: int, tokens: Sequence[str]) -> None:
        """Index `tokens` as the words of `row`; rows come in any order, each once."""
        counted = Counter(tokens)
        self._starts.reserve(row + 1)
        self._counts.reserve(row + 1)
        self._starts[row], self._counts[row] = self._end, len(counted)
        codes = array("I", map(self._code, counted))
        self._held.write(self._end, codes)
        self._end += len(codes)
        for code, count in zip(codes, counted.values(), strict=True):
            posting, cell = self._new.get(code), row << _COUNT_BITS | min(count, _COUNT_MOST)
            if posting is None:
                self._new[code] = array("I", (cell,))
            elif posting[-1] > cell:
                insort(posting, cell)
            else:
                posting.append(cell)
        self._new_cells += len(codes)
        if self._new_cells > max(NEW_CELLS, len(self._cells) // _NEW_SHARE):
            self._lay_down()

    def remove(self, row: int) -> None:
        """Forget which tokens `row` holds, and forget tokens that nobody holds any more."""
        start, count = int(self._starts[row]), int(self._counts[row])
        held = self._held.head(start + count)[start:]
        for code in held.tolist():
            if not self._take_new(code, row):
                self._take_laid(code, row)
            if code not in self._new and not self._sizes[code]:
                self._forget(code)
        held[:] = 0
        self._counts[row] = 0

    def _take_new(self, code: int, row: int) -> bool:
        posting = self._new.get(code, _NOTHING)
        place = bisect_left(posting, row << _COUNT_BITS)
        if place == len(posting) or posting[place] >> _COUNT_BITS != row:
            return False
        del posting[place]
        self._new_cells -= 1
        if not posting:
            del self._new[code]
        return True

    def _take_laid(self, code: int, row: int) -> None:
        cells = self._laid_cells(code)
        place = int(np.searchsorted(cells, row << _COUNT_BITS))
        cells[place:-1] = cells[place + 1 :]
        cells[-1] = 0
        self._sizes[code] -= 1

    def _laid_cells(self, code: int) -> Cells:
        start = int(self._laid[code])
        return self._cells[start : start + int(self._sizes[code])]

    def _lay_down(self) -> None:
        """Put all rows of a token beside each other, token after token."""
        tokens = len(self._tokens)
        old = [self._laid_cells(code) for code in range(tokens)]
        sizes = np.array([len(old[code]) + len(self._new.get(code, ())) for code in range(tokens)], dtype=np.int64)
        ends = np.cumsum(sizes)
        cells, self._cells_lent = zeros((int(sizes.sum()),), np.uint32, self._room)
        for code, (laid, end) in enumerate(zip(old, ends.tolist(), strict=True)):
            start = end - int(sizes[code])
            cells[start : start + len(laid)] = laid
            if (posting := self._new.get(code)) is not None:
                cells[start + len(laid) : end] = posting
                if len(laid) and laid[-1] > posting[0]:
                    cells[start:end].sort()
        self._cells, self._new, self._new_cells = cells, {}, 0
        self._laid.write(0, ends - sizes)
        self._sizes.write(0, sizes)

    def state(self) -> dict[str, NDArray[Any]]:
        """All of it, as arrays."""
        self._lay_down()
        tokens = len(self._tokens)
        return {
            "tokens": as_bytes(self._tokens),
            "cells": self._cells,
            "laid": self._laid.head(tokens),
            "sizes": self._sizes.head(tokens),
            "held": self._held.head(self._end),
            "starts": self._starts.head(len(self._starts)),
            "counts": self._counts.head(len(self._counts)),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Be what was saved."""
        self._tokens = from_bytes(state["tokens"])
        self._codes = {token: code for code, token in enumerate(self._tokens) if token}
        for token in self._codes:
            if _has_kin(token):
                self._beginnings.setdefault(token[:_KIN_LETTERS], []).append(token)
        self._cells, self._cells_lent = np.asarray(state["cells"]), isinstance(state["cells"], np.memmap)
        for name, column in (("laid", self._laid), ("sizes", self._sizes), ("held", self._held)):
            column.restore(state[name])
        self._end = len(state["held"])
        self._starts.restore(state["starts"])
        self._counts.restore(state["counts"])

    def _code(self, token: str) -> int:
        code = self._codes.get(token)
        if code is None:
            # People say the same words: one copy serves all users, and goes with the last of them.
            token = intern(token)
            code = self._codes[token] = len(self._tokens)
            self._tokens.append(token)
            self._laid.reserve(code + 1)
            self._sizes.reserve(code + 1)
            if _has_kin(token):
                self._beginnings.setdefault(intern(token[:_KIN_LETTERS]), []).append(token)
        return code

    def _forget(self, code: int) -> None:
        token, self._tokens[code] = self._tokens[code], ""
        del self._codes[token]
        if _has_kin(token):
            self._beginnings[token[:_KIN_LETTERS]].remove(token)

    def words(self, row: int) -> frozenset[int]:
        """Codes of the tokens of a row."""
        start, count = int(self._starts[row]), int(self._counts[row])
        return frozenset(self._held.head(start + count)[start:].tolist())

    def codes(self, tokens: Iterable[str]) -> frozenset[int]:
        """Codes of those tokens that some row holds."""
        return frozenset(code for token in tokens if (code := self._codes.get(token)) is not None)

    def holders(self, code: int) -> int:
        """How many rows hold a token."""
        return len(self._new.get(code, _NOTHING)) + int(self._sizes[code])

    @property
    def held(self) -> KeysView[str]:
        """The tokens that some row holds."""
        return self._codes.keys()

    def cells(self, token: str) -> array[int]:
        """Rows that hold `token` and how often, for `rows_of` and `counts_of`; not to be changed."""
        code = self._codes.get(token)
        new = _NOTHING if code is None else self._new.get(code, _NOTHING)
        if code is None or not self._sizes[code]:
            return new
        cells = array("I")
        cells.frombytes(self._laid_cells(code).tobytes())
        return cells + new

    def kin(self, token: str) -> list[tuple[str, float]]:
        """Other tokens that begin like `token`, with the share of letters they have in common."""
        near = self._beginnings.get(token[:_KIN_LETTERS])
        if not near or not _has_kin(token):
            return []
        return [
            (other, share)
            for other in near
            if other != token and (share := _shared_beginning(token, other)) >= _KIN_SHARE
        ]

    @property
    def nbytes(self) -> int:
        columns = (self._held, self._starts, self._counts, self._laid, self._sizes)
        cells = 4 * self._new_cells + _BYTES_PER_ARRAY * len(self._new)
        cells += weight(self._cells, self._cells_lent)
        return cells + len(self._codes) * _BYTES_PER_TOKEN + sum(column.nbytes for column in columns)


def as_bytes(names: Sequence[str]) -> NDArray[np.uint8]:
    """Names as one array."""
    return np.frombuffer(msgspec.msgpack.encode(names), dtype=np.uint8)


def from_bytes(names: NDArray[np.uint8]) -> list[str]:
    """Names that were made one."""
    return msgspec.msgpack.decode(names.tobytes(), type=list[str])


def _has_kin(token: str) -> bool:
    return len(token) >= _KIN_LETTERS and token.isalpha()


def _shared_beginning(one: str, other: str) -> float:
    shortest, longest = sorted((len(one), len(other)))
    enough = math.ceil(longest * _KIN_SHARE)
    if one[:enough] != other[:enough]:
        return 0.0
    same = next((i for i in range(enough, shortest) if one[i] != other[i]), shortest)
    return same / longest


def rows_of(cells: array[int]) -> Rows:
    """The rows of some cells."""
    rows: Rows = np.right_shift(np.asarray(cells), _COUNT_BITS, dtype=np.intp)
    return rows


def counted(cells: array[int]) -> Iterator[tuple[int, int]]:
    """The rows of some cells one by one, and how often it is said there."""
    return ((cell >> _COUNT_BITS, cell & _COUNT_MOST) for cell in cells)


def counts_of(cells: array[int]) -> Cells:
    """How often each of them is said."""
    counts: Cells = np.bitwise_and(np.asarray(cells), _COUNT_MOST)
    return counts
