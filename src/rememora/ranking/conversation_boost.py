"""Boosts rows by their conversation: a turn of a relevant conversation is worth more than a stray one."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from rememora.ranking.evidence import Rows, Scores
from rememora.userindex.user_index import UserIndex


def conversation_scores(index: UserIndex, pool: Rows, scores: Scores, *, voices: int) -> Scores:
    """Return for each row the mean of its conversation's best scores; a single row counts for itself."""
    alone = _alone(index)[pool]
    conversations = index.column("conversation")[pool]
    least = float(scores.min())
    only = index.memo.standing("only conversation", lambda: _only_conversation(index))
    if only is not None:
        spoken = scores[conversations == only]
        best = np.partition(spoken, -voices)[-voices:] if len(spoken) > voices else spoken
        return np.where(alone, scores, np.float32(_mean(best.tolist(), voices, least)))
    codes = conversations.tolist()
    said: defaultdict[int, list[float]] = defaultdict(list)
    for code, score in zip(codes, scores.tolist(), strict=True):
        said[code].append(score)
    means = {code: _mean(spoken, voices, least) for code, spoken in said.items()}
    return np.where(alone, scores, np.fromiter(map(means.__getitem__, codes), np.float32, len(codes)))


def _mean(scores: list[float], voices: int, least: float) -> float:
    """The mean of the best; where fewer speak, the others say as little as the least of all."""
    best = sorted(scores)[-voices:] if len(scores) > voices else scores
    return (sum(best) + least * (voices - len(best))) / voices


def _alone(index: UserIndex) -> NDArray[np.bool_]:
    """Return the rows without an order, each its own neighbour."""
    return index.memo.standing("alone", lambda: np.asarray(index.beside()[0] == np.arange(index.size)))


def _only_conversation(index: UserIndex) -> int | None:
    """Return the only conversation, if all ordered rows belong to one."""
    conversations = index.column("conversation")[index.column("alive") & ~_alone(index)]
    if not len(conversations) or conversations.min() != conversations.max():
        return None
    return int(conversations[0])
