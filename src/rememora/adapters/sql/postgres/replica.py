"""A read replica, used only once it has replayed everything this process has written, and skipped while away.

Several may share one address: a connection's server is identified on that connection, never once for all.
"""

from __future__ import annotations

import threading
import time
from weakref import WeakKeyDictionary

import psycopg

from rememora.adapters.sql.postgres.connections import LOOK, Connections
from rememora.adapters.sql.postgres.session import Opening, PostgresSession, own_statement
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
        self._replayed: WeakKeyDictionary[PostgresSession, int] = WeakKeyDictionary()
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
        """Return whether it failed recently, and is skipped for a while."""
        return time.monotonic() < self._away_until

    def failed(self) -> None:
        """Nobody waits for it again at once."""
        self._away_until = time.monotonic() + REST_SECONDS

    @property
    def lost(self) -> bool:
        """Return whether the required position is unknown, so that the primary has to be asked."""
        return self._written == NEVER

    def wrote(self, session: PostgresSession) -> None:
        """Record the position of the primary's log after a commit."""
        try:
            [[place]] = session.rows(session.ask(own_statement("written_up_to"), {}))
            written = int(place)
        except psycopg.Error:
            # The commit itself went well, and its caller is told so.
            written = NEVER
        with self._lock:
            # Of two commits at once the later counts, whichever is noted first; what was unknown is known again.
            known = 0 if self._written == NEVER else self._written
            self._written = max(known, written)

    def reaches(self, session: PostgresSession, opening: Opening) -> bool:
        """Return whether this session's server has everything this process wrote, in a read begun by `opening`.

        It is asked before the snapshot of the read is taken, and so the read begins again; between the two
        no transaction is left open, so that a pooler cannot hand us to another server.
        """
        written = self._written
        with self._lock:
            known = -1 if self.connections.pooled else self._replayed.get(session, -1)
        if known >= written:
            return True
        session.begin_anew(LOOK)
        [[place]] = session.rows(session.ask(own_statement("replayed_up_to"), {}))
        # A primary has nothing to replay, and says so with nothing.
        replayed = -1 if place is None else int(place)
        with self._lock:
            self._replayed[session] = replayed
        if replayed < written:
            return False
        session.begin_anew(opening)
        return True
