"""The engine of production: PostgreSQL, written to by many processes, each held to one tenant per transaction.

Units of work run on threads, as many as there are connections. The writes of one tenant are serial, in this
process by its lane and between processes by a lock that the transaction takes first: what a unit of work reads
before it writes stays true. Row-level security holds each transaction to its tenant, whatever a query says.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import msgspec
import psycopg

from rememora.adapters.sql.jobs import Job, JobResult, T, Work, answer, failed
from rememora.adapters.sql.postgres import integrity, residue
from rememora.adapters.sql.postgres.change_notifier import ChangeNotifier
from rememora.adapters.sql.postgres.connect import Connection
from rememora.adapters.sql.postgres.connections import LOOK, Connections, translated
from rememora.adapters.sql.postgres.replica import PATIENCE_SECONDS, Replica
from rememora.adapters.sql.postgres.running import guarded, run_all
from rememora.adapters.sql.postgres.transaction import PostgresTransaction
from rememora.adapters.sql.transaction import Transaction
from rememora.domain.integrity import Integrity
from rememora.domain.receipt import Residue
from rememora.errors import RememoraError, SchemaOutdated, StoreUnavailable
from rememora.forked import ProcessGuard
from rememora.settings import StoreSettings
from rememora.settings.urls import as_owner


class TenantQueues:
    """Waiting jobs per tenant, and the tenants in progress.

    The writes of a tenant are serial, and those that wait together share a transaction. Waiting writers hold no
    connection: a queue takes one when it has work, and gives it back between two transactions.
    """

    def __init__(self, *, group: int, start: Callable[[str], None]) -> None:
        self._group = group
        self._start = start
        self._lock = threading.Lock()
        self._waiting: dict[str, deque[Job]] = {}

    def add(self, tenant: str, job: Job) -> None:
        """One more job; a lane that nobody works on is started."""
        with self._lock:
            idle = tenant not in self._waiting
            self._waiting.setdefault(tenant, deque()).append(job)
        if idle:
            self._start(tenant)

    def take(self, tenant: str) -> list[Job]:
        """The next jobs of a lane that is being worked on."""
        with self._lock:
            lane = self._waiting[tenant]
            return [lane.popleft() for _ in range(min(len(lane), self._group))]

    def rest(self, tenant: str) -> None:
        """Ends work on a lane, or starts it again when jobs came meanwhile: behind other tenants, in fairness."""
        with self._lock:
            more = bool(self._waiting[tenant])
            if not more:
                del self._waiting[tenant]
        if more:
            self._start(tenant)


logger = logging.getLogger(__name__)


class PostgresDatabase:
    """One store in PostgreSQL, opened once per process."""

    def __init__(self, settings: StoreSettings) -> None:
        self._settings = settings
        self._primary = Connections(settings.url, settings, name="primary")
        self._replica: Replica | None = None
        if settings.replica_url:
            patience = min(settings.connect_seconds, PATIENCE_SECONDS)
            impatient = msgspec.structs.replace(settings, connect_seconds=patience)
            connections = Connections(settings.replica_url, impatient, name="replica")
            self._replica = Replica(connections, owner_url=as_owner(settings.url))
        self._threads: ThreadPoolExecutor | None = None
        self._lanes = TenantQueues(group=settings.group, start=self._start_lane)
        self._bell: ChangeNotifier | None = None
        self._closed = False
        self._birthplace = ProcessGuard()

    async def open(self) -> None:
        """Check role and schema, then wait for work."""
        self._birthplace = ProcessGuard()
        await asyncio.to_thread(self._open)
        self._threads = ThreadPoolExecutor(self._settings.connections, "rememora-postgres")

    def _open(self) -> None:
        try:
            self._primary.open(as_owner(self._settings.url))
            self._try_replica()
        except psycopg.Error as error:
            self._end()
            raise translated(error) from None
        except RememoraError:
            self._end()
            raise

    def _try_replica(self) -> None:
        """Its role is held to the same walls; one that is away, or behind a migration, is asked later."""
        try:
            if self._replica is not None:
                self._replica.prepare()
        except (StoreUnavailable, SchemaOutdated) as error:
            logger.warning("the replica is not used for now: %s", error.message)

    def listen(self, ring: Callable[[], None]) -> None:
        """Call `ring` in this event loop whenever another process has written, and let others know of ours."""
        loop = asyncio.get_running_loop()

        def threadsafe() -> None:
            with suppress(RuntimeError):
                # The loop may be closed already: nobody is there to hear.
                loop.call_soon_threadsafe(ring)

        url = self._settings.listen_url or self._settings.url
        listens = bool(self._settings.listen_url) or not self._primary.pooled
        self._bell = ChangeNotifier(url, threadsafe, self._settings, listens=listens)
        self._bell.start()

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

    def changed(self) -> None:
        """Only the server knows: to ask it costs as much as to read what is new."""

    def glance(self, tenant: str | None, work: Work[T]) -> None:
        """There is always a server to wait for."""

    async def scrub(self, tenant: str | None, *, rebuild: bool) -> tuple[str, ...]:
        """Take dead rows out of a tenant's part of each table; says where their bytes may be left."""
        # A vacuum alone leaves bytes in the free space of pages, whatever was deleted: small tables are rewritten.
        del rebuild
        return await self._apart(lambda: self._scrub(tenant))

    async def residue(self, tenant: str, terms: Sequence[bytes]) -> list[Residue]:
        """Find the tables with any of these bytes in a row of the tenant; the server's files are out of reach."""
        return await self.read(tenant, lambda tx: residue.find(_connection(tx), terms))

    async def words(self, tenant: str) -> dict[bytes, Residue]:
        """Return every word in the tenant's rows, with its first place."""
        return await self.read(tenant, lambda tx: residue.words(_connection(tx)))

    async def integrity(self) -> Integrity:
        """Read every value, and check indexes where this role may."""
        return await integrity.check(lambda look: self.read(None, lambda tx: look(_connection(tx), tx)))

    async def close(self) -> None:
        """Finish what was submitted, then stop; a forked child leaves all to its parent."""
        if self._closed or self._birthplace.left:
            return
        self._closed = True
        if self._threads is not None:
            await asyncio.to_thread(self._threads.shutdown)
        await asyncio.to_thread(self._end)

    def _end(self) -> None:
        if self._bell is not None:
            self._bell.stop()
        self._primary.close()
        if self._replica is not None:
            self._replica.connections.close()

    async def _apart(self, act: Callable[[], T]) -> T:
        job = Job.of(lambda _: act())
        self._submit(lambda: answer([guarded(job, None)]))
        result: T = await job.future
        return result

    def _check_open(self) -> ThreadPoolExecutor:
        self._birthplace.check()
        if self._closed or self._threads is None:
            raise StoreUnavailable("the store is not open")
        return self._threads

    def _submit(self, act: Callable[[], None]) -> None:
        self._check_open().submit(act)

    def _start_lane(self, tenant: str) -> None:
        assert self._threads is not None
        try:
            self._threads.submit(self._work_on, tenant)
        except RuntimeError:
            # Closing: no thread is started any more, so that this one finishes what waits.
            self._work_on(tenant)

    def _work_on(self, tenant: str) -> None:
        answer(self._commit(tenant, self._lanes.take(tenant)))
        self._lanes.rest(tenant)

    def _commit(self, tenant: str | None, jobs: list[Job]) -> list[JobResult]:
        try:
            with self._primary.begun(self._primary.writing(tenant)) as session:
                outcomes = run_all(session, jobs)
                if self._replica is not None and any(outcome.error is None for outcome in outcomes):
                    self._replica.wrote(session)
        except psycopg.Error as error:
            # Lost before or inside the commit: perhaps it is durable, but nobody is told so.
            return failed(jobs, translated(error))
        except BaseException as error:
            # Waiting callers always get an answer, whatever went wrong.
            return failed(jobs, error)
        if tenant is not None and self._bell is not None:
            self._bell.tell()
        return outcomes

    def _read(self, tenant: str | None, job: Job) -> JobResult:
        """An operator asks the primary: what was revoked elsewhere counts at once."""
        if tenant is not None and self._replica is not None:
            answer = self._from_replica(self._replica, tenant, job)
            if answer is not None:
                return answer
        outcome, broken = self._try_read(self._primary, tenant, job)
        if not broken:
            return outcome
        # A read may be repeated. The other idle connections died with this one, most likely, and would fail in
        # turn.
        self._primary.let_go()
        return self._try_read(self._primary, tenant, job)[0]

    def _from_replica(self, replica: Replica, tenant: str, job: Job) -> JobResult | None:
        """The replica's answer, or None where the primary has to be asked."""
        if replica.away:
            return None
        try:
            replica.prepare()
            # After an outage it is unknown what this process has written: ask the primary how far it is.
            if replica.lost:
                with self._primary.begun(LOOK) as session:
                    replica.wrote(session)
            opening = replica.connections.reading(tenant)
            with replica.connections.begun(opening) as session:
                # The replica has not replayed this process's own last write yet: a reader must see what it
                # wrote.
                if not replica.reaches(session, opening):
                    return None
                outcome = guarded(job, PostgresTransaction(session))
        except (psycopg.Error, RememoraError):
            replica.failed()
            return None
        return None if isinstance(outcome.error, StoreUnavailable) else outcome

    def _try_read(self, connections: Connections, tenant: str | None, job: Job) -> tuple[JobResult, bool]:
        """Run a read; return its result, and whether its connection was lost, so that another may be tried."""
        try:
            with connections.beginning(connections.reading(tenant)) as session:
                outcome = guarded(job, PostgresTransaction(session))
                return outcome, session.broken
        except psycopg.Error as error:
            return JobResult(job, error=translated(error)), False
        except BaseException as error:
            return JobResult(job, error=error), False

    def _scrub(self, tenant: str | None) -> tuple[str, ...]:
        with self._primary.apart() as connection:
            if tenant is None:
                return residue.tidy(connection)
            return residue.remove_dead_rows(connection, tenant, limit_mb=self._settings.rewrite_mb)


def _connection(transaction: Transaction) -> Connection:
    assert isinstance(transaction, PostgresTransaction)
    return transaction.session.connection
