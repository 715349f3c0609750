"""BM25 over turns read with their neighbours: how well each row's words match the words of a question."""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rememora.ranking.leaning import lean_of
from rememora.settings.weights import Weights
from rememora.userindex.neighbours import NOBODY, Neighbours
from rememora.userindex.postings import Postings, counted, counts_of, rows_of
from rememora.userindex.user_index import UserIndex

_WORDS_OF_A_FULL_MATCH = 2.0
_LEAST = np.finfo(np.float32).tiny
AT_ONCE = 1 << 18
"""Rows times words that are added up together: beyond, the cells in between no longer fit a cache."""
FEW = 24
"""Mentions up to which it costs less to add them up one by one than to lay them out as arrays."""
MANY = 2_000
# A word that occurs in a larger share of rows than this is scored for all rows at once.
_OFTEN = 10

Scores = NDArray[np.float32]


def word_scores(index: UserIndex, terms: tuple[str, ...], weights: Weights) -> tuple[Scores, float]:
    """Return how well each row's words match the `terms`, and the score of a row with all of them."""
    return index.memo.recent(("wording", terms, weights), lambda: _wording_of(index, weights).score(terms))


def _wording_of(index: UserIndex, weights: Weights) -> Wording:
    return index.memo.standing(
        ("words", weights),
        lambda: Wording(
            index.postings,
            index.neighbours,
            lengths=index.column("length"),
            lean=lean_of(index, weights),
            alive=len(index),
            weights=weights,
        ),
    )


class _Said(NamedTuple):
    """Rows that say a word of the question, or a related one for a share; how often, and its worth there."""

    cells: list[tuple[array[int], float]]
    times: int
    worth: float


class Wording:
    """Hits of the words of a question on an index, kept while the index does not change."""

    def __init__(
        self,
        postings: Postings,
        neighbours: Neighbours,
        *,
        lengths: Scores,
        lean: Scores,
        alive: int,
        weights: Weights,
    ) -> None:
        self._postings, self._alive, self._weights = postings, alive, weights
        self._rows = len(lengths)
        self._before, self._after = neighbours.before(self._rows), neighbours.after(self._rows)
        # `NOBODY` is the last place: what is said there is heard by none.
        self._lean = np.append(lean, np.float32(0))
        self._norm = _norm(lengths, alive, weights)
        self._unsaid = _Said([], 0, self._worth(0))
        self._loud = (weights.words_before, weights.words_two_before, weights.words_after)
        # Who does not lean on the neighbours says it once more alone.
        self._alone = _column(1 + sum(self._loud), 0, 0, 0)
        self._leaning = _column(-sum(self._loud), *self._loud)

    def score(self, terms: Sequence[str]) -> tuple[Scores, float]:
        """BM25 per row, and what a row that says every term would score."""
        scores = np.zeros(self._rows, dtype=np.float32)
        if not self._alive:
            return scores, 0.0
        said = [self._said(term) for term in dict.fromkeys(terms)]
        # Three ways to the same sums, by what is cheapest: a full column for a word that most rows have, one by
        # one for a few cells, blocks of words otherwise.
        often = self._rows / _OFTEN if self._rows > MANY else math.inf
        for query_word in said:
            if query_word.times > often:
                scores += self._heard_everywhere(query_word)
        seldom = [query_word for query_word in said if 0 < query_word.times <= often]
        if sum(query_word.times for query_word in seldom) <= FEW:
            self._hear_each(seldom, scores)
        else:
            together = max(1, AT_ONCE // self._rows)
            for start in range(0, len(seldom), together):
                scores += self._heard(seldom[start : start + together])
        most = _WORDS_OF_A_FULL_MATCH
        return scores, sum(query_word.worth for query_word in said) * most / (most + self._weights.saturation)

    def _said(self, term: str) -> _Said:
        cells_of, kin = self._postings.cells(term), self._weights.kin
        others = self._postings.kin(term) if kin else ()
        if not others:
            return (
                _Said([(cells_of, 1.0)], len(cells_of), self._worth(len(cells_of))) if cells_of else self._unsaid
            )
        cells = [(cells_of, 1.0), *((self._postings.cells(other), kin * share) for other, share in others)]
        # The worth of a word follows from how many rows have it; kin count only if nobody says the word itself.
        holders = len(cells_of) or len({row for held, _ in cells for row in rows_of(held).tolist()})
        return _Said(cells, sum(len(held) for held, _ in cells), self._worth(holders))

    def _worth(self, holders: int) -> float:
        return rarity(holders, self._alive) * (self._weights.saturation + 1)

    def _hear_each(self, query_words: Sequence[_Said], scores: Scores) -> None:
        """Add what words add where they are heard, mention by mention."""
        # One cell is read and written three times as fast this way as through numpy.
        cells_of: list[Any] = [
            column.data for column in (self._before, self._after, self._lean, self._norm, scores)
        ]
        before, after, lean, norm, total = cells_of
        to_next, to_second, to_previous = self._loud
        alone = sum(self._loud)
        for term in query_words:
            heard: dict[int, float] = defaultdict(float)
            for cells, share in term.cells:
                for row, count in counted(cells):
                    loud, following, previous = share * count, after[row], before[row]
                    # `NOBODY` leans on nobody, and so hears nothing.
                    second = NOBODY if following == NOBODY else after[following]
                    heard[row] += loud * (1 + (1 - lean[row]) * alone)
                    heard[following] += loud * to_next * lean[following]
                    heard[second] += loud * to_second * lean[second]
                    heard[previous] += loud * to_previous * lean[previous]
            for place, volume in heard.items():
                total[place] += term.worth * volume / (volume + norm[place])

    def _heard(self, query_words: Sequence[_Said]) -> Scores:
        """Return what words add where they occur: in the turns that say them and, less, in those around."""
        rows, counts, which = _mentions(query_words)
        following = self._after[rows]
        places = np.array(
            (rows, following, np.where(following < 0, NOBODY, self._after[following]), self._before[rows])
        )
        # One word after the other, of each first what nobody hears: `NOBODY` is before the first row.
        cells = places + (which * (self._rows + 1) + 1)
        loudness = counts * (self._alone + self._leaning * self._lean[places])
        heard = np.bincount(cells.ravel(), loudness.ravel(), minlength=len(query_words) * (self._rows + 1))
        volume = heard[cells]
        # A place that is named twice has heard it all by now: it is set, not added to.
        worth = np.array([query_words.worth for query_words in query_words], dtype=np.float32)[which]
        heard[cells] = worth * volume / (volume + self._norm[places])
        return np.asarray(np.add.reduce(heard.reshape(len(query_words), -1), axis=0)[1:])

    def _heard_everywhere(self, query_word: _Said) -> Scores:
        """The same for a word that many turns say: every row in order costs less than many out of order."""
        spoken = np.zeros_like(self._norm)
        before, two_before, after = map(np.float32, self._loud)
        for cells, share in query_word.cells:
            spoken[rows_of(cells)] += np.multiply(counts_of(cells), np.float32(share), dtype=np.float32)
        twice_before = np.where(self._before < 0, NOBODY, self._before[self._before])
        context = before * spoken.take(self._before)
        context += two_before * spoken.take(twice_before)
        context += after * spoken.take(self._after)
        lean = self._lean[:-1]
        volume = spoken[:-1] * (1 + (1 - lean) * np.float32(sum(self._loud))) + lean * context
        return np.asarray(np.float32(query_word.worth) * volume / (volume + self._norm[:-1]))


def _mentions(query_words: Sequence[_Said]) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.intp]]:
    """Of each time that a word is said: in which row, how loud, and which word."""
    joined, shares, numbers = array("I"), array("f"), array("q")
    for number, query_word in enumerate(query_words):
        for cells, share in query_word.cells:
            joined += cells
            shares += array("f", (share,)) * len(cells)
            numbers += array("q", (number,)) * len(cells)
    return rows_of(joined), counts_of(joined) * np.asarray(shares), np.asarray(numbers)


def _column(*values: float) -> Scores:
    return np.array(values, dtype=np.float32)[:, np.newaxis]


def _norm(lengths: Scores, alive: int, weights: Weights) -> Scores:
    """Return the divisor of each row by its length, never 0: where nothing matches, it would be 0 of 0."""
    mean = float(lengths.sum()) / (alive or 1) or 1.0
    norm = np.ones(len(lengths) + 1, dtype=np.float32)
    norm[:-1] = 1 - weights.length + np.float32(weights.length / mean) * lengths
    return np.asarray(np.maximum(norm * np.float32(weights.saturation), _LEAST))


def rarity(holders: int, rows: int) -> float:
    """BM25's inverse document frequency, never negative."""
    return math.log1p((rows - holders + 0.5) / (holders + 0.5))
