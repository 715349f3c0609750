"""Of two turns that contradict each other, the newer before the older: knowledge is what holds now."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from rememora.ranking.evidence import Rows, at
from rememora.ranking.fuse import ScoreBoard
from rememora.settings.weights import Weights
from rememora.userindex.style import LEFT_BEHIND
from rememora.userindex.user_index import UserIndex

_FACTS = ("at", "speaker", "conversation", "change", "length")


class _Turn(NamedTuple):
    """One of the best rows, by its number."""

    number: int
    at: float
    speaker: int
    conversation: int
    change: int
    length: int


def put_newest_first(
    index: UserIndex, pool: Rows, board: ScoreBoard, *, query_words: Sequence[str], weights: Weights
) -> None:
    """Put a turn before older ones that it supersedes, each with the other's score."""
    best = board.order[: weights.update_places]
    numbers = at(pool, best)
    # Within one conversation the order of turns already tells the reader which is newer.
    if len(set(index.column("conversation")[numbers].tolist())) == 1:
        return
    facts = (index.column(name)[numbers].tolist() for name in _FACTS)
    turns = [_Turn(*fields) for fields in zip(numbers.tolist(), *facts, strict=True)]
    placed, held = [*range(len(best))], frozenset(filter(index.postings.holds, query_words))
    for first, second in combinations(placed.copy(), 2):
        # Places are swapped together with their scores, so that the list stays sorted and no score is invented.
        if _replaces(index, turns[placed[second]], turns[placed[first]], held, weights):
            placed[first], placed[second] = placed[second], placed[first]
    if placed != sorted(placed):
        amount = np.zeros_like(board.total)
        amount[best[placed]] = board.total[best] - board.total[best[placed]]
        board.plus("update", amount)


def _replaces(index: UserIndex, new: _Turn, old: _Turn, query_words: frozenset[str], weights: Weights) -> bool:
    """Return whether a turn supersedes what the same speaker said in an earlier conversation."""
    short = max(new.length, old.length) <= weights.update_short
    if not (new.change or short) or new.at <= old.at:
        return False
    if new.speaker != old.speaker or new.conversation == old.conversation:
        return False
    newer, older = index.postings.words(new.number), index.postings.words(old.number)
    common = newer & older
    if new.change == LEFT_BEHIND and _named(index, common - query_words, weights):
        return True
    # Of a text that does not say its language, a word has two stems: it has no more words than its length.
    sizes = min(len(newer), new.length), min(len(older), old.length)
    if new.change and len(common) >= max(weights.update_words, weights.update_share * min(sizes)):
        return True
    # A turn with fewer words of the question than the older one may be about something else.
    if common.isdisjoint(query_words) or not query_words & older <= newer:
        return False
    # The second of two statements about what is asked tells of a change; or both are short and differ in one word.
    return bool(new.change) or max(sizes) <= len(common) + 1


def _named(index: UserIndex, words: frozenset[str], weights: Weights) -> bool:
    """Return whether one of the words is rare: a text about leaving Acme says what was there before."""
    return any(index.postings.holders(word) <= weights.update_holders for word in words)
