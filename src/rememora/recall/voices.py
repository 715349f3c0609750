"""What conversations vouch for: a turn of one that speaks of what is asked is worth more than a stray one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rememora.recall.evidence import Rows, Scores
from rememora.recall.shelf import Shelf


def vouched(shelf: Shelf, pool: Rows, scores: Scores, *, voices: int) -> Scores:
    """For each row the mean of its conversation's best scores; a row that stands alone vouches for itself."""
    alone = shelf.memo.standing("alone", lambda: _alone(shelf))[pool]
    # Of a conversation with fewer voices, the others say as little as the last.
    rest = [float(scores.min())] * voices
    if shelf.memo.standing("one", lambda: _is_one_conversation(shelf)):
        return np.where(alone, scores, np.float32(_mean(scores[~alone].tolist() + rest, voices)))
    conversations = shelf.column("conversation")[pool].tolist()
    said: dict[int, list[float]] = {}
    for conversation, score in zip(conversations, scores.tolist(), strict=True):
        said.setdefault(conversation, []).append(score)
    means = {conversation: _mean(own + rest, voices) for conversation, own in said.items()}
    return np.where(alone, scores, np.fromiter(map(means.__getitem__, conversations), np.float32, len(scores)))


def _mean(said: list[float], voices: int) -> float:
    return sum(sorted(said)[-voices:]) / voices


def _alone(shelf: Shelf) -> NDArray[np.bool_]:
    """Which rows stand in no order, each its own neighbour."""
    return np.asarray(shelf.beside()[0] == np.arange(shelf.size))


def _is_one_conversation(shelf: Shelf) -> bool:
    """Whether all rows that stand in an order stand in one, as with whoever never begins another."""
    conversations = shelf.column("conversation")[~_alone(shelf)]
    return not len(conversations) or bool(conversations.min() == conversations.max())
