"""One user's vectors: exact cosines on a small index; on a large one sign bits choose what is exact."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rememora.userindex.columns import Column, Room, no_room
from rememora.userindex.largest import largest

# Below this many rows one product over all of them is cheaper than choosing.
EXACT_ROWS: Final = 4_000
_RESCORED_LEAST: Final = 256
_RESCORED_SHARE: Final = 200
_BITS = 64
_BYTE_MOST = 127
_ROWS_AT_ONCE = 8_192
# Share of empty rows that are saved too: new items go there after loading, without a copy.
_SPARE_SHARE = 16

Vector = NDArray[np.float32]


def as_vector(vector: bytes | Vector) -> Vector:
    """Unit vector from float32 values or their bytes."""
    values = np.frombuffer(vector, dtype=np.float32) if isinstance(vector, bytes) else vector
    length = math.sqrt(float(values.dot(values))) or 1.0
    return np.asarray(values / length, dtype=np.float32)


def as_rows(vectors: Sequence[bytes]) -> Vector:
    """Vectors of any length, one a row, from the bytes of float32 values; to be changed in place."""
    return np.frombuffer(bytearray().join(vectors), dtype=np.float32).reshape(len(vectors), -1)


def _lengths(vectors: Vector) -> Vector:
    """Return the norm of each row, bit for bit equal to the norm of a single vector."""
    lengths = np.sqrt(np.vecdot(vectors, vectors).astype(np.float64))
    lengths[lengths == 0] = 1.0
    return np.asarray(lengths, dtype=np.float32)[:, np.newaxis]


def _signs(vectors: Vector) -> NDArray[np.uint64]:
    """The signs of one vector, or of each row of many."""
    bits = np.packbits(vectors > 0, axis=-1)
    whole = np.zeros((*bits.shape[:-1], -(-bits.shape[-1] // 8) * 8), dtype=np.uint8)
    whole[..., : bits.shape[-1]] = bits
    return whole.view(np.uint64)


def _as_bytes(vectors: Vector) -> tuple[NDArray[np.int8], Vector]:
    """Vectors with one byte a number, and what to multiply them by to have them back."""
    scales = np.abs(vectors).max(axis=-1, keepdims=True) / np.float32(_BYTE_MOST)
    return np.rint(vectors / np.where(scales, scales, np.float32(1))).astype(np.int8), scales[..., 0]


class VectorMatrix:
    """A matrix of unit vectors and the sign of every value as one bit.

    Reduced, the matrix holds one byte per number: a quarter of the memory, cosines right to two places. Only then
    may it be memory-mapped: a full matrix is held for speed.
    """

    def __init__(self, dimension: int, *, reduced: bool = False, room: Room = no_room) -> None:
        self.dimension = dimension
        self._room = room
        self._rows = 0
        # Rows that every column has room for: each of them grows at another time.
        self._ready = 0
        self._begin(reduced)
        self._scales = Column(np.float32, room=room)
        # One column per 64 signs: counting bits down a column is five times faster than along a row. A small user
        # is compared exactly and needs none: they are made when they are first asked for, and kept from then on.
        # Of rounded numbers the signs cannot be told any more: they are kept from the first row on.
        self._signs: list[Column] = self._new_signs() if reduced else []

    def _begin(self, reduced: bool) -> None:
        self.reduced = reduced
        self._matrix = (
            Column(np.int8, width=self.dimension, room=self._room)
            if reduced
            else Column(np.float32, width=self.dimension)
        )

    def _need_signs(self) -> None:
        """Have the signs of all rows, as they stand."""
        if self._signs or not self.dimension:
            return
        signs = self._new_signs()
        for column in signs:
            column.reserve(self._ready)
        for start in range(0, self._rows, _ROWS_AT_ONCE):
            end = min(self._rows, start + _ROWS_AT_ONCE)
            for column, word in zip(signs, _signs(self._matrix.head(end)[start:]).T, strict=True):
                column.head(end)[start:] = word
        self._signs = signs

    def _new_signs(self) -> list[Column]:
        return [Column(np.uint64, room=self._room) for _ in range(-(-self.dimension // _BITS))]

    def state(self) -> dict[str, NDArray[Any]]:
        """All of it, as arrays."""
        self._need_signs()
        rows = self._rows + self._rows // _SPARE_SHARE
        self.reserve(rows)
        signs = {f"signs{place}": column for place, column in enumerate(self._signs)}
        columns = {"matrix": self._matrix, "scales": self._scales, **signs}
        return {name: column.head(rows) for name, column in columns.items()}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Be what was saved."""
        self._begin(state["matrix"].dtype == np.int8)
        self._rows = self._ready = len(state["matrix"])
        self._matrix.restore(state["matrix"])
        self._scales.restore(state["scales"])
        self._signs = self._new_signs()
        for place, column in enumerate(self._signs):
            column.restore(state[f"signs{place}"])

    def put(self, row: int, vector: Vector) -> None:
        """Set the vector of `row`."""
        self.reserve(row + 1)
        self._rows = max(self._rows, row + 1)
        if self.reduced:
            self._matrix[row], self._scales[row] = _as_bytes(vector)
        else:
            self._matrix[row] = vector
        if self._signs:
            for column, word in zip(self._signs, _signs(vector), strict=True):
                column[row] = word

    def put_many(self, rows: NDArray[np.intp] | slice, vectors: Vector) -> None:
        """Set the vectors of some rows, in ascending order, brought to length 1; `vectors` are not used again."""
        if isinstance(rows, slice) and not (rows.start or self._ready or self.reduced):
            self._begin_with(vectors)
            return
        most = rows.stop if isinstance(rows, slice) else int(rows[-1]) + 1
        self.reserve(most)
        self._rows = max(self._rows, most)
        if self.reduced:
            self._matrix.head(most)[rows], self._scales.head(most)[rows] = _as_bytes(vectors / _lengths(vectors))
        elif isinstance(rows, slice):
            np.divide(vectors, _lengths(vectors), out=self._matrix.head(most)[rows])
        else:
            self._matrix.head(most)[rows] = vectors / _lengths(vectors)
        if self._signs:
            signs = _signs(vectors)
            for place, column in enumerate(self._signs):
                column.head(most)[rows] = signs[:, place]

    def _begin_with(self, vectors: Vector) -> None:
        """Hold the first vectors where they are."""
        np.divide(vectors, _lengths(vectors), out=vectors)
        self._matrix.restore(vectors)
        self._rows = len(vectors)
        self.reserve(self._rows)

    def reserve(self, rows: int) -> None:
        """Make room for `rows` rows in all."""
        for column in self._all():
            column.reserve(rows)
        self._ready = max(self._ready, rows)

    def reduce(self) -> None:
        """From now on hold one byte a number."""
        self._need_signs()
        exact, rows = self._matrix, len(self._matrix)
        self._begin(True)
        self.reserve(rows)
        bytes_, scales = self._matrix.head(rows), self._scales.head(rows)
        for start in range(0, rows, _ROWS_AT_ONCE):
            piece = slice(start, start + _ROWS_AT_ONCE)
            bytes_[piece], scales[piece] = _as_bytes(exact.head(rows)[piece])

    def erase(self, row: int) -> None:
        """Leave nothing of the vector of `row` behind."""
        for column in self._all():
            if row < len(column):
                column[row] = 0

    def erase_many(self, rows: Sequence[int]) -> None:
        """Leave nothing of the vectors of `rows` behind."""
        for column in self._all():
            cells = column.head(len(column))
            cells[[row for row in rows if row < len(cells)]] = 0

    def take(self, row: int) -> Vector:
        """A copy of the vector of `row`."""
        return self._values(np.array([row])).reshape(-1).copy()

    def cosines(self, query: Vector, among: NDArray[np.bool_], *, exact: bool = False) -> Vector:
        """Cosine with `query` per row, 0 for rows that are not `among` the wanted.

        Of many rows only the nearest get it to the last digit, unless all are to be `exact`.
        """
        rows, count = len(among), np.count_nonzero(among)
        if rows > self._ready:
            self.reserve(rows)
        if exact or (count <= EXACT_ROWS and rows <= 2 * EXACT_ROWS):
            scores = self._every(query, rows)
        else:
            scores = self._rough(query, rows)
            if count < rows:
                scores[~among] = -1
            closest = largest(scores, _RESCORED_LEAST + rows // _RESCORED_SHARE)
            scores[closest] = self._exact(query, closest)
        return scores if count == rows else np.where(among, scores, np.float32(0))

    def _every(self, query: Vector, rows: int) -> Vector:
        if rows <= _ROWS_AT_ONCE:
            return self._exact(query, slice(0, rows))
        scores = np.empty(rows, dtype=np.float32)
        for start in range(0, rows, _ROWS_AT_ONCE):
            piece = slice(start, min(rows, start + _ROWS_AT_ONCE))
            scores[piece] = self._exact(query, piece)
        return scores

    def _exact(self, query: Vector, rows: NDArray[np.intp] | slice) -> Vector:
        # Not `@`: over so few rows several threads of BLAS cost many times what they save.
        return np.asarray(np.vecdot(self._values(rows), query), dtype=np.float32)

    def _values(self, rows: NDArray[np.intp] | slice) -> Vector:
        stored = self._matrix.head(len(self._matrix))[rows]
        if not self.reduced:
            return stored
        scales = self._scales.head(len(self._scales))[rows]
        return np.asarray(stored * scales[:, np.newaxis], dtype=np.float32)

    def _rough(self, query: Vector, rows: int) -> Vector:
        """Two unit vectors at an angle differ in that share of their signs."""
        self._need_signs()
        differ = np.zeros(rows, dtype=np.uint16)
        for column, word in zip(self._signs, _signs(query), strict=True):
            differ += np.bitwise_count(column.head(rows) ^ word)
        return _cosines_of_angles(self.dimension).take(differ)

    def _all(self) -> tuple[Column, ...]:
        return (self._matrix, self._scales, *self._signs)

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for column in self._all())


@cache
def _cosines_of_angles(parts: int) -> Vector:
    """The cosine of each part of a half turn."""
    return np.asarray(np.cos(np.arange(parts + 1, dtype=np.float32) * np.float32(np.pi / parts)), dtype=np.float32)
