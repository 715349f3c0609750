"""Reads a database file in parallel to SQLite without costing SQLite its locks.

POSIX takes every lock that a process has on a file from it as soon as the process closes any descriptor of that
file. A process that opens the database to look into it, and closes it, lets the next process that leaves believe
it is the last one, and take the write-ahead log away with all that is written after. So one descriptor is kept for
a file until no store of this process is open on it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0)


class _OpenFile:
    """An open file, and how many stores it is kept for."""

    def __init__(self, file: Path) -> None:
        self.number = os.open(file, _FLAGS)
        self.stores = 0


_kept: dict[tuple[int, int], _OpenFile] = {}
_lock = threading.Lock()


class Descriptor:
    """The way for one store to read its own file, between its opening and its closing."""

    def __init__(self, file: Path) -> None:
        self.file = file
        with _lock:
            status = file.stat()
            self._place = (status.st_dev, status.st_ino)
            if self._place not in _kept:
                _kept[self._place] = _OpenFile(file)
            self._kept = _kept[self._place]
            self._kept.stores += 1

    def close(self) -> None:
        """Let it go; not before the store's own connections are closed."""
        with _lock:
            self._kept.stores -= 1
            if not self._kept.stores:
                os.close(_kept.pop(self._place).number)

    def pieces(self, size: int) -> Iterator[bytes]:
        """Yield the whole file, that many bytes at a time."""
        place = 0
        while piece := self._read(size, place):
            yield piece
            place += len(piece)

    def _read(self, size: int, place: int) -> bytes:
        # Several may read at once, and each goes on where it was.
        with _lock:
            os.lseek(self._kept.number, place, os.SEEK_SET)
            return os.read(self._kept.number, size)
