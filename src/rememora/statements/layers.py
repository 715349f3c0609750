"""Computes the layers of the small networks that compare and edit statements, in numpy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from rememora.reading.tokens import Floats

FAR: Final = np.float32(-1e4)
"""Score of what must not be chosen."""
_EVEN: Final = 1e-5
"""Added to a variance, so that equal numbers can be divided by their spread."""
Weights = Mapping[str, Floats]


def dense(weights: Weights, name: str, rows: Floats) -> Floats:
    """Multiply rows by a trained table and add its offsets."""
    result: Floats = rows @ weights[f"{name}.weight"] + weights[f"{name}.bias"]
    return result


def evened(weights: Weights, name: str, rows: Floats) -> Floats:
    """Bring each row to the mean 0 and the spread 1, then to what was trained."""
    middle = rows - rows.mean(axis=1, keepdims=True)
    spread = np.sqrt((middle**2).mean(axis=1, keepdims=True) + _EVEN)
    result: Floats = middle / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]
    return result


def shares(scores: Floats) -> Floats:
    """Return the share of each of the last axis."""
    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    share: Floats = raised / raised.sum(axis=-1, keepdims=True)
    return share


def attended(looks: Floats, heads: int) -> Floats:
    """Let rows look at each other with several heads; `looks` has what each asks, is known by and tells."""
    count, width = len(looks), looks.shape[1] // 3
    asks, keys, values = (
        part.reshape(count, heads, width // heads).transpose(1, 0, 2) for part in np.split(looks, 3, axis=1)
    )
    seen = shares(asks @ keys.transpose(0, 2, 1) / np.float32(np.sqrt(width // heads))) @ values
    rows: Floats = seen.transpose(1, 0, 2).reshape(count, width)
    return rows
