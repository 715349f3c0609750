"""Numpy arrays that grow at the end, so that adding one row to a shelf copies nothing most of the time."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_FIRST_ROWS = 64
_ROWS_THAT_DOUBLE = 65_536


class Column:
    """One value, or one vector of `width` values, per row."""

    def __init__(self, dtype: DTypeLike, *, width: int = 0, empty: float = 0) -> None:
        self._shape = (width,) if width else ()
        self._empty = empty
        self._cells = self._fresh(_FIRST_ROWS, dtype)

    def restore(self, cells: NDArray[Any]) -> None:
        """Hold these rows, as they are, in the place of all others."""
        self._cells = cells

    def _fresh(self, rows: int, dtype: DTypeLike) -> NDArray[Any]:
        # Zeros that nobody has written to take no memory yet.
        make = partial(np.full, fill_value=self._empty) if self._empty else np.zeros
        return make((rows, *self._shape), dtype=dtype)

    def reserve(self, rows: int) -> None:
        """Make room for `rows` rows in all."""
        have = len(self._cells)
        if rows <= have:
            return
        more = have if have < _ROWS_THAT_DOUBLE else have // 4
        grown = self._fresh(max(rows, have + more), self._cells.dtype)
        grown[:have] = self._cells
        self._cells = grown

    def head(self, rows: int) -> NDArray[Any]:
        """The first `rows` rows, as a view."""
        return self._cells[:rows]

    def __len__(self) -> int:
        return len(self._cells)

    def __getitem__(self, row: int) -> Any:
        return self._cells[row]

    def __setitem__(self, row: int, value: object) -> None:
        self._cells[row] = value

    @property
    def nbytes(self) -> int:
        return self._cells.nbytes
