"""A read replica, asked only once it has replayed all that this process has written, and left alone when away."""

from __future__ import annotations

import threading
import time

import psycopg

from rememora.adapters.sql.postgres.connections import LOOK, Connections
from rememora.adapters.sql.postgres.session import Session
from rememora.adapters.sql.postgres.texts import tell
from rememora.errors import RememoraError

NEVER = 2**64 - 1
REST_SECONDS = 5.0
PATIENCE_SECONDS = 1.0


class Replica:
    """Follows the primary; `wrote` says how far it has to be before this process reads from it."""

    def __init__(self, connections: Connections, *, owner_url: str) -> None:
        self.connections = connections
        self._owner_url = owner_url
        self._checked = False
        self._lock = threading.Lock()
        self._written = 0
        self._replayed = -1
        self._away_until = 0.0

    def prepare(self) -> None:
        """Nothing is asked of it before its role has passed the same check as the primary's."""
        if self._checked:
            return
        try:
            self.connections.open(self._owner_url)
        except (psycopg.Error, RememoraError):
            self.failed()
            raise
        self._checked = True

    @property
    def away(self) -> bool:
        """Whether it failed lately, and is left alone for a while."""
        return time.monotonic() < self._away_until

    def failed(self) -> None:
        """Nobody waits for it again at once."""
        self._away_until = time.monotonic() + REST_SECONDS

    def wrote(self, session: Session) -> None:
        """Note where the primary's log stands after a commit; unknown, nothing is asked here any more."""
        try:
            row = tell(session.connection, "written_up_to").fetchone()
            written = int(row[0]) if row else NEVER
        except psycopg.Error:
            # The commit itself went well, and its caller is told so.
            written = NEVER
        with self._lock:
            # Of two commits at once the later counts, whichever is noted first; what was unknown is known again.
            known = 0 if self._written == NEVER else self._written
            self._written = max(known, written)

    def caught_up(self) -> bool:
        """Whether it has all that this process wrote; asked until it has, once after each write."""
        self.prepare()
        written = self._written
        if self._replayed >= written:
            return True
        with self.connections.begun(LOOK) as session:
            row = tell(session.connection, "replayed_up_to").fetchone()
        # A primary has nothing to replay, and says so with nothing.
        self._replayed = -1 if row is None or row[0] is None else int(row[0])
        return self._replayed >= written
