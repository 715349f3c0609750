"""Connections to PostgreSQL: a bounded pool of them, how each transaction begins, and what their failures mean."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg import errors, pq, sql
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from rememora.adapters.sql.postgres.roles import TENANT_SETTING, operator_of, quoted
from rememora.adapters.sql.postgres.types import learn_types
from rememora.errors import Conflict, Forbidden, RememoraError, StoreUnavailable
from rememora.settings import Store as StoreSettings
from rememora.settings.urls import without_password

Connection = psycopg.Connection[Any]
LOCK_SEED = 7_163_025_001
"""Sets our locks on tenants apart from any other program's on the same server."""

PREPARE_AFTER = 5
_BROKEN = (psycopg.OperationalError, psycopg.InterfaceError)


class Connections:
    """A pool on one URL; every transaction says whose it is before anything else."""

    def __init__(self, url: str, settings: StoreSettings, *, name: str) -> None:
        self._url = url
        self._settings = settings
        self._name = name
        self._pool: ConnectionPool[Connection] | None = None
        self.user = ""
        self.pooled = False

    def open(self) -> None:
        """Connect once to learn who we are, then fill the pool as it is needed."""
        with self.apart() as connection:
            row = connection.execute("SELECT session_user, pg_backend_pid()").fetchone()
            assert row is not None
            self.user = str(row[0])
            # A pooler between us answers with a number of its own; what it hands on may be anybody's session.
            self.pooled = row[1] != connection.info.backend_pid
        self._pool = ConnectionPool(
            self._url,
            min_size=0,
            max_size=self._settings.connections,
            timeout=self._settings.connect_seconds,
            max_waiting=0,
            max_lifetime=3600.0,
            max_idle=300.0,
            kwargs=self._options(),
            configure=learn_types,
            name=f"rememora-{self._name}",
            open=True,
        )

    def close(self) -> None:
        """End every connection."""
        if self._pool is not None:
            self._pool.close()

    @contextmanager
    def apart(self) -> Iterator[Connection]:
        """A connection of its own, outside the pool."""
        try:
            connection: Connection = psycopg.connect(self._url, **self._options())
        except psycopg.Error as error:
            raise unavailable(self._url, error) from None
        try:
            yield connection
        finally:
            connection.close()

    @contextmanager
    def begun(self, opening: str) -> Iterator[Connection]:
        """A connection inside a transaction that began with `opening`; what is not committed is taken back."""
        assert self._pool is not None
        connection = self._begin(opening)
        try:
            yield connection
        finally:
            if connection.info.transaction_status in (pq.TransactionStatus.INTRANS, pq.TransactionStatus.INERROR):
                with suppress(psycopg.Error):
                    connection.execute("ROLLBACK")
            self._pool.putconn(connection)

    def _begin(self, opening: str) -> Connection:
        """Nothing was done before the first statement, so that a connection that died idle costs a retry alone."""
        assert self._pool is not None
        give_up_at = time.monotonic() + self._settings.connect_seconds
        while True:
            connection = self._take()
            try:
                connection.execute(opening.encode())
            except _BROKEN as error:
                broken = connection.broken
                self._pool.putconn(connection)
                if not broken or time.monotonic() > give_up_at:
                    raise
                time.sleep(random.uniform(0.001, 0.01))
                del error
            except BaseException:
                self._pool.putconn(connection)
                raise
            else:
                return connection

    def _take(self) -> Connection:
        assert self._pool is not None
        try:
            return self._pool.getconn()
        except (PoolTimeout, PoolClosed) as error:
            raise unavailable(self._url, error) from None

    def _options(self) -> dict[str, Any]:
        prepared = self._settings.prepare == "always" or (self._settings.prepare == "auto" and not self.pooled)
        return {
            "autocommit": True,
            "prepare_threshold": PREPARE_AFTER if prepared else None,
            "connect_timeout": max(2, round(self._settings.connect_seconds)),
            "application_name": f"rememora {self._name}",
        }

    def writing(self, tenant: str | None) -> str:
        """How a transaction that writes begins: one tenant's, behind the tenant's lock, or an operator's."""
        timeouts = {
            "statement_timeout": self._settings.statement_seconds,
            "lock_timeout": self._settings.busy_seconds,
        }
        limits = ", ".join(
            f"set_config('{name}', '{round(value * 1000)}', true)" for name, value in timeouts.items()
        )
        opening = f"BEGIN; SELECT {limits}; {self._scope(tenant)}"
        if tenant is None:
            return opening
        return f"{opening}; SELECT pg_advisory_xact_lock(hashtextextended({literal(tenant)}, {LOCK_SEED}))"

    def reading(self, tenant: str | None) -> str:
        """How a transaction that reads begins: one snapshot for all it asks."""
        limit = round(self._settings.statement_seconds * 1000)
        return (
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; "
            f"SELECT set_config('statement_timeout', '{limit}', true); {self._scope(tenant)}"
        )

    def _scope(self, tenant: str | None) -> str:
        if tenant is None:
            return f"SET LOCAL ROLE {quoted(operator_of(self.user))}"
        return f"SELECT set_config('{TENANT_SETTING}', {literal(tenant)}, true)"


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
