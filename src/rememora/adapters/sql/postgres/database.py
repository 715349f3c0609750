"""The engine of production: PostgreSQL, written to by many processes, each held to one tenant per transaction.

Units of work run on threads, as many as there are connections. The writes of one tenant are serial, in this
process by its lane and between processes by a lock that the transaction takes first: what a unit of work reads
before it writes stays true. Row-level security holds each transaction to its tenant, whatever a query says.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg

from rememora.adapters.sql.jobs import Job, Outcome, T, Work, answer, failed
from rememora.adapters.sql.postgres.check import check_store
from rememora.adapters.sql.postgres.connections import Connection, Connections, translated
from rememora.adapters.sql.postgres.lanes import Lanes
from rememora.adapters.sql.postgres.transaction import PostgresTransaction
from rememora.domain.receipt import Residue
from rememora.errors import RememoraError, StoreUnavailable
from rememora.settings import Store as StoreSettings
from rememora.settings.urls import without_password

_STAMP_BYTES = 8


class PostgresDatabase:
    """One store in PostgreSQL, opened once per process."""

    def __init__(self, settings: StoreSettings) -> None:
        self._settings = settings
        self._primary = Connections(settings.url, settings, name="primary")
        self._threads: ThreadPoolExecutor | None = None
        self._lanes = Lanes(group=settings.group, start=self._start_lane)
        self._closed = False

    async def open(self) -> None:
        """Check role and schema, then wait for work."""
        await asyncio.to_thread(self._open)
        self._threads = ThreadPoolExecutor(self._settings.connections, "rememora-postgres")

    def _open(self) -> None:
        try:
            self._primary.open()
            with self._primary.apart() as connection:
                check_store(connection, url=without_password(self._settings.url))
        except psycopg.Error as error:
            raise translated(error) from None
        except RememoraError:
            self._primary.close()
            raise

    async def write(self, tenant: str | None, work: Work[T]) -> T:
        """Run `work` inside a transaction; durable when this returns."""
        job = Job.of(work)
        if tenant is None:
            self._submit(lambda: answer(self._commit(None, [job])))
        else:
            self._check_open()
            self._lanes.add(tenant, job)
        result: T = await job.future
        return result

    async def read(self, tenant: str | None, work: Work[T]) -> T:
        """Run `work` on one snapshot of everything committed so far."""
        job = Job.of(work)
        self._submit(lambda: answer([self._read(tenant, job)]))
        result: T = await job.future
        return result

    async def changed(self) -> int:
        """Differs once any transaction anywhere has committed: the server's own account of what is visible."""
        return await self._apart(self._stamp)

    async def scrub(self, *, rebuild: bool) -> None:
        """Nothing yet."""

    async def residue(self, tenant: str, terms: Sequence[bytes]) -> list[Residue]:
        """Nothing yet."""
        return []

    async def words(self, tenant: str) -> dict[bytes, Residue]:
        """Nothing yet."""
        return {}

    async def close(self) -> None:
        """Finish what was submitted, then stop."""
        if self._closed:
            return
        self._closed = True
        if self._threads is not None:
            await asyncio.to_thread(self._threads.shutdown)
        await asyncio.to_thread(self._primary.close)

    async def _apart(self, act: Callable[[], T]) -> T:
        job = Job.of(lambda _: act())
        self._submit(lambda: answer([_guarded(job, None)]))
        result: T = await job.future
        return result

    def _check_open(self) -> ThreadPoolExecutor:
        if self._closed or self._threads is None:
            raise StoreUnavailable("the store is not open")
        return self._threads

    def _submit(self, act: Callable[[], None]) -> None:
        self._check_open().submit(act)

    def _start_lane(self, tenant: str) -> None:
        assert self._threads is not None
        self._threads.submit(self._work_on, tenant)

    def _work_on(self, tenant: str) -> None:
        answer(self._commit(tenant, self._lanes.take(tenant)))
        self._lanes.rest(tenant)

    def _commit(self, tenant: str | None, jobs: list[Job]) -> list[Outcome]:
        """Several units of work of one tenant in one transaction; nobody is told before it is durable."""
        try:
            with self._primary.begun(self._primary.writing(tenant)) as connection:
                outcomes = _run_all(connection, jobs)
                if any(outcome.error is None for outcome in outcomes):
                    connection.execute("COMMIT")
                return outcomes
        except psycopg.Error as error:
            # Lost before or inside the commit: perhaps it is durable, but nobody is told so.
            return failed(jobs, translated(error))
        except RememoraError as error:
            return failed(jobs, error)

    def _read(self, tenant: str | None, job: Job) -> Outcome:
        outcome, broken = self._try_read(tenant, job)
        return self._try_read(tenant, job)[0] if broken else outcome

    def _try_read(self, tenant: str | None, job: Job) -> tuple[Outcome, bool]:
        """What a reading answers, and whether its connection was lost, so that another may be tried."""
        try:
            with self._primary.begun(self._primary.reading(tenant)) as connection:
                outcome = _guarded(job, PostgresTransaction(connection))
                return outcome, connection.broken
        except psycopg.Error as error:
            return Outcome(job, error=translated(error)), False
        except RememoraError as error:
            return Outcome(job, error=error), False

    def _stamp(self) -> int:
        with self._primary.begun("BEGIN READ ONLY") as connection:
            row = connection.execute("SELECT pg_current_snapshot()::text").fetchone()
        assert row is not None
        return int.from_bytes(hashlib.blake2b(row[0].encode(), digest_size=_STAMP_BYTES).digest())


def _run_all(connection: Connection, jobs: list[Job]) -> list[Outcome]:
    transaction = PostgresTransaction(connection)
    if len(jobs) == 1:
        return [_guarded(jobs[0], transaction)]
    outcomes = []
    connection.execute("SAVEPOINT one")
    for job in jobs:
        outcome = _guarded(job, transaction)
        outcomes.append(outcome)
        connection.execute(
            "RELEASE SAVEPOINT one; SAVEPOINT one" if outcome.error is None else "ROLLBACK TO SAVEPOINT one"
        )
    return outcomes


def _guarded(job: Job, transaction: Any) -> Outcome:
    try:
        return Outcome(job, job.work(transaction))
    except psycopg.Error as error:
        return Outcome(job, error=translated(error))
    except BaseException as error:
        # Whatever a unit of work raises belongs to its caller, and must not end this thread.
        return Outcome(job, error=error)
