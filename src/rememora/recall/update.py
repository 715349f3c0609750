"""Of two turns that contradict each other, the newer before the older: knowledge is what holds now."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rememora.recall.fuse import Tally
from rememora.recall.shelf import Shelf
from rememora.recall.weights import Weights

Numbers = NDArray[np.intp]


def put_newest_first(shelf: Shelf, pool: Numbers, tally: Tally, *, order: Numbers, weights: Weights) -> None:
    """Let a turn that tells of a change stand before older ones about the same, each with the other's score."""
    best = order[: weights.update_places]
    telling = shelf.column("telling")[pool[best]]
    if not telling.any():
        return
    placed = best.copy()
    for first, second in combinations(range(len(placed)), 2):
        if _replaces(shelf, int(pool[placed[second]]), int(pool[placed[first]]), weights):
            placed[[first, second]] = placed[[second, first]]
    amount = np.zeros_like(tally.total)
    amount[placed] = tally.total[best] - tally.total[placed]
    tally.plus("update", amount)


def _replaces(shelf: Shelf, new: int, old: int, weights: Weights) -> bool:
    """Whether a turn says that what the same speaker said in an earlier conversation has changed."""
    at, speaker, conversation = (shelf.column(name) for name in ("at", "speaker", "conversation"))
    if not shelf.column("telling")[new] or at[new] <= at[old] or speaker[new] != speaker[old]:
        return False
    return conversation[new] != conversation[old] and _alike(shelf.words(new), shelf.words(old), weights)


def _alike(one: frozenset[int], other: frozenset[int], weights: Weights) -> bool:
    common = len(one & other)
    return common >= max(weights.update_words, weights.update_share * min(len(one), len(other)))
