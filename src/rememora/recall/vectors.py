"""One user's vectors: exact cosines on a small shelf; on a large one sign bits choose what is exact."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from rememora.recall.columns import Column

# Below this many rows one product over all of them is cheaper than choosing.
EXACT_ROWS: Final = 4_000
_RESCORED_LEAST: Final = 256
_RESCORED_SHARE: Final = 200
_BITS = 64

Vector = NDArray[np.float32]


def as_vector(vector: bytes | Vector) -> Vector:
    """Unit vector from float32 values or their bytes."""
    values = np.frombuffer(vector, dtype=np.float32) if isinstance(vector, bytes) else vector
    length = float(np.linalg.norm(values)) or 1.0
    return np.asarray(values / length, dtype=np.float32)


def _signs(vector: Vector) -> NDArray[np.uint64]:
    bits = np.packbits(vector > 0)
    whole = np.zeros(-(-len(bits) // 8) * 8, dtype=np.uint8)
    whole[: len(bits)] = bits
    return whole.view(np.uint64)


class Vectors:
    """A matrix of unit vectors and, beside it, the sign of every value as one bit."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._matrix = Column(np.float32, width=dimension)
        # One column per 64 signs: counting bits down a column is five times faster than along a row.
        self._signs = [Column(np.uint64) for _ in range(-(-dimension // _BITS))]

    def put(self, row: int, vector: Vector) -> None:
        """Set the vector of `row`."""
        self.reserve(row + 1)
        self._matrix[row] = vector
        for column, word in zip(self._signs, _signs(vector), strict=True):
            column[row] = word

    def reserve(self, rows: int) -> None:
        """Make room for `rows` rows in all."""
        for column in (self._matrix, *self._signs):
            column.reserve(rows)

    def erase(self, row: int) -> None:
        """Leave nothing of the vector of `row` behind."""
        for column in (self._matrix, *self._signs):
            if row < len(column):
                column[row] = 0

    def take(self, row: int) -> Vector:
        """A copy of the vector of `row`."""
        vector: Vector = self._matrix[row].copy()
        return vector

    def cosines(self, query: Vector, among: NDArray[np.bool_]) -> Vector:
        """Cosine with `query` per row, 0 for rows that are not `among` the wanted."""
        self.reserve(len(among))
        matrix = self._matrix.head(len(among))
        if np.count_nonzero(among) <= EXACT_ROWS and len(among) <= 2 * EXACT_ROWS:
            return np.where(among, matrix @ query, np.float32(0))
        rough = np.where(among, self._rough(query, len(among)), np.float32(-1))
        closest = _closest(rough, _RESCORED_LEAST + len(rough) // _RESCORED_SHARE)
        rough[closest] = matrix[closest] @ query
        return np.where(among, rough, np.float32(0))

    def _rough(self, query: Vector, rows: int) -> Vector:
        """Two unit vectors at an angle differ in that share of their signs."""
        differ = np.zeros(rows, dtype=np.uint16)
        for column, word in zip(self._signs, _signs(query), strict=True):
            differ += np.bitwise_count(column.head(rows) ^ word)
        angles = np.arange(self.dimension + 1, dtype=np.float32) * np.float32(np.pi / self.dimension)
        return np.asarray(np.cos(angles)[differ], dtype=np.float32)

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for column in (self._matrix, *self._signs))


def _closest(rough: Vector, count: int) -> NDArray[np.intp]:
    if count >= len(rough):
        return np.arange(len(rough))
    return np.argpartition(-rough, count)[:count]
