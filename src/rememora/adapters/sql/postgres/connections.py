"""Connections to PostgreSQL: how they are kept, how a transaction begins, and what their failures mean."""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg import errors, pq, sql
from psycopg.types import TypeInfo

from rememora.adapters.sql.postgres.roles import TENANT_SETTING, operator_of, quoted
from rememora.adapters.sql.postgres.session import Session
from rememora.adapters.sql.postgres.types import learn_types
from rememora.errors import Conflict, Forbidden, RememoraError, StoreUnavailable
from rememora.settings import Store as StoreSettings
from rememora.settings.urls import without_password

Connection = psycopg.Connection[Any]
LOCK_SEED = 7_163_025_001
"""Sets our locks on tenants apart from any other program's on the same server."""

IDLE_SECONDS = 300.0
"""A connection that nobody used for so long is ended."""

_WHO = """
SELECT session_user, pg_backend_pid(), t.oid, t.typarray
FROM (VALUES (to_regtype('vector'))) AS v (name) LEFT JOIN pg_type t ON t.oid = v.name
"""


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
        self._idle: deque[tuple[float, Session]] = deque()
        self._closed = False
        self.user = ""
        self.pooled = False
        self._vector: TypeInfo | None = None

    def open(self, check: Callable[[Connection], None]) -> None:
        """Connect once, to learn who we are and what stands between; `check` may refuse what it finds."""
        try:
            connection = self._connect()
        except psycopg.Error as error:
            raise unavailable(self._url, error) from None
        try:
            check(connection)
            self._learn(connection)
        except BaseException:
            connection.close()
            raise
        self._give_back(self._session(connection))

    def _learn(self, connection: Connection) -> None:
        row = connection.execute(_WHO).fetchone()
        assert row is not None
        self.user, vector = str(row[0]), row[2:]
        self._vector = None if vector[0] is None else TypeInfo("vector", *vector)
        # A pooler between us answers with a number of its own; what it hands on may be anybody's session.
        self.pooled = row[1] != connection.info.backend_pid

    def close(self) -> None:
        """End every connection."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, deque()
        for _, session in idle:
            session.connection.close()

    @contextmanager
    def apart(self) -> Iterator[Connection]:
        """A connection of its own, for what is no transaction."""
        try:
            connection = self._connect()
        except psycopg.Error as error:
            raise unavailable(self._url, error) from None
        try:
            yield connection
        finally:
            connection.close()

    @contextmanager
    def begun(self, opening: str) -> Iterator[Session]:
        """A session inside a transaction that began with `opening`; what is not committed is taken back."""
        session = self._begin(opening)
        try:
            yield session
        finally:
            self._give_back(session)

    def _begin(self, opening: str) -> Session:
        """Nothing was done before the first statement: a connection that died idle costs a wait alone."""
        give_up_at = time.monotonic() + self._settings.connect_seconds
        while True:
            session = None
            try:
                session = self._take()
                session.begin(opening.encode())
            except psycopg.Error as error:
                lost = session is None or session.connection.broken
                if session is not None:
                    self._give_back(session)
                if not lost:
                    raise
                if time.monotonic() > give_up_at:
                    raise unavailable(self._url, error) from None
                time.sleep(random.uniform(0.001, 0.05))
            else:
                return session

    def _take(self) -> Session:
        """The session that was used last, since it is the warmest, or one more."""
        with self._lock:
            if self._closed:
                raise StoreUnavailable("the store is not open")
            if self._idle:
                return self._idle.pop()[1]
        return self._session(self._connect())

    def _give_back(self, session: Session) -> None:
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
        for each in leaving:
            each.connection.close()

    def _connect(self) -> Connection:
        # Statements are prepared by the session, not by the driver.
        return psycopg.connect(
            self._url,
            autocommit=True,
            prepare_threshold=None,
            connect_timeout=max(2, round(self._settings.connect_seconds)),
            application_name=f"rememora {self._name}",
        )

    def _session(self, connection: Connection) -> Session:
        learn_types(connection, self._vector)
        wanted = self._settings.prepare
        prepares = wanted == "always" or (wanted == "auto" and not self.pooled)
        return Session(connection, prepares=prepares, ours=not self.pooled)

    def writing(self, tenant: str | None) -> str:
        """How a transaction that writes begins: one tenant's, behind the tenant's lock, or an operator's."""
        timeouts = {
            "statement_timeout": self._settings.statement_seconds,
            "lock_timeout": self._settings.busy_seconds,
        }
        limits = ", ".join(
            f"set_config('{name}', '{round(value * 1000)}', true)" for name, value in timeouts.items()
        )
        if tenant is None:
            return f"BEGIN; SELECT {limits}; {self._as_operator()}"
        # One statement, in this order: the limits hold for the wait on the lock as well.
        lock = f"pg_advisory_xact_lock(hashtextextended({literal(tenant)}, {LOCK_SEED}))"
        return f"BEGIN; SELECT {limits}, {_as_tenant(tenant)}, {lock}"

    def reading(self, tenant: str | None) -> str:
        """How a transaction that reads begins: one snapshot for all it asks."""
        limit = f"set_config('statement_timeout', '{round(self._settings.statement_seconds * 1000)}', true)"
        begin = f"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT {limit}"
        return f"{begin}; {self._as_operator()}" if tenant is None else f"{begin}, {_as_tenant(tenant)}"

    def _as_operator(self) -> str:
        # Whoever looks across tenants is planned for as he asks.
        return f"SET LOCAL ROLE {quoted(operator_of(self.user))}; SET LOCAL plan_cache_mode = auto"


def _as_tenant(tenant: str) -> str:
    return f"set_config('{TENANT_SETTING}', {literal(tenant)}, true)"


def literal(value: str) -> str:
    """A text as SQL takes it."""
    return sql.Literal(value).as_string()


def translated(error: psycopg.Error) -> RememoraError:
    """Our error for one of the driver's, without the values that PostgreSQL quotes in its details."""
    said = error.diag.message_primary or type(error).__name__
    if isinstance(error, psycopg.IntegrityError):
        return Conflict(f"the store refused the change: {said}")
    if isinstance(error, errors.InsufficientPrivilege):
        return Forbidden(f"the store refused: {said}")
    return StoreUnavailable(f"the store does not answer: {said}")


def unavailable(url: str, error: Exception) -> StoreUnavailable:
    """The server cannot be reached."""
    said = str(error).strip().partition("\n")[0]
    return StoreUnavailable(f"cannot reach {without_password(url)}: {said}")
