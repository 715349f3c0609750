"""Vectors inside documents: packed small, and compared by cosine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

HALVES = 4
Floats = np.ndarray[Any, np.dtype[np.float32]]


def packed(vector: Sequence[float]) -> list[int]:
    """Return a vector of length one as whole numbers, four halves in each: a document has 64 KiB for all."""
    made = np.asarray(vector, dtype=np.float32)
    length = float(np.linalg.norm(made))
    halves = (made / length if length else made).astype(np.float16)
    return [int(number) for number in np.pad(halves, (0, -len(halves) % HALVES)).view(np.int64)]


def unpacked(vector: Sequence[int], dims: int) -> Floats:
    """Return the vector of length one that was packed."""
    return np.array(vector, dtype=np.int64).view(np.float16)[:dims].astype(np.float32)


def cosine(query: Sequence[float] | Floats, vector: Sequence[float] | Floats) -> float:
    """Return how near a vector of length one is to a query of any length."""
    question = np.asarray(query, dtype=np.float32)
    return float(np.dot(np.asarray(vector, dtype=np.float32), question)) / (float(np.linalg.norm(question)) or 1.0)
