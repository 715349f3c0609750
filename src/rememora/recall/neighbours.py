"""Which row comes before and after which in its conversation, kept right through writes in any order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rememora.recall.columns import Column, Room, no_room
from rememora.settings.weights import Weights

NOBODY = -1
NOWHERE = np.iinfo(np.int64).min
_NOTHING = np.zeros(1, dtype=np.float32)


class Neighbours:
    """A row without a position stands alone and is its own neighbour, so that it loses nothing by it."""

    def __init__(self, room: Room = no_room) -> None:
        self._columns = {
            "before": Column(np.intp, empty=NOBODY, room=room),
            "after": Column(np.intp, empty=NOBODY, room=room),
            "position": Column(np.int64, empty=NOWHERE, room=room),
            # By conversation: its last row, and the row that came last.
            "tail": Column(np.int64, empty=NOBODY, room=room),
            "latest": Column(np.int64, empty=NOBODY, room=room),
        }
        self._before, self._after, self._position, self._tail, self._latest = self._columns.values()

    def state(self) -> dict[str, NDArray[Any]]:
        """All of it, as arrays."""
        return {name: column.head(len(column)) for name, column in self._columns.items()}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Be what was saved."""
        for name, column in self._columns.items():
            column.restore(state[name])

    def add(self, row: int, conversation: int, position: int | None) -> None:
        """Place `row` in its conversation."""
        for column in (self._before, self._after, self._position):
            column.reserve(row + 1)
        if position is None:
            self._link(row, row)
            return
        self._tail.reserve(conversation + 1)
        self._latest.reserve(conversation + 1)
        before, after = self._place(conversation, position)
        self._position[row] = position
        self._link(before, row)
        self._link(row, after)
        self._latest[conversation] = row
        if after == NOBODY:
            self._tail[conversation] = row

    def _place(self, conversation: int, position: int) -> tuple[int, int]:
        """Between which rows a position lies: mostly after all of them, else near the one that came last."""
        tail = int(self._tail[conversation])
        if tail == NOBODY or self._position[tail] <= position:
            return tail, NOBODY
        before = int(self._latest[conversation])
        after = int(self._after[before])
        while before != NOBODY and self._position[before] > position:
            before, after = int(self._before[before]), before
        # The tail comes after the position, so that this ends.
        while self._position[after] <= position:
            before, after = after, int(self._after[after])
        return before, after

    def remove(self, row: int, conversation: int) -> None:
        """Take `row` out and join the two beside it."""
        before, after = int(self._before[row]), int(self._after[row])
        self._before[row] = self._after[row] = NOBODY
        if self._position[row] == NOWHERE:
            return
        self._position[row] = NOWHERE
        self._link(before, after)
        if after == NOBODY:
            self._tail[conversation] = before
        if self._latest[conversation] == row:
            self._latest[conversation] = self._tail[conversation]

    def before(self, rows: int) -> NDArray[np.intp]:
        """For each row the row before it, `NOBODY` where there is none."""
        return self._before.head(rows)

    def after(self, rows: int) -> NDArray[np.intp]:
        """For each row the row after it, `NOBODY` where there is none."""
        return self._after.head(rows)

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for column in self._columns.values())

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
    padded = np.concatenate((values, _NOTHING))
    return np.asarray(np.float32(shares[0]) * padded.take(before) + np.float32(shares[1]) * padded.take(after))


def leaning(lengths: NDArray[np.float32], weights: Weights, assistance: float) -> NDArray[np.float32]:
    """How much each row leans on its neighbours: 1 for a short turn between people, 0 for a long one."""
    shortness = (weights.alone_from - lengths) / (weights.alone_from - weights.leaning_until)
    share = 1 - (1 - weights.assisted) * assistance
    return np.asarray(np.clip(shortness, 0, 1) * share, dtype=np.float32)
