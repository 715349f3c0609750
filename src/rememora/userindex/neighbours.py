"""Previous and next row of each row in its conversation, kept correct through writes in any order."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rememora.userindex.columns import Column, Room, no_room

NOBODY = -1
NOWHERE = np.iinfo(np.int64).min


class _Loaded(NamedTuple):
    """Rows that were loaded together, and the row before and after each of them."""

    conversations: NDArray[np.int64]
    positions: NDArray[np.int64]
    placed: NDArray[np.bool_]
    before: NDArray[np.intp]
    after: NDArray[np.intp]


class Neighbours:
    """Links between rows; a row without a position is its own neighbour, so that it loses nothing by it.

    Those of rows that are loaded together are two arrays until a row comes or goes.
    """

    def __init__(self, room: Room = no_room) -> None:
        self._room = room
        self._loaded: _Loaded | None = None

    @cached_property
    def _columns(self) -> dict[str, Column]:
        room = self._room
        return {
            "before": Column(np.intp, empty=NOBODY, room=room),
            "after": Column(np.intp, empty=NOBODY, room=room),
            "position": Column(np.int64, empty=NOWHERE, room=room),
            # By conversation: its last row, and the row that came last.
            "tail": Column(np.int64, empty=NOBODY, room=room),
            "latest": Column(np.int64, empty=NOBODY, room=room),
        }

    def _begun(self) -> bool:
        """Check whether a row was ever entered."""
        return self._loaded is not None or "_columns" in self.__dict__

    def _enter_loaded(self) -> None:
        """Lay out the rows that were loaded together: from now on rows come and go."""
        loaded, self._loaded = self._loaded, None
        self._before, self._after, self._position, self._tail, self._latest = self._columns.values()
        if loaded is not None:
            self._enter_many(0, loaded.conversations, loaded.positions, loaded.placed)

    def state(self) -> dict[str, NDArray[Any]]:
        """All of it, as arrays."""
        self._enter_loaded()
        return {name: column.head(len(column)) for name, column in self._columns.items()}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Be what was saved."""
        self._enter_loaded()
        for name, column in self._columns.items():
            column.restore(state[name])

    def add(self, row: int, conversation: int, position: int | None) -> None:
        """Place `row` in its conversation."""
        self._enter_loaded()
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

    def add_many(
        self,
        start: int,
        conversations: NDArray[np.int64],
        positions: NDArray[np.int64],
        placed: NDArray[np.bool_],
    ) -> None:
        """Place rows from `start` on; those that are not `placed` have no neighbours."""
        if not start and not self._begun():
            before, after = _links(conversations, positions, placed)
            self._loaded = _Loaded(conversations, positions, placed, before, after)
            return
        self._enter_loaded()
        self._enter_many(start, conversations, positions, placed)

    def _enter_many(
        self,
        start: int,
        conversations: NDArray[np.int64],
        positions: NDArray[np.int64],
        placed: NDArray[np.bool_],
    ) -> None:
        rows = np.arange(start, start + len(conversations))
        for column in (self._before, self._after, self._position):
            column.reserve(start + len(rows))
        alone = rows[~placed]
        self._before.head(start + len(rows))[alone] = alone
        self._after.head(start + len(rows))[alone] = alone
        if not np.count_nonzero(placed):
            return
        most = int(conversations[placed].max()) + 1
        self._tail.reserve(most)
        self._latest.reserve(most)
        # Where a conversation goes on, each row looks for its place.
        begins = placed & (self._tail.head(most)[np.minimum(conversations, most - 1)] == NOBODY)
        self._begin(rows[begins], conversations[begins], positions[begins])
        for place in np.flatnonzero(placed & ~begins).tolist():
            self.add(start + place, int(conversations[place]), int(positions[place]))

    def _begin(
        self, rows: NDArray[np.intp], conversations: NDArray[np.int64], positions: NDArray[np.int64]
    ) -> None:
        """Place rows of conversations in which nothing stands yet."""
        if not len(rows):
            return
        size = int(rows[-1]) + 1
        before, after, position = (column.head(size) for column in (self._before, self._after, self._position))
        position[rows] = positions
        # Rows are in their order already, and stay in it among equals.
        order = np.lexsort((positions, conversations))
        sorted_rows, sorted_conversations = rows[order], conversations[order]
        same = sorted_conversations[1:] == sorted_conversations[:-1]
        before[sorted_rows[1:][same]] = sorted_rows[:-1][same]
        after[sorted_rows[:-1][same]] = sorted_rows[1:][same]
        most = int(conversations.max()) + 1
        # Of several rows of one conversation the last to be written stays.
        self._tail.head(most)[sorted_conversations] = sorted_rows
        self._latest.head(most)[conversations] = rows

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
        """Remove `row` and link its two neighbours."""
        self._enter_loaded()
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
        return self._side("before", rows)

    def after(self, rows: int) -> NDArray[np.intp]:
        """For each row the row after it, `NOBODY` where there is none."""
        return self._side("after", rows)

    def _side(self, name: Literal["before", "after"], rows: int) -> NDArray[np.intp]:
        if self._loaded is not None:
            return self._loaded.before if name == "before" else self._loaded.after
        return self._columns[name].head(rows)

    @property
    def nbytes(self) -> int:
        if self._loaded is not None:
            return sum(held.nbytes for held in self._loaded)
        return sum(column.nbytes for column in self._columns.values())

    def _link(self, before: int, after: int) -> None:
        if before != NOBODY:
            self._after[before] = after
        if after != NOBODY:
            self._before[after] = before


def _links(
    conversations: NDArray[np.int64], positions: NDArray[np.int64], placed: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The row before and the row after each of some rows, which are all there are."""
    before = np.where(placed, np.intp(NOBODY), np.arange(len(placed)))
    after = before.copy()
    rows = placed.nonzero()[0]
    # Rows are in their order already, and stay in it among equals.
    rows = rows[np.lexsort((positions[rows], conversations[rows]))]
    ordered = conversations[rows]
    same = ordered[1:] == ordered[:-1]
    first, second = rows[:-1][same], rows[1:][same]
    before[second], after[first] = first, second
    return before, after
