"""What conversations vouch for: a turn of one that speaks of what is asked is worth more than a stray one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rememora.recall.evidence import Rows, Scores
from rememora.recall.shelf import Shelf


def vouched(shelf: Shelf, pool: Rows, scores: Scores, *, voices: int) -> Scores:
    """For each row the mean of its conversation's best scores; a row that stands alone vouches for itself."""
    alone = shelf.memo.standing("alone", lambda: _alone(shelf))[pool]
    conversations = shelf.column("conversation")[pool]
    least = float(scores.min())
    only = shelf.memo.standing("only conversation", lambda: _only_conversation(shelf))
    if only is not None:
        own = scores[conversations == only]
        best = np.partition(own, -voices)[-voices:] if len(own) > voices else own
        return np.where(alone, scores, np.float32(_mean(best.tolist(), voices, least)))
    codes = conversations.tolist()
    said: dict[int, list[float]] = {}
    for code, score in zip(codes, scores.tolist(), strict=True):
        said.setdefault(code, []).append(score)
    means = {code: _mean(own, voices, least) for code, own in said.items()}
    return np.where(alone, scores, np.fromiter(map(means.__getitem__, codes), np.float32, len(codes)))


def _mean(said: list[float], voices: int, least: float) -> float:
    """The mean of the best; where fewer speak, the others say as little as the least of all."""
    best = sorted(said)[-voices:] if len(said) > voices else said
    return (sum(best) + least * (voices - len(best))) / voices


def _alone(shelf: Shelf) -> NDArray[np.bool_]:
    """Which rows stand in no order, each its own neighbour."""
    return np.asarray(shelf.beside()[0] == np.arange(shelf.size))


def _only_conversation(shelf: Shelf) -> int | None:
    """The one in which all rows stand that stand in an order, as with whoever never begins another."""
    conversations = shelf.column("conversation")[shelf.column("alive") & ~_alone(shelf)]
    if not len(conversations) or conversations.min() != conversations.max():
        return None
    return int(conversations[0])
