"""Numpy arrays that grow at the end, so that adding one row to a shelf copies nothing most of the time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_FIRST_ROWS = 64


class Column:
    """One value, or one vector of `width` values, per row."""

    def __init__(self, dtype: DTypeLike, *, width: int = 0, empty: float = 0) -> None:
        self._shape = (width,) if width else ()
        self._empty = empty
        self._cells: NDArray[Any] = np.full((_FIRST_ROWS, *self._shape), empty, dtype=dtype)

    def reserve(self, rows: int) -> None:
        """Make room for `rows` rows in all."""
        have = len(self._cells)
        if rows <= have:
            return
        grown = np.full((max(rows, have * 2), *self._shape), self._empty, dtype=self._cells.dtype)
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
