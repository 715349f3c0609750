"""Rows by name and names by row, in a few bytes each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rememora.userindex.columns import Column, Room, no_room, weight, zeros
from rememora.userindex.marks import mark_of_bytes

_EMPTY, _LEFT = -1, -2
_FIRST_SLOTS = 128
_ENTERED_AT_ONCE = 65_536
_FEW_LISTED, _LOOKS = 512, 8
"""Names that are looked for in their list, and how often that is done among more: for the hits of a question."""
_BYTES_LISTED = 57
"""Bytes that a listed name takes beside its letters."""

Rows = NDArray[np.int32]


_NO_SLOTS: Rows = np.full(1, _EMPTY, dtype=np.int32)


class IdTable:
    """Names by row as one run of bytes, rows by name in a table that is never more than half full.

    Those of rows that are loaded together are only listed until one comes or goes: few are ever looked for.
    """

    def __init__(self, room: Room = no_room) -> None:
        self._room = room
        self._end = self._rows = self._used = self._count = 0
        self._listed: Sequence[str] = ()
        self._listed_marks: NDArray[np.int64] | None = None
        self._looked = 0
        self._slots, self._slots_lent = _NO_SLOTS, False

    # Most people are small and only listed: what the table is made of comes with the first name that is entered.
    @cached_property
    def _names(self) -> Column:
        return Column(np.uint8, room=self._room)

    @cached_property
    def _starts(self) -> Column:
        return Column(np.int64, room=self._room)

    @cached_property
    def _lengths(self) -> Column:
        return Column(np.int32, room=self._room)

    @cached_property
    def _marks(self) -> Column:
        return Column(np.int64, room=self._room)

    @property
    def _columns(self) -> dict[str, Column]:
        return {"starts": self._starts, "lengths": self._lengths, "marks": self._marks}

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        if self._listed:
            # Of one user they are about as long as each other.
            return (len(self._listed[0]) + _BYTES_LISTED) * len(self._listed)
        columns = (self._names, *self._columns.values())
        return sum(column.nbytes for column in columns) + weight(self._slots, self._slots_lent)

    def state(self) -> dict[str, NDArray[Any]]:
        """All of it, as arrays."""
        self._enter_listed()
        columns = {name: column.head(self._rows) for name, column in self._columns.items()}
        return {**columns, "names": self._names.head(self._end), "slots": self._slots}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Be what was saved."""
        for name, column in self._columns.items():
            column.restore(state[name])
        self._names.restore(state["names"])
        self._end, self._rows = len(state["names"]), len(state["starts"])
        self._slots, self._slots_lent = np.asarray(state["slots"]), isinstance(state["slots"], np.memmap)
        self._used = int(np.count_nonzero(self._slots != _EMPTY))
        self._count = int(np.count_nonzero(self._slots >= 0))

    def get(self, name: str) -> int | None:
        """The row of a name."""
        if self._listed and (len(self._listed) <= _FEW_LISTED or self._looked < _LOOKS):
            self._looked += 1
            return self._listed.index(name) if name in self._listed else None
        slot = self._find(name.encode())
        return None if slot is None else int(self._slots[slot])

    def name(self, row: int) -> str:
        """The name of a row, empty where the row is."""
        if self._listed:
            return self._listed[row] if row < self._rows else ""
        return self._bytes(row).decode() if row < self._rows else ""

    def put(self, name: str, row: int) -> None:
        """Give a row its name; neither is taken."""
        self._enter_listed()
        written = name.encode()
        for column in self._columns.values():
            column.reserve(row + 1)
        self._rows = max(self._rows, row + 1)
        self._starts[row], self._lengths[row], self._marks[row] = self._end, len(written), mark_of_bytes(written)
        self._names.write(self._end, written)
        self._end += len(written)
        if 2 * (self._used + 1) > len(self._slots):
            self._grow()
        else:
            self._enter_one(row)
        self._count += 1

    def put_many(self, names: Sequence[str], start: int, marks: NDArray[np.int64] | None = None) -> None:
        """Give rows from `start` on their names, none of which is taken; `marks` are those of the names."""
        if not self._rows and not start:
            self._listed, self._listed_marks = names, marks
            self._rows = self._count = len(names)
            return
        self._enter_listed()
        self._enter_names(names, start, marks)
        self._count += len(names)

    def _enter_listed(self) -> None:
        if self._listed:
            names, self._listed = self._listed, ()
            self._enter_names(names, 0, self._listed_marks)
            self._listed_marks = None

    def _enter_names(self, names: Sequence[str], start: int, marks: NDArray[np.int64] | None) -> None:
        written = [name.encode() for name in names]
        lengths = np.fromiter(map(len, written), np.int64, len(written))
        if marks is None:
            marks = np.fromiter(map(mark_of_bytes, written), np.int64, len(written))
        rows, end = start + len(written), self._end + int(lengths.sum())
        self._names.fill(self._end, end, np.frombuffer(b"".join(written), dtype=np.uint8))
        starts = self._end + np.cumsum(lengths) - lengths
        for column, values in ((self._starts, starts), (self._lengths, lengths), (self._marks, marks)):
            column.fill(start, rows, values)
        self._end, self._rows = end, max(self._rows, rows)
        if 2 * (self._used + len(written)) > len(self._slots):
            self._grow()
        else:
            self._enter(np.arange(start, rows, dtype=np.int32))

    def pop(self, name: str) -> int | None:
        """Take a name away, to the byte; returns the row it stood for."""
        slot = self._find(name.encode())
        if slot is None:
            return None
        row = int(self._slots[slot])
        self._slots[slot] = _LEFT
        start, length = self._starts[row], self._lengths[row]
        self._names.head(start + length)[start:] = 0
        self._lengths[row] = self._marks[row] = 0
        self._count -= 1
        return row

    def _bytes(self, row: int) -> bytes:
        start = self._starts[row]
        written: bytes = self._names[start : start + self._lengths[row]].tobytes()
        return written

    def _find(self, written: bytes) -> int | None:
        self._enter_listed()
        last, mark = len(self._slots) - 1, mark_of_bytes(written)
        slot = mark & last
        while (row := int(self._slots[slot])) != _EMPTY:
            if row >= 0 and self._marks[row] == mark and self._bytes(row) == written:
                return slot
            slot = (slot + 1) & last
        return None

    def _enter_one(self, row: int) -> None:
        last = len(self._slots) - 1
        slot = self._marks[row] & last
        while self._slots[slot] != _EMPTY:
            slot = (slot + 1) & last
        self._slots[slot] = row
        self._used += 1

    def _enter(self, rows: Rows) -> None:
        """Give each row the first slot that is free, from the one its mark says."""
        self._used += len(rows)
        last = len(self._slots) - 1
        slots = self._marks.head(self._rows)[rows] & last
        while len(rows):
            free = self._slots[slots] == _EMPTY
            # Of several that want one slot, the one that has it stays there.
            self._slots[slots[free]] = rows[free]
            others = self._slots[slots] != rows
            rows, slots = rows[others], (slots[others] + 1) & last

    def _grow(self) -> None:
        """A table with room for twice as many, without the slots that names left; and the bytes without theirs."""
        there = self._lengths.head(self._rows)
        slots, names = max(_FIRST_SLOTS, len(self._slots)), int(np.count_nonzero(there))
        while slots < 4 * names:
            slots *= 2
        if 2 * int(there.sum(dtype=np.int64)) < self._end:
            self._close_up()
        self._used = 0
        self._set_slots(slots)
        for start in range(0, self._rows, _ENTERED_AT_ONCE):
            rows = np.flatnonzero(there[start : start + _ENTERED_AT_ONCE]) + start
            self._enter(rows.astype(np.int32))

    def _close_up(self) -> None:
        names, end = Column(np.uint8, room=self._room), 0
        for row in np.flatnonzero(self._lengths.head(self._rows)).tolist():
            written = self._bytes(row)
            names.write(end, written)
            self._starts[row] = end
            end += len(written)
        self._names, self._end = names, end

    def _set_slots(self, count: int) -> None:
        self._slots, self._slots_lent = zeros((count,), np.int32, self._room)
        self._slots.fill(_EMPTY)
