"""One user's words: which row holds which token, and BM25 over turns read with their neighbours."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rememora.recall.neighbours import Neighbours, leaning
from rememora.recall.weights import Weights

_COUNT_BITS = 8
_COUNT_MOST = (1 << _COUNT_BITS) - 1
_KIN_LETTERS = 4
_KIN_SHARE = 0.7
_WORDS_OF_A_FULL_MATCH = 2.0
_BYTES_PER_TOKEN = 320

Rows = NDArray[np.int64]
Scores = NDArray[np.float32]


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

    def rows(self, token: str) -> tuple[Rows, NDArray[np.float64]]:
        """Rows that hold `token` and how often."""
        cells = np.array(self._postings.get(token, ()), dtype=np.int64)
        return cells >> _COUNT_BITS, (cells & _COUNT_MOST).astype(np.float64)

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


def _mentions(lexicon: Lexicon, token: str, kin: float) -> tuple[Rows, NDArray[np.float64]]:
    """Rows of the token and, for less, of its kin."""
    found = [lexicon.rows(token)]
    if kin:
        for other, share in lexicon.kin(token):
            rows, counts = lexicon.rows(other)
            found.append((rows, counts * (kin * share)))
    return np.concatenate([rows for rows, _ in found]), np.concatenate([counts for _, counts in found])


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
        alive: int,
        assistance: float = 0.0,
    ) -> None:
        self._lexicon, self._lengths, self._alive = lexicon, lengths, alive
        self._assistance = assistance
        self._before = neighbours.before(len(lengths))
        self._after = neighbours.after(len(lengths))

    def score(self, terms: Sequence[str], weights: Weights) -> tuple[Scores, float]:
        """BM25 per row, and what a row that says every term would score."""
        size = len(self._lengths)
        scores = np.zeros(size, dtype=np.float32)
        if not terms or not self._alive:
            return scores, 0.0
        mean = float(self._lengths.sum()) / self._alive or 1.0
        shortness = 1 - weights.length + np.float32(weights.length / mean) * self._lengths
        norm = np.float32(weights.saturation) * shortness
        lean = np.append(leaning(self._lengths, weights, self._assistance), np.float32(0))
        full = 0.0
        for term in dict.fromkeys(terms):
            rows, counts = _mentions(self._lexicon, term, weights.kin)
            worth = rarity(self._lexicon.holds(term) or len(set(rows.tolist())), self._alive)
            full += worth
            if len(rows):
                heard = self._spread(rows, counts, lean, weights)
                scores += np.float32(worth * (weights.saturation + 1)) * heard / (heard + norm)
        most = _WORDS_OF_A_FULL_MATCH
        return scores, full * (weights.saturation + 1) * most / (most + weights.saturation)

    def _spread(self, rows: Rows, counts: NDArray[np.float64], lean: Scores, weights: Weights) -> Scores:
        """A word said in one turn is heard, more faintly, in the turns around it."""
        size = len(self._lengths)
        following = self._after[rows]
        heard_in = (rows, following, self._after[following], self._before[rows])
        loudness = (1.0, weights.words_before, weights.words_two_before, weights.words_after)
        places: NDArray[np.int64] = np.concatenate(heard_in, dtype=np.int64)
        # Where there is no neighbour the word is heard in a last place that nobody looks at.
        places[places < 0] = size
        places[2 * len(rows) : 3 * len(rows)][following < 0] = size
        volume = np.outer(loudness, counts).ravel()
        # Who does not lean on the neighbours says it once more alone.
        volume[: len(rows)] *= 1 + (1 - lean[rows]) * sum(loudness[1:])
        volume[len(rows) :] *= lean[places[len(rows) :]]
        return np.bincount(places, volume, minlength=size + 1)[:size].astype(np.float32)
