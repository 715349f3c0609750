"""Measure our connections to PostgreSQL beside `psycopg_pool`: what borrowing costs, and how an outage ends.

    python bench/postgres_pool.py

Both hand out the same `Session`, so that only the pooling differs. An outage is a database that ends every session
and lets nobody in for five seconds, as a failover does.
"""

from __future__ import annotations

import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import psycopg
from bench._frame import Run
from psycopg_pool import ConnectionPool
from tests.engines.postgres import ADMIN, APP, OWNER, databases

from rememora import Settings
from rememora.adapters.sql.postgres.connect import connect_timeout_of
from rememora.adapters.sql.postgres.connections import Connections
from rememora.adapters.sql.postgres.session import Opening, PostgresSession, statement
from rememora.adapters.sql.postgres.types import learn_types
from rememora.errors import RememoraError

THREADS, ROUNDS, OUTAGE_SECONDS = 8, 2_000, 5.0
ONE = statement("SELECT 1")
Borrow = Callable[[], AbstractContextManager[PostgresSession]]


class Pooled:
    """The same sessions out of `psycopg_pool`, which keeps connections; a session is kept beside each."""

    def __init__(self, settings: Settings, opening: Opening, *, checks: bool) -> None:
        self._opening = opening
        self._sessions: dict[int, PostgresSession] = {}
        store = settings.store
        self.pool: ConnectionPool[psycopg.Connection[Any]] = ConnectionPool(
            store.url,
            min_size=1,
            max_size=store.connections,
            timeout=store.connect_seconds,
            kwargs={
                "autocommit": True,
                "prepare_threshold": None,
                "connect_timeout": connect_timeout_of(store),
            },
            configure=lambda connection: learn_types(connection, None),
            check=ConnectionPool.check_connection if checks else None,
            open=True,
        )
        self.pool.wait()

    @contextmanager
    def begun(self) -> Iterator[PostgresSession]:
        """A session inside a transaction."""
        with self.pool.connection() as connection:
            session = self._sessions.get(id(connection))
            if session is None or session.broken:
                session = self._sessions[id(connection)] = PostgresSession(connection, prepares=True)
            session.begin(self._opening)
            try:
                yield session
            finally:
                if not session.broken:
                    session.tell(b"ROLLBACK")


def _ask(borrow: Borrow) -> None:
    with borrow() as session:
        session.ask(ONE, {})


def _ask_often(borrow: Borrow) -> None:
    for _ in range(ROUNDS // 4):
        _ask(borrow)


def _costs(borrow: Borrow) -> tuple[float, float]:
    """Microseconds of one transaction alone (median), and of one among many threads (mean)."""
    for _ in range(50):
        _ask(borrow)
    spent = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        _ask(borrow)
        spent.append(time.perf_counter() - begun)
    threads = [threading.Thread(target=_ask_often, args=[borrow]) for _ in range(THREADS)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    together = (time.perf_counter() - begun) / (THREADS * ROUNDS // 4)
    return statistics.median(spent) * 1e6, together * 1e6


def _outage(borrow: Borrow, admin: str, name: str) -> tuple[float, int]:
    """Seconds from the end of an outage to the first answer, and how many errors came after its end."""
    with psycopg.connect(admin, autocommit=True) as line:
        line.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false'.encode())
        line.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
        over: list[float] = []

        def end() -> None:
            time.sleep(OUTAGE_SECONDS)
            line.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true'.encode())
            over.append(time.monotonic())

        threading.Thread(target=end).start()
        failed = 0
        while True:
            try:
                _ask(borrow)
            except (psycopg.Error, RememoraError, TimeoutError):
                failed += bool(over)
                time.sleep(0.01)
            else:
                if over:
                    return time.monotonic() - over[0], failed


def main() -> None:
    """A row for each."""
    # Eight threads, and the server that they ask.
    run, rows = Run("psycopg", "psycopg-pool", busy=2), dict[str, dict[str, float]]()
    kept = databases()
    name = kept.create(kept.template)
    settings = Settings.load({"store.url": kept.url(name, APP), "store.connections": THREADS}, environ={})
    ours = Connections(settings.store.url, settings.store, name="bench")
    ours.open(kept.url(name, OWNER))
    opening = ours.reading("acme")
    makers: dict[str, Callable[[], Borrow]] = {
        "ours": lambda: lambda: ours.begun(opening),
        "psycopg_pool": lambda: Pooled(settings, opening, checks=False).begun,
        "psycopg_pool, check": lambda: Pooled(settings, opening, checks=True).begun,
    }
    for label, make in makers.items():
        borrow = make()
        alone, together = _costs(borrow)
        seconds, failed = _outage(borrow, kept.url("postgres", ADMIN), name)
        rows[label] = {"alone, µs": round(alone), "among 8 threads, µs": round(together)}
        rows[label] |= {"first answer after an outage, s": round(seconds, 2), "errors after it": failed}
        print(label, rows[label], flush=True)
    ours.close()
    run.write("postgres_pool", {"rows": {"a transaction of one statement": rows}})


if __name__ == "__main__":
    main()
