"""One user's words: which row holds which token, and BM25 over turns read with their neighbours."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from rememora.recall.neighbours import NOBODY, Neighbours
from rememora.recall.weights import Weights

_COUNT_BITS = 8
_COUNT_MOST = (1 << _COUNT_BITS) - 1
_KIN_LETTERS = 4
_KIN_SHARE = 0.7
_WORDS_OF_A_FULL_MATCH = 2.0
_BYTES_PER_TOKEN = 320
# Said in more than one of so many rows, a word is added up for every row.
_OFTEN = 10

Rows = NDArray[np.int64]
Scores = NDArray[np.float32]
Mentions = Sequence[tuple[NDArray[np.int64], NDArray[np.float32]]]


class Lexicon:
    """Postings per token. Row and count share one integer, so that a token costs one small array."""

    def __init__(self) -> None:
        self._postings: dict[str, array[int]] = {}
        self._beginnings: dict[str, list[str]] = {}
        self._cells = 0

    def add(self, row: int, tokens: Sequence[str]) -> None:
        """Index `tokens` as the words of `row`; rows come in any order, each once."""
        for token, count in Counter(tokens).items():
            posting = self._postings.get(token)
            if posting is None:
                posting = self._postings[token] = array("q")
                if _has_kin(token):
                    self._beginnings.setdefault(token[:_KIN_LETTERS], []).append(token)
            posting.append(row << _COUNT_BITS | min(count, _COUNT_MOST))
            self._cells += 1

    def remove(self, row: int, tokens: Sequence[str]) -> None:
        """Forget that `row` holds `tokens`, and forget tokens that nobody holds any more."""
        for token in set(tokens):
            kept = array("q", (cell for cell in self._postings[token] if cell >> _COUNT_BITS != row))
            self._cells -= 1
            if kept:
                self._postings[token] = kept
                continue
            del self._postings[token]
            if _has_kin(token):
                self._beginnings[token[:_KIN_LETTERS]].remove(token)

    def holds(self, token: str) -> int:
        """In how many rows `token` occurs."""
        return len(self._postings.get(token, ()))

    def rows(self, token: str) -> tuple[Rows, Scores]:
        """Rows that hold `token` and how often."""
        cells = np.array(self._postings.get(token, ()), dtype=np.int64)
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
        return self._cells * 9 + len(self._postings) * _BYTES_PER_TOKEN


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
