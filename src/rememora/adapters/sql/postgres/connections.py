"""Connections to PostgreSQL: how they are kept, how a transaction begins, and what their failures mean."""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg
from psycopg import errors, pq
from psycopg.types import TypeInfo

from rememora.adapters.sql.postgres.check import check_store
from rememora.adapters.sql.postgres.connect import SLACK_SECONDS, Connection, connect, timeout_of
from rememora.adapters.sql.postgres.roles import operator_of, quoted
from rememora.adapters.sql.postgres.session import (
    Opening,
    PostgresSession,
    PreparedQuery,
    ServerTimeout,
    own_statement,
    statement,
)
from rememora.adapters.sql.postgres.texts import tell
from rememora.adapters.sql.postgres.types import learn_types
from rememora.adapters.sql.transaction import Params
from rememora.errors import Conflict, Forbidden, RememoraError, StoreDamaged, StoreUnavailable
from rememora.settings import StoreSettings
from rememora.settings.urls import without_password

LOCK_SEED = 7_163_025_001
"""Sets our locks on tenants apart from any other program's on the same server."""

# Named each time: a server, a database or a role may have another default, under which writers would collide.
_BEGIN: tuple[PreparedQuery, Params] = (statement("BEGIN ISOLATION LEVEL READ COMMITTED"), {})
_BEGIN_READING: tuple[PreparedQuery, Params] = (statement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"), {})
LOOK: Opening = [(statement("BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY"), {})]
"""How a transaction begins that looks at the server alone."""

IDLE_SECONDS = 300.0
"""A connection that nobody used for so long is ended."""


class Connections:
    """Connections to one URL, as many as there are threads that ask; each transaction first says whose it is.

    A pool of our own: a thread never waits for another's connection here, and after a failure it is tried again as
    soon as the next caller asks, not when a pool's patience ends.
    """

    def __init__(self, url: str, settings: StoreSettings, *, name: str) -> None:
        self._url = url
        self._settings = settings
        self._name = name
        self._lock = threading.Lock()
        self._idle: deque[tuple[float, PostgresSession]] = deque()
        self._closed = False
        self.user = ""
        self.pooled = False
        self._vector: TypeInfo | None = None
        self._limit = _milliseconds(settings.statement_seconds)
        self._idling = _milliseconds(settings.statement_seconds + SLACK_SECONDS)

    def open(self, owner_url: str) -> None:
        """Connect once, refuse a role that could bypass tenant isolation, and report the role and any pooler.

        `owner_url` is the address for the store's owner, who has to fix a refused setup.
        """
        with self._reached() as connection:
            role = check_store(connection, url=owner_url)
            self.user = role.user
            self._vector = None if role.vector is None else TypeInfo("vector", role.vector, 0)
            # A pooler between us answers with a number of its own; what it hands on may be anybody's session.
            self.pooled = role.backend != connection.info.backend_pid
        self._give_back(self._session(connection))

    @contextmanager
    def _reached(self) -> Iterator[Connection]:
        """A new connection, which ends if anything goes wrong."""
        try:
            connection = self._connect()
        except psycopg.Error as error:
            raise unavailable(self._url, error) from None
        try:
            yield connection
        except BaseException:
            connection.close()
            raise

    def close(self) -> None:
        """End every connection."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, deque()
        for _, session in idle:
            session.close()

    def let_go(self) -> None:
        """End what is idle: one was found dead, and the others may be."""
        with self._lock:
            idle, self._idle = self._idle, deque()
        for _, session in idle:
            session.close()

    @contextmanager
    def apart(self) -> Iterator[Connection]:
        """A connection of its own, for what is no transaction."""
        with self._reached() as connection:
            if not self.pooled:
                # A pooler would hand it on to whoever comes next.
                tell(connection, "take_all_the_time_from_now_on")
            yield connection
        connection.close()

    @contextmanager
    def begun(self, opening: Opening) -> Iterator[PostgresSession]:
        """A session inside a transaction that began with `opening`; what is not committed is taken back."""
        session = self._begin(opening)
        try:
            yield session
        finally:
            self._give_back(session)

    @contextmanager
    def beginning(self, opening: Opening) -> Iterator[PostgresSession]:
        """As `begun`, but what is asked first begins it, and finds out whether the connection is still there."""
        session = self._reachable()
        try:
            session.begin(opening, at_once=False)
            yield session
        finally:
            self._give_back(session)

    def _begin(self, opening: Opening) -> PostgresSession:
        """Nothing was done before the first statement: a connection that died idle costs a wait alone."""
        give_up_at = time.monotonic() + self._settings.connect_seconds
        while True:
            session = self._reachable()
            try:
                session.begin(opening)
            except psycopg.Error as error:
                self._give_back(session)
                # The server answered: its refusal is the caller's. A broken session is replaced, until the time is
                # up.
                if not session.broken:
                    raise
                if time.monotonic() > give_up_at:
                    raise unavailable(self._url, error) from None
            else:
                return session

    def _reachable(self) -> PostgresSession:
        """A session, waiting a while for a server that does not answer."""
        give_up_at = time.monotonic() + self._settings.connect_seconds
        while True:
            try:
                return self._take()
            except psycopg.Error as error:
                if time.monotonic() > give_up_at:
                    raise unavailable(self._url, error) from None
                time.sleep(random.uniform(0.001, 0.05))

    def _take(self) -> PostgresSession:
        """The session that was used last, since it is the warmest, or one more."""
        with self._lock:
            if self._closed:
                raise StoreUnavailable("the store is not open")
            if self._idle:
                return self._idle.pop()[1]
        return self._session(self._connect())

    def _give_back(self, session: PostgresSession) -> None:
        session.forget()
        if session.status in (pq.TransactionStatus.INTRANS, pq.TransactionStatus.INERROR):
            with suppress(psycopg.Error):
                session.tell(b"ROLLBACK")
        now = time.monotonic()
        leaving = []
        with self._lock:
            if self._closed or session.status != pq.TransactionStatus.IDLE:
                leaving.append(session)
            else:
                self._idle.append((now, session))
            while self._idle and self._idle[0][0] < now - IDLE_SECONDS:
                leaving.append(self._idle.popleft()[1])
        for connection in leaving:
            connection.close()
        if session.silent:
            # So are the others: whoever comes next finds out by connecting, which takes less long.
            self.let_go()

    def _connect(self) -> Connection:
        return connect(self._url, self._settings, name=self._name)

    def _session(self, connection: Connection) -> PostgresSession:
        learn_types(connection, self._vector)
        prepare = self._settings.prepare
        prepares = prepare == "always" or (prepare == "auto" and not self.pooled)
        patience = timeout_of(self._settings)
        return PostgresSession(connection, prepares=prepares, ours=not self.pooled, patience=patience)

    def writing(self, tenant: str | None) -> Opening:
        """Return the opening of a writing transaction: one tenant's, behind its lock, or an operator's."""
        limits = {**self._limits(), "lock": _milliseconds(self._settings.busy_seconds)}
        if tenant is None:
            return [_BEGIN, (own_statement("act_within_limits"), limits), self._as_operator()]
        whose = {**limits, "tenant": tenant, "seed": LOCK_SEED}
        return [_BEGIN, (own_statement("write_for_tenant"), whose)]

    def reading(self, tenant: str | None) -> Opening:
        """Return the opening of a reading transaction: one snapshot for all of its queries."""
        limits = self._limits()
        if tenant is None:
            held = {**limits, "lock": self._limit}
            return [_BEGIN_READING, (own_statement("act_within_limits"), held), self._as_operator()]
        return [_BEGIN_READING, (own_statement("read_for_tenant"), {**limits, "tenant": tenant})]

    def _limits(self) -> dict[str, str]:
        """Return the statement and idle limits: a transaction holds locks that others need."""
        return {"statement": self._limit, "idle": self._idling}

    def _as_operator(self) -> tuple[PreparedQuery, Params]:
        return own_statement("act_as_operator", operator=quoted(operator_of(self.user))), {}


def _milliseconds(seconds: float) -> str:
    return str(round(seconds * 1000))


def translated(error: psycopg.Error) -> RememoraError:
    """Our error for one of the driver's, without the values that PostgreSQL quotes in its details."""
    said = error.diag.message_primary or (str(error) if isinstance(error, ServerTimeout) else type(error).__name__)
    # From the particular to the general. Only the primary message is passed on: details quote values of rows.
    if isinstance(error, errors.DataCorrupted | errors.IndexCorrupted):
        return StoreDamaged(f"the store is damaged: {said}")
    if isinstance(error, psycopg.IntegrityError):
        return Conflict(f"the store refused the change: {said}")
    if isinstance(error, errors.InsufficientPrivilege):
        return Forbidden(f"the store refused: {said}")
    return StoreUnavailable(f"the store does not answer: {said}")


def unavailable(url: str, error: Exception) -> StoreUnavailable:
    """The server cannot be reached."""
    said = str(error).strip().partition("\n")[0]
    return StoreUnavailable(f"cannot reach {without_password(url)}: {said}")
