"""Which row stands for which name, and which name for which row, in a few bytes each."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

_EMPTY, _LEFT = -1, -2
_FIRST_SLOTS = 128


def _mark(name: bytes) -> int:
    return int.from_bytes(blake2b(name, digest_size=8).digest(), "little")


def mark_of(text: str) -> int:
    """A number for a text, the same in every process, that no other text is likely to have."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little", signed=True)


class Places:
    """Names by row as one run of bytes, rows by name in a table that is never more than half full."""

    def __init__(self) -> None:
        self._names = bytearray()
        self._starts = array("q")
        self._lengths = array("i")
        self._slots: NDArray[np.int32] = np.full(_FIRST_SLOTS, _EMPTY, dtype=np.int32)
        self._used = 0
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        return len(self._names) + 12 * len(self._starts) + self._slots.nbytes

    def state(self) -> dict[str, NDArray[Any]]:
        """All of it, as arrays."""
        return {
            "names": np.frombuffer(bytes(self._names), dtype=np.uint8),
            "starts": np.array(self._starts, dtype=np.int64),
            "lengths": np.array(self._lengths, dtype=np.int32),
            "slots": self._slots,
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Be what was saved."""
        self._names = bytearray(state["names"].tobytes())
        self._starts, self._lengths = array("q", state["starts"].tobytes()), array("i", state["lengths"].tobytes())
        self._slots = state["slots"]
        self._used = int(np.count_nonzero(self._slots != _EMPTY))
        self._count = int(np.count_nonzero(self._slots >= 0))

    def get(self, name: str) -> int | None:
        """The row of a name."""
        slot = self._find(name.encode())
        return None if slot is None else int(self._slots[slot])

    def name(self, row: int) -> str:
        """The name of a row, empty where the row is."""
        return self._bytes(row).decode()

    def put(self, name: str, row: int) -> None:
        """Give a row its name; neither is taken."""
        written = name.encode()
        missing = row + 1 - len(self._starts)
        if missing > 0:
            self._starts.extend([0] * missing)
            self._lengths.extend([0] * missing)
        self._starts[row], self._lengths[row] = len(self._names), len(written)
        self._names += written
        if 2 * (self._used + 1) > len(self._slots):
            self._grow()
        else:
            self._enter(written, row)
        self._count += 1

    def pop(self, name: str) -> int | None:
        """Take a name away, to the byte; returns the row it stood for."""
        slot = self._find(name.encode())
        if slot is None:
            return None
        row = int(self._slots[slot])
        self._slots[slot] = _LEFT
        start, length = self._starts[row], self._lengths[row]
        self._names[start : start + length] = bytes(length)
        self._lengths[row] = 0
        self._count -= 1
        return row

    def _bytes(self, row: int) -> bytes:
        start = self._starts[row]
        return bytes(self._names[start : start + self._lengths[row]])

    def _find(self, written: bytes) -> int | None:
        last = len(self._slots) - 1
        slot = _mark(written) & last
        while (row := int(self._slots[slot])) != _EMPTY:
            if row >= 0 and self._bytes(row) == written:
                return slot
            slot = (slot + 1) & last
        return None

    def _enter(self, written: bytes, row: int) -> None:
        last = len(self._slots) - 1
        slot = _mark(written) & last
        while self._slots[slot] != _EMPTY:
            slot = (slot + 1) & last
        self._slots[slot] = row
        self._used += 1

    def _grow(self) -> None:
        """A table with room for twice as many, without the slots that names left; and the bytes without theirs."""
        rows = [(row, self._bytes(row)) for row in range(len(self._starts)) if self._lengths[row]]
        slots = len(self._slots)
        while slots < 4 * len(rows):
            slots *= 2
        self._slots = np.full(slots, _EMPTY, dtype=np.int32)
        self._names, self._used = bytearray(), 0
        for row, written in rows:
            self._starts[row] = len(self._names)
            self._names += written
            self._enter(written, row)
