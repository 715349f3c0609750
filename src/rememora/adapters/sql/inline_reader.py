"""A connection of the event loop's own, for looks so short that asking another thread would cost more."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from typing import TypeVar

import msgspec

from rememora.errors import StoreUnavailable

T = TypeVar("T")


class InlineReader:
    """Looks and never waits: what cannot be seen at once is None."""

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self._connect = connect
        self._connection: sqlite3.Connection | None = None
        self._closed = False
        # Two event loops may ask one store.
        self._taken = threading.Lock()

    def look(self, act: Callable[[sqlite3.Connection], T]) -> T | None:
        """Return the result of `act`, inside a transaction where it begins one."""
        if not self._taken.acquire(blocking=False):
            return None
        try:
            if self._closed:
                return None
            if self._connection is None:
                self._connection = self._connect()
                self._connection.execute("PRAGMA busy_timeout = 0")
            return act(self._connection)
        except (sqlite3.Error, StoreUnavailable, OverflowError, UnicodeError, msgspec.DecodeError):
            # A reading that waits will say what is wrong.
            return None
        finally:
            self._taken.release()

    def changed(self) -> int | None:
        """Differs once any other connection has committed."""
        return self.look(lambda connection: int(connection.execute("PRAGMA data_version").fetchall()[0][0]))

    def close(self) -> None:
        """Let go of the connection."""
        with self._taken:
            self._closed = True
            if self._connection is not None:
                self._connection.close()
