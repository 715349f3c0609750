"""Weight of the turns around a turn: a short one says little alone, a long one needs no other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rememora.settings.weights import Weights
from rememora.userindex.user_index import UserIndex

_NOTHING = np.zeros(1, dtype=np.float32)


def lean_of(index: UserIndex, weights: Weights) -> NDArray[np.float32]:
    """Weight of the neighbours of each row of an index, computed once while the index does not change."""
    return index.memo.standing(
        ("leaning", weights),
        lambda: leaning(index.column("length"), weights, index.speakers.assistance()),
    )


def shared(
    values: NDArray[np.float32],
    before: NDArray[np.intp],
    after: NDArray[np.intp],
    shares: tuple[float, float],
) -> NDArray[np.float32]:
    """Return each row's share of the value before it and of the value after it."""
    # `NOBODY` is the last place, and nothing is there.
    padded = np.concatenate((values, _NOTHING))
    return np.asarray(np.float32(shares[0]) * padded.take(before) + np.float32(shares[1]) * padded.take(after))


def leaning(lengths: NDArray[np.float32], weights: Weights, assistance: float) -> NDArray[np.float32]:
    """Return how much each row depends on its neighbours: 1 for a short turn between people, 0 for a long one."""
    shortness = (weights.alone_from - lengths) / (weights.alone_from - weights.leaning_until)
    share = 1 - (1 - weights.assisted) * assistance
    return np.asarray(np.minimum(np.maximum(shortness, 0), 1) * share, dtype=np.float32)
