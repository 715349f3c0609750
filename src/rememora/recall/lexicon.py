"""One user's words: which row holds which token, and BM25 over turns read with their neighbours."""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from sys import intern
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from rememora.recall.columns import Column, Room, no_room, weight, zeros
from rememora.recall.neighbours import NOBODY, Neighbours
from rememora.settings.weights import Weights

_COUNT_BITS = 6
_COUNT_MOST = (1 << _COUNT_BITS) - 1
_KIN_LETTERS = 4
_KIN_SHARE = 0.7
_WORDS_OF_A_FULL_MATCH = 2.0
_BYTES_PER_TOKEN = 140
_BYTES_PER_ARRAY = 120
NEW_CELLS = 500_000
"""New cells that are laid down at the least; a user with fewer has each token's apart."""
_NEW_SHARE = 4
_NOTHING = array("I")
# Said in more than one of so many rows, a word is added up for every row.
_OFTEN = 10

Rows = NDArray[np.int64]
Cells = NDArray[np.uint32]
Scores = NDArray[np.float32]
Mentions = Sequence[tuple[NDArray[np.int64], NDArray[np.float32]]]


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

    def holds(self, token: str) -> int:
        """In how many rows `token` occurs."""
        code = self._codes.get(token)
        return 0 if code is None else len(self._new.get(code, _NOTHING)) + int(self._sizes[code])

    def rows(self, token: str) -> tuple[Rows, Scores]:
        """Rows that hold `token` and how often."""
        code = self._codes.get(token)
        cells = np.array(_NOTHING if code is None else self._new.get(code, _NOTHING), dtype=np.int64)
        if code is not None and self._sizes[code]:
            cells = np.concatenate((self._laid_cells(code), cells), dtype=np.int64)
        return cells >> _COUNT_BITS, (cells & _COUNT_MOST).astype(np.float32)

    def kin(self, token: str) -> list[tuple[str, float]]:
        """Other tokens that begin like `token`, with the share of letters they have in common."""
        if not _has_kin(token):
            return []
        near = self._beginnings.get(token[:_KIN_LETTERS], ())
        shares = ((other, _shared_beginning(token, other)) for other in near if other != token)
        return [(other, share) for other, share in shares if share >= _KIN_SHARE]

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
    shortest = min(len(one), len(other))
    same = next((i for i in range(shortest) if one[i] != other[i]), shortest)
    return same / max(len(one), len(other))


def _mentions(lexicon: Lexicon, token: str, kin: float) -> list[tuple[Rows, Scores]]:
    """Rows of the token and, for less, of each of its kin."""
    found = [lexicon.rows(token)]
    for other, share in lexicon.kin(token) if kin else ():
        rows, counts = lexicon.rows(other)
        found.append((rows, counts * np.float32(kin * share)))
    return found


def _holders(mentions: Mentions) -> int:
    return len(set(chain.from_iterable(rows.tolist() for rows, _ in mentions)))


def rarity(holders: int, rows: int) -> float:
    """BM25's inverse document frequency, never negative."""
    return float(np.log1p((rows - holders + 0.5) / (holders + 0.5)))


class Wording:
    """How well each row's words, read with its neighbours', match the words of a question."""

    def __init__(
        self,
        lexicon: Lexicon,
        neighbours: Neighbours,
        *,
        lengths: Scores,
        lean: Scores,
        alive: int,
    ) -> None:
        self._lexicon, self._lengths, self._alive = lexicon, lengths, alive
        # `NOBODY` is the last place: what is said there is heard by none.
        self._lean = np.append(lean, np.float32(0))
        self._before = neighbours.before(len(lengths))
        self._after = neighbours.after(len(lengths))

    def score(self, terms: Sequence[str], weights: Weights) -> tuple[Scores, float]:
        """BM25 per row, and what a row that says every term would score."""
        size, full = len(self._lengths), 0.0
        scores = np.zeros(size + 1, dtype=np.float32)
        if not terms or not self._alive:
            return scores[:-1], full
        norm = self._norm(weights)
        for term in dict.fromkeys(terms):
            mentions = _mentions(self._lexicon, term, weights.kin)
            worth = rarity(self._lexicon.holds(term) or _holders(mentions), self._alive)
            full += worth
            often = sum(len(rows) for rows, _ in mentions) * _OFTEN > size
            add = self._add_everywhere if often else self._add
            add(scores, mentions, norm, weights=weights, worth=worth * (weights.saturation + 1))
        most = _WORDS_OF_A_FULL_MATCH
        return scores[:-1], full * (weights.saturation + 1) * most / (most + weights.saturation)

    def _norm(self, weights: Weights) -> Scores:
        mean = float(self._lengths.sum()) / self._alive or 1.0
        norm = np.ones(len(self._lengths) + 1, dtype=np.float32)
        norm[:-1] = 1 - weights.length + np.float32(weights.length / mean) * self._lengths
        return norm * np.float32(weights.saturation)

    def _add(self, scores: Scores, mentions: Mentions, norm: Scores, *, weights: Weights, worth: float) -> None:
        """What a word adds where it is heard: in the turns that say it and, more faintly, in those around them."""
        heard = np.zeros_like(scores)
        places = np.concatenate([self._say(heard, rows, counts, weights) for rows, counts in mentions])
        volume = heard[places]
        # A place that is named twice has heard it all by now: it is set, not added to.
        scores[places] = scores[places] + np.float32(worth) * volume / (volume + norm[places])

    def _say(self, heard: Scores, rows: Rows, counts: Scores, weights: Weights) -> Rows:
        following = self._after[rows]
        heard_in = (following, np.where(following < 0, NOBODY, self._after[following]), self._before[rows])
        loudness = (weights.words_before, weights.words_two_before, weights.words_after)
        # Who does not lean on the neighbours says it once more alone.
        heard[rows] += counts * (1 + (1 - self._lean[rows]) * np.float32(sum(loudness)))
        for places, loud in zip(heard_in, loudness, strict=True):
            heard[places] += counts * (self._lean[places] * np.float32(loud))
        return np.concatenate((rows, *heard_in))

    def _add_everywhere(
        self, scores: Scores, mentions: Mentions, norm: Scores, *, weights: Weights, worth: float
    ) -> None:
        """The same for a word that many turns say: every row in order costs less than many out of order."""
        said = np.zeros_like(scores)
        for rows, counts in mentions:
            said[rows] += counts
        twice_before = np.where(self._before < 0, NOBODY, self._before[self._before])
        around = np.float32(weights.words_before) * said.take(self._before)
        around += np.float32(weights.words_two_before) * said.take(twice_before)
        around += np.float32(weights.words_after) * said.take(self._after)
        loudness = weights.words_before + weights.words_two_before + weights.words_after
        lean = self._lean[:-1]
        volume = said[:-1] * (1 + (1 - lean) * np.float32(loudness)) + lean * around
        scores[:-1] += np.float32(worth) * volume / (volume + norm[:-1])
