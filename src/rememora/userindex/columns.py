"""Numpy arrays that grow at the end, so that adding one row to an index copies nothing most of the time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sized
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

LOADED_ROWS = 2_000
"""Rows whose facts are left as they were loaded until one comes or goes: to lay them out would cost more."""
FIRST_ROWS = 64
"""Rows that a column has room for when it is first used."""
_ROWS_THAT_DOUBLE = 65_536
_BYTES_PER_COLUMN = 400
"""What a column takes beside its cells."""
LENT_BYTES = 1024 * 1024
"""Size from which a column asks for room outside of the process's own memory."""
LENT_SHARE = 8
"""Share at which mapped memory counts: a question touches about that part of an index."""

Room = Callable[[tuple[int, ...], DTypeLike], NDArray[Any] | None]
"""Zeros that are not in the process's own memory, or None where there is no place for them."""


def no_room(_: tuple[int, ...], __: DTypeLike) -> None:
    """Everything stays in memory."""


def zeros(shape: tuple[int, ...], dtype: DTypeLike, room: Room, scale: int = 1) -> tuple[NDArray[Any], bool]:
    """Zeros, and whether they are in a room, as they are where they are many and there is one."""
    if math.prod(shape) * np.dtype(dtype).itemsize >= scale * LENT_BYTES:
        cells = room(shape, dtype)
        if cells is not None:
            return cells, True
    # Zeros that nobody has written to take no memory yet.
    return np.zeros(shape, dtype=dtype), False


def weight(cells: NDArray[Any], lent: bool) -> int:
    """Return how many bytes of memory an array counts for."""
    return cells.nbytes // LENT_SHARE if lent else cells.nbytes


@cache
def _no_cells(dtype: np.dtype[Any], width: int) -> tuple[NDArray[Any], Any, tuple[int, ...]]:
    """No rows, as cells and one by one, and the shape of a row."""
    cells: NDArray[Any] = np.zeros((0, width) if width else 0, dtype=dtype)
    return cells, cells if width else cells.data, (width,) if width else ()


class Column:
    """One value, or one vector of `width` values, per row."""

    __slots__ = ("_cells", "_each", "_empty", "_lent", "_room", "_shape")

    def __init__(self, dtype: type[np.generic], *, width: int = 0, empty: float = 0, room: Room = no_room) -> None:
        self._empty, self._room, self._lent = empty, room, False
        # Most people are small and are loaded whole: room is made once, for as many rows as they have.
        self._cells, self._each, self._shape = _no_cells(np.dtype(dtype), width)

    def _hold(self, cells: NDArray[Any], lent: bool) -> None:
        self._cells, self._lent = cells, lent
        # One cell is read and written three times as fast this way as through numpy.
        self._each = cells if self._shape else cells.data

    def restore(self, cells: NDArray[Any]) -> None:
        """Hold these rows, as they are, in the place of all others."""
        self._hold(np.asarray(cells), isinstance(cells, np.memmap))

    def _fresh(self, rows: int, dtype: DTypeLike) -> tuple[NDArray[Any], bool]:
        # A matrix has many bytes long before it has many rows.
        cells, lent = zeros((rows, *self._shape), dtype, self._room, scale=32 if self._shape else 1)
        if self._empty:
            cells.fill(self._empty)
        return cells, lent

    def reserve(self, rows: int) -> None:
        """Make room for `rows` rows in all."""
        have = len(self._cells)
        if rows <= have:
            return
        more = have if have < _ROWS_THAT_DOUBLE else have // 4
        grown, lent = self._fresh(max(rows, have + more, FIRST_ROWS), self._cells.dtype)
        if have:
            grown[:have] = self._cells
        self._hold(grown, lent)

    def fill(self, start: int, end: int, values: Any) -> None:
        """Put one value, or one each, into the rows from `start` up to `end`."""
        if not len(self._cells):
            dtype = self._cells.dtype
            if end * dtype.itemsize < LENT_BYTES and not (self._shape or start):
                # Nothing is there to be copied, and none of it has to be zero first.
                cells = np.empty(end, dtype=dtype)
                cells[:] = values
                self._hold(cells, False)
                return
        self.reserve(end)
        self._cells[start:end] = values

    def write(self, start: int, values: Sized) -> None:
        """Put several values, of the column's own kind, from a row on."""
        self.reserve(start + len(values))
        self._each[start : start + len(values)] = values

    def head(self, rows: int) -> NDArray[Any]:
        """The first `rows` rows, as a view."""
        return self._cells[:rows]

    def __len__(self) -> int:
        return len(self._cells)

    def __getitem__(self, row: int | slice) -> Any:
        return self._each[row]

    def __setitem__(self, row: int, value: object) -> None:
        self._each[row] = value

    @property
    def nbytes(self) -> int:
        return _BYTES_PER_COLUMN + weight(self._cells, self._lent)
