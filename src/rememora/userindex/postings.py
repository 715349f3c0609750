"""One user's words: which row holds which token, how often, and which tokens begin alike."""

from __future__ import annotations

import math
import sys
from array import array
from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import count as upwards
from itertools import islice
from sys import intern
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from rememora.userindex.columns import Column, Room, no_room, weight, zeros
from rememora.userindex.word_text import WordText

_COUNT_BITS = 6
_COUNT_MOST = (1 << _COUNT_BITS) - 1
_KIN_LETTERS = 4
_KIN_SHARE = 0.7
_BYTES_PER_TOKEN = 140
_BYTES_PER_ARRAY = 120
NEW_CELLS = 500_000
"""Minimum number of new cells for one shared array; a smaller user has an array per token."""
_NEW_SHARE = 4
TEXT_LETTERS = 32_768
"""Letters of all words up to which they are left in one text: searched for a word in some microseconds."""
TEXT_LOOKS = 48
"""How often a longer text is searched before all words are entered: about as often as one question looks."""
MANY = 8
"""Rows from which it costs less to go once through all that is laid down than to look for each of their tokens."""
_SMALL = 1 << 16
_NOTHING = array("I")
_NO_CELLS: NDArray[np.uint32] = np.zeros(0, dtype=np.uint32)
# After all letters that a token may have.
_LAST_LETTER = chr(sys.maxunicode)

Rows = NDArray[np.intp]
Cells = NDArray[np.uint32]
Scores = NDArray[np.float32]


class Postings:
    """Rows per token, and tokens per row to take them off again. Row and count share one small integer.

    New rows of a token are in an array of its own; from time to time those of all tokens are laid one after the
    other, where they take four bytes each and may be anywhere. The few words of a small user are left in the text
    that they were loaded with until something changes.
    """

    def __init__(self, room: Room = no_room) -> None:
        self._room = room
        self._text: WordText | None = None
        self._looks = 0
        self._codes: dict[str, int] = {}
        self._tokens: list[str] = []
        # All tokens in the order of the alphabet, from the first question on: those that begin alike are together.
        self._ordered: list[str] | None = None
        self._new: dict[int, array[int]] = {}
        self._new_cells = 0
        # Of each token that was laid down: where its cells begin, and how many they are.
        self._cells: Cells = _NO_CELLS
        self._cells_lent = False
        # Cells among those laid down that hold nothing any more.
        self._gaps = 0
        self._end = 0

    # Nothing of this is there while words are left in their text.
    @cached_property
    def _laid(self) -> Column:
        return Column(np.int64)

    @cached_property
    def _sizes(self) -> Column:
        return Column(np.int64)

    @cached_property
    def _held(self) -> Column:
        """Tokens of each row, one after the other."""
        return Column(np.uint32, room=self._room)

    @cached_property
    def _starts(self) -> Column:
        return Column(np.int64, room=self._room)

    @cached_property
    def _counts(self) -> Column:
        return Column(np.int32, room=self._room)

    def add(self, row: int, tokens: Sequence[str]) -> None:
        """Index `tokens` as the words of `row`; rows come in any order, each once."""
        self._enter_text()
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

    def add_many(self, start: int, words: WordText) -> None:
        """Index the words of new rows, from `start` on."""
        if not start and not self._tokens and self._text is None:
            self._text, self._looks = words, 0
            return
        self._enter_text()
        self._enter_many(start, words)

    def _enter_text(self) -> None:
        """Enter what is still a text: from now on rows come and go."""
        if self._text is not None:
            words, self._text = self._text, None
            self._enter_many(0, words)

    @property
    def in_text(self) -> bool:
        """Return whether words are still in the text that they were loaded with."""
        return self._text is not None

    def _searched(self) -> WordText | None:
        """The text, where words are still looked for in it: a long one serves a first question and no second."""
        text = self._text
        if text is not None and len(text) > TEXT_LETTERS:
            self._looks += 1
            if self._looks > TEXT_LOOKS:
                self._enter_text()
                return None
        return text

    def _enter_many(self, start: int, texts: WordText) -> None:
        tokens, sizes = texts.tokens, texts.sizes
        # Unknown tokens get the next codes, in one pass.
        known = defaultdict(upwards(len(self._tokens)).__next__, self._codes)
        codes = np.fromiter(map(known.__getitem__, tokens), np.uint32, len(tokens))
        self._enter(islice(known, len(self._codes), None))
        end, rows = self._end + len(codes), start + len(sizes)
        for column, values, until in (
            (self._held, codes, end),
            (self._starts, self._end + np.cumsum(sizes) - sizes, rows),
            (self._counts, sizes, rows),
        ):
            column.fill(until - len(values), until, values)
        self._end = end
        numbers = np.repeat(np.arange(start, rows, dtype=np.uint32), sizes)
        self._post(codes, numbers << np.uint32(_COUNT_BITS) | np.minimum(texts.counts, np.uint8(_COUNT_MOST)))

    def _post(self, codes: Cells, cells: Cells) -> None:
        """Put cells of new rows, in the order of their rows, behind those that their tokens have."""
        if not len(codes):
            return
        # Small numbers are put in order without comparing them.
        small = codes.astype(np.uint16) if len(self._tokens) <= _SMALL else codes
        order = np.argsort(small, kind="stable")
        if not len(self._cells) and not self._new:
            self._lay_first(codes, cells[order])
            return
        sorted_codes, sorted_cells = codes[order], cells[order].tobytes()
        starts = np.flatnonzero(np.diff(sorted_codes, prepend=np.int64(-1))).tolist()
        for start, end, code in zip(
            starts, [*starts[1:], len(sorted_codes)], sorted_codes[starts].tolist(), strict=True
        ):
            posting = self._new.setdefault(code, array("I"))
            posting.frombytes(sorted_cells[4 * start : 4 * end])
        self._new_cells += len(cells)
        if self._new_cells > max(NEW_CELLS, len(self._cells) // _NEW_SHARE):
            self._lay_down()

    def _lay_first(self, codes: Cells, ordered: Cells) -> None:
        """Store the first cells in order, token after token: a user that is being loaded has no others."""
        sizes = np.bincount(codes, minlength=len(self._tokens))
        self._cells, self._cells_lent = zeros((len(ordered),), np.uint32, self._room)
        self._cells[:] = ordered
        self._laid.head(len(sizes))[:] = np.cumsum(sizes) - sizes
        self._sizes.head(len(sizes))[:] = sizes

    def remove_many(self, rows: Sequence[int]) -> None:
        """Forget which tokens `rows` hold, and forget tokens that nobody holds any more."""
        self._enter_text()
        # One by one is cheaper for a few rows, and the only way while the cells are a file's that must not be
        # written.
        if len(rows) < MANY or self._cells_lent or not len(self._cells):
            for row in rows:
                self.remove(row)
            return
        held = [self._held_by(row) for row in rows]
        codes = np.concatenate(held)
        self._take_all_laid(rows)
        for row, cells in zip(rows, held, strict=True):
            if self._new:
                for code in cells.tolist():
                    self._take_new(code, row)
            cells[:] = 0
            self._counts[row] = 0
        left = self._sizes.head(len(self._tokens))
        for code in np.unique(codes).tolist():
            if not left[code] and code not in self._new:
                self._forget(code)

    def _held_by(self, row: int) -> Cells:
        start, count = int(self._starts[row]), int(self._counts[row])
        cells: Cells = self._held.head(start + count)[start:]
        return cells

    def _take_all_laid(self, rows: Sequence[int]) -> None:
        """Take the cells of many rows out of all that is laid down, in one pass, and close the gaps."""
        gone = np.zeros(max(len(self._counts), *rows) + 1, dtype=np.bool_)
        gone[rows] = True
        tokens = len(self._tokens)
        sizes = self._sizes.head(tokens)
        if self._gaps:
            within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            self._cells = self._cells[np.repeat(self._laid.head(tokens), sizes) + within]
        stays = ~gone[self._cells >> np.uint32(_COUNT_BITS)]
        codes = np.repeat(np.arange(tokens), sizes)
        self._cells, self._gaps = self._cells[stays], 0
        sizes[:] = np.bincount(codes[stays], minlength=tokens)
        self._laid.head(tokens)[:] = np.cumsum(sizes) - sizes

    def remove(self, row: int) -> None:
        """Forget which tokens `row` holds, and forget tokens that nobody holds any more."""
        self._enter_text()
        held = self._held_by(row)
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
        self._gaps += 1

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
                # Rows mostly come in ascending order; a freed row that was used again breaks it.
                if len(laid) and laid[-1] > posting[0]:
                    cells[start:end].sort()
        self._cells, self._new, self._new_cells, self._gaps = cells, {}, 0, 0
        self._laid.write(0, ends - sizes)
        self._sizes.write(0, sizes)

    def state(self) -> dict[str, NDArray[Any]]:
        """All of it, as arrays."""
        self._enter_text()
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
        self._ordered = None
        self._cells, self._cells_lent = np.asarray(state["cells"]), isinstance(state["cells"], np.memmap)
        for name, column in (("laid", self._laid), ("sizes", self._sizes), ("held", self._held)):
            column.restore(state[name])
        self._gaps = len(self._cells) - int(state["sizes"].sum())
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
            if self._ordered is not None:
                insort(self._ordered, token)
        return code

    def _enter(self, tokens: Iterable[str]) -> None:
        """Give tokens that nobody holds yet their codes; as `_code` of each."""
        new = [*map(intern, tokens)]
        self._codes.update(zip(new, upwards(len(self._tokens)), strict=False))
        self._tokens += new
        self._laid.reserve(len(self._tokens))
        self._sizes.reserve(len(self._tokens))
        self._ordered = None

    def _forget(self, code: int) -> None:
        token, self._tokens[code] = self._tokens[code], ""
        del self._codes[token]
        if self._ordered is not None:
            del self._ordered[bisect_left(self._ordered, token)]

    def words(self, row: int) -> frozenset[str]:
        """Return the tokens of a row."""
        if (text := self._searched()) is not None:
            return frozenset(text.row(row))
        return frozenset(map(self._tokens.__getitem__, self._held_by(row).tolist()))

    def holds(self, token: str) -> bool:
        """Return whether some row has a token."""
        text = self._searched()
        return token in self._codes if text is None else text.holds(token)

    def holders(self, token: str) -> int:
        """Return how many rows hold a token."""
        if self._text is not None:
            return len(self.cells(token))
        code = self._codes.get(token)
        return 0 if code is None else len(self._new.get(code, _NOTHING)) + int(self._sizes[code])

    def cells(self, token: str) -> array[int]:
        """Rows that hold `token` and how often, for `rows_of` and `counts_of`; not to be changed."""
        if (text := self._searched()) is not None:
            return text.cells(token, bits=_COUNT_BITS)
        code = self._codes.get(token)
        new = _NOTHING if code is None else self._new.get(code, _NOTHING)
        if code is None or not self._sizes[code]:
            return new
        cells = array("I")
        cells.frombytes(self._laid_cells(code).tobytes())
        return cells + new

    def kin(self, token: str) -> list[tuple[str, float]]:
        """Other tokens that begin like `token`, with the share of letters they have in common."""
        if not _has_kin(token):
            return []
        return [
            (other, share)
            for other in self._beginning(token[:_KIN_LETTERS])
            if other != token and _has_kin(other) and (share := _shared_beginning(token, other)) >= _KIN_SHARE
        ]

    def _beginning(self, letters: str) -> list[str]:
        """Tokens in the order in which they were first said, so that sums are the same however they came here."""
        if (text := self._searched()) is not None:
            return text.beginning(letters)
        if self._ordered is None:
            self._ordered = sorted(self._codes)
        start = bisect_left(self._ordered, letters)
        tokens = self._ordered[start : bisect_left(self._ordered, letters + _LAST_LETTER, lo=start)]
        return sorted(tokens, key=self._codes.__getitem__)

    @property
    def nbytes(self) -> int:
        if self._text is not None:
            return self._text.nbytes
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
    """Return the count of each cell."""
    counts: Cells = np.bitwise_and(np.asarray(cells), _COUNT_MOST)
    return counts
