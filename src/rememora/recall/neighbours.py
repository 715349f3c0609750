"""Which row comes before and after which in its conversation, kept right through writes in any order."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rememora.recall.columns import Column
from rememora.recall.weights import Weights

NOBODY = -1


class Neighbours:
    """A row without a position stands alone and is its own neighbour, so that it loses nothing by it."""

    def __init__(self) -> None:
        self._before = Column(np.intp, empty=NOBODY)
        self._after = Column(np.intp, empty=NOBODY)
        self._lines: dict[int, tuple[array[int], array[int]]] = {}
        """Per conversation the positions, in order, and their rows."""

    def state(self) -> dict[str, NDArray[Any]]:
        """All of it, as arrays."""
        lines = list(self._lines.values())
        return {
            "before": self._before.head(len(self._before)),
            "after": self._after.head(len(self._after)),
            "lines": np.array(list(self._lines), dtype=np.int64),
            "sizes": np.array([len(rows) for _, rows in lines], dtype=np.int64),
            "positions": np.frombuffer(b"".join(bytes(positions) for positions, _ in lines), dtype=np.int64),
            "rows": np.frombuffer(b"".join(bytes(rows) for _, rows in lines), dtype=np.int64),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Be what was saved."""
        self._before.restore(state["before"])
        self._after.restore(state["after"])
        ends = np.cumsum(state["sizes"]).tolist()
        for line, start, end in zip(state["lines"].tolist(), [0, *ends], ends, strict=False):
            spans = (state[name][start:end].tobytes() for name in ("positions", "rows"))
            self._lines[line] = (array("q", next(spans)), array("q", next(spans)))

    def add(self, row: int, conversation: int, position: int | None) -> None:
        """Place `row` in its conversation."""
        self._before.reserve(row + 1)
        self._after.reserve(row + 1)
        if position is None:
            self._link(row, row)
            return
        positions, rows = self._lines.setdefault(conversation, (array("q"), array("q")))
        place = bisect_right(positions, position)
        positions.insert(place, position)
        rows.insert(place, row)
        self._link(rows[place - 1] if place else NOBODY, row)
        self._link(row, rows[place + 1] if place + 1 < len(rows) else NOBODY)

    def remove(self, row: int, conversation: int, position: int | None) -> None:
        """Take `row` out and join the two beside it."""
        before, after = int(self._before[row]), int(self._after[row])
        self._before[row] = self._after[row] = NOBODY
        if position is None:
            return
        positions, rows = self._lines[conversation]
        place = rows.index(row, bisect_left(positions, position))
        del positions[place], rows[place]
        if not rows:
            del self._lines[conversation]
        self._link(before, after)

    def before(self, rows: int) -> NDArray[np.intp]:
        """For each row the row before it, `NOBODY` where there is none."""
        return self._before.head(rows)

    def after(self, rows: int) -> NDArray[np.intp]:
        """For each row the row after it, `NOBODY` where there is none."""
        return self._after.head(rows)

    @property
    def nbytes(self) -> int:
        return self._before.nbytes + self._after.nbytes

    def _link(self, before: int, after: int) -> None:
        if before != NOBODY:
            self._after[before] = after
        if after != NOBODY:
            self._before[after] = before


def shared(
    values: NDArray[np.float32],
    before: NDArray[np.intp],
    after: NDArray[np.intp],
    shares: tuple[float, float],
) -> NDArray[np.float32]:
    """What each row gets of the value before it and of the value after it."""
    # `NOBODY` is the last place, and nothing is there.
    padded = np.append(values, np.float32(0))
    earlier, later = np.take(padded, before), np.take(padded, after)
    return np.asarray(np.float32(shares[0]) * earlier + np.float32(shares[1]) * later)


def leaning(lengths: NDArray[np.float32], weights: Weights, assistance: float) -> NDArray[np.float32]:
    """How much each row leans on its neighbours: 1 for a short turn between people, 0 for a long one."""
    shortness = (weights.alone_from - lengths) / (weights.alone_from - weights.leaning_until)
    share = 1 - (1 - weights.assisted) * assistance
    return np.asarray(np.clip(shortness, 0, 1) * share, dtype=np.float32)
