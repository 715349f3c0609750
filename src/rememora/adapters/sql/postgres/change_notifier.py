"""Word between processes that something was written: LISTEN and NOTIFY on a connection of its own.

The word is passed on after the commit, not inside it, and at most once in a while: a NOTIFY inside each
transaction would put all commits of a server in one row. A process that dies in between is found out by polling.
"""

from __future__ import annotations

import logging
import selectors
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import psycopg

from rememora.adapters.sql.postgres.connect import connect, connect_timeout_of
from rememora.adapters.sql.postgres.texts import tell
from rememora.domain.ids import new_id
from rememora.settings import StoreSettings

logger = logging.getLogger(__name__)

CHANNEL = "rememora"
PACE_SECONDS = 0.05
LINGER_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 30.0


class ChangeNotifier:
    """Rings here when another process wrote, and there when this one did."""

    def __init__(self, url: str, ring: Callable[[], None], settings: StoreSettings, *, listens: bool) -> None:
        self._url = url
        self._ring = ring
        self._settings = settings
        self._listens = listens
        self._name = new_id()
        self._pending = False
        self._stopping = False
        self._inside, self._outside = socket.socketpair()
        self._thread = threading.Thread(target=self._live, name="rememora-bell", daemon=True)

    def start(self) -> None:
        """Listen from now on."""
        self._thread.start()

    def tell(self) -> None:
        """Something was committed here."""
        if not self._pending:
            self._pending = True
            self._wake()

    def stop(self) -> None:
        """Send the remaining notifications, then stop; a server that does not answer is not waited for."""
        self._stopping = True
        self._wake()
        self._thread.join(connect_timeout_of(self._settings) + 1)
        self._outside.close()

    def _wake(self) -> None:
        # It may have seen for itself that it is to stop, and be gone.
        with suppress(OSError):
            self._outside.send(b"!")

    def _live(self) -> None:
        # Closed by whoever uses it last, which may be long after the store is.
        with self._inside:
            self._keep_on()

    def _keep_on(self) -> None:
        self._linger()
        failures = 0
        # Whoever stops it with something left to be told has that told, if it can be.
        while not self._stopping or (self._pending and not failures):
            try:
                with connect(self._url, self._settings, name="bell") as connection:
                    failures = 0
                    self._listen(connection)
            except psycopg.Error as error:
                failures += 1
                logger.warning(
                    "cannot listen for notifications, %d times in a row: %s", failures, type(error).__name__
                )
                self._rest(min(PACE_SECONDS * 2.0**failures, LONGEST_PAUSE_SECONDS))

    def _linger(self) -> None:
        """Connect only when there is something to tell, or after a while: many a process is gone before."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._inside, selectors.EVENT_READ)
            if selector.select(LINGER_SECONDS):
                self._inside.recv(4096)

    def _rest(self, seconds: float) -> None:
        """Wait, unless told to stop meanwhile."""
        give_up_at = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._inside, selectors.EVENT_READ)
            while not self._stopping and (left := give_up_at - time.monotonic()) > 0:
                if selector.select(left):
                    self._inside.recv(4096)

    def _listen(self, connection: psycopg.Connection[Any]) -> None:
        if self._listens:
            tell(connection, "listen", channel=CHANNEL)
            # What was written while nobody listened has been missed.
            self._ring()
        with selectors.DefaultSelector() as selector:
            selector.register(self._inside, selectors.EVENT_READ)
            selector.register(connection.fileno(), selectors.EVENT_READ)
            while True:
                self._tell(connection)
                if self._stopping:
                    return
                woken = {key.fileobj for key, _ in selector.select()}
                if self._inside in woken:
                    self._inside.recv(4096)
                self._hear(connection)

    def _tell(self, connection: psycopg.Connection[Any]) -> None:
        if self._pending:
            self._pending = False
            tell(connection, "notify", {"channel": CHANNEL, "said": self._name})
            if not self._stopping:
                self._rest(PACE_SECONDS)

    def _hear(self, connection: psycopg.Connection[Any]) -> None:
        if not self._listens:
            return
        if any(heard.payload != self._name for heard in connection.notifies(timeout=0)):
            self._ring()
