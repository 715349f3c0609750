"""The embedded engine: SQLite on threads of its own, one that writes and several that read.

Concurrent writers share a commit: the writer takes every waiting unit of work, runs each in a savepoint of one
transaction, and answers all of them after the one fsync. WAL lets readers and other processes go on meanwhile.
"""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue

import msgspec

from rememora.adapters.sql import folder, integrity, residue
from rememora.adapters.sql.descriptors import Descriptor
from rememora.adapters.sql.folder import MEMORY, file_of
from rememora.adapters.sql.jobs import Job, JobResult, T, Work, answer, failed
from rememora.adapters.sql.queries import queries
from rememora.adapters.sql.residue import Source
from rememora.adapters.sql.schema import ensure_schema
from rememora.adapters.sql.transaction import Params, Row, Transaction
from rememora.domain.integrity import Integrity
from rememora.domain.receipt import Residue
from rememora.errors import Conflict, InvalidInput, RememoraError, StoreDamaged, StoreForked, StoreUnavailable
from rememora.forked import ProcessGuard
from rememora.settings import StoreSettings

_open_files: Counter[tuple[str, int]] = Counter()
"""Databases that are open, each with the process that opened it."""

_UNDECODED = "Could not decode to UTF-8"

LONGEST_WAIT_SECONDS = 5.0
"""Longest wait of one statement for a lock that another connection holds; less where `busy_seconds` is less."""

PAGE_BYTES = 8192
"""Bytes of a page of a new store: twice SQLite's own choice holds the features of a long turn, and four vectors.

Without overflow pages it takes a fifth less disk. A store that exists keeps its own.
"""

TOGETHER = 16
"""Readings that cross to a reader at once; more are shared out among the readers."""


class SqliteTransaction:
    """Named queries on one connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._execute = connection.execute
        self._executemany = connection.executemany
        self._queries = queries("sqlite")

    def run(self, name: str, params: Params) -> int:
        return self._execute(self._queries[name].sql, params).rowcount

    def send(self, name: str, params: Params) -> None:
        self._execute(self._queries[name].sql, params)

    def many(self, name: str, params: Iterable[Params]) -> None:
        self._executemany(self._queries[name].sql, params)

    def one(self, name: str, params: Params) -> Row | None:
        # fetchall, not fetchone: a cursor left halfway holds the statement open into the commit.
        rows = self._execute(self._queries[name].sql, params).fetchall()
        return rows[0] if rows else None

    def all(self, name: str, params: Params) -> list[Row]:
        return self._execute(self._queries[name].sql, params).fetchall()


class SqliteDatabase:
    """One folder (or `:memory:`), opened once per process."""

    def __init__(self, settings: StoreSettings) -> None:
        self._settings = settings
        self._path = MEMORY if settings.url == MEMORY else str(file_of(settings.url))
        self._writes: SimpleQueue[Job | None] = SimpleQueue()
        self._reads: SimpleQueue[list[Job] | None] = SimpleQueue()
        self._asked: dict[asyncio.AbstractEventLoop, list[Job]] = {}
        self._threads: list[threading.Thread] = []
        self._opened: sqlite3.Connection | None = None
        self._memory: sqlite3.Connection | None = None
        self._lookout = InlineReader(lambda: self._connect(read_only=True))
        self._descriptor: Descriptor | None = None
        self._written = 0
        self._closed = False
        self._birthplace = ProcessGuard()

    @property
    def file(self) -> Path | None:
        """The database file, or None in memory."""
        return None if self._path == MEMORY else Path(self._path)

    async def open(self) -> None:
        """Create or check the schema, then start the thread that writes."""
        self._birthplace = ProcessGuard()
        self._refuse_forked()
        # Connections are dear, since each reads the schema: the first reader inherits this one.
        opened = await asyncio.to_thread(self._open)
        if self._path == MEMORY:
            self._memory, self._written = opened, opened.total_changes
            self._start("rememora-writer", lambda: self._write_loop(opened))
        else:
            self._opened = opened
            self._descriptor = Descriptor(Path(self._path))
            _open_files[_real(self._path), os.getpid()] += 1
            self._start("rememora-writer", self._write_loop)

    def listen(self, ring: Callable[[], None]) -> None:
        """Do nothing: other processes on the same folder are noticed by polling."""

    async def write(self, tenant: str | None, work: Work[T]) -> T:
        """Run `work` inside a transaction; durable when this returns. One writer serves every tenant."""
        return await self._submit(work)

    async def read(self, tenant: str | None, work: Work[T]) -> T:
        """Run `work` on one snapshot of everything committed so far."""
        if self._path == MEMORY:
            return await self._submit(lambda transaction: self._only_read(work, transaction))
        return await self._ask(work)

    def changed(self) -> int | None:
        """Differs once any connection of any process has committed; to look waits for nobody."""
        if self._closed or self._birthplace.left:
            return None
        return self._written if self._path == MEMORY else self._lookout.changed()

    def glance(self, tenant: str | None, work: Work[T]) -> T | None:
        """Run a short read at once; None in memory, and where it would have to wait."""
        if self._closed or self._birthplace.left or self._path == MEMORY or not self._threads:
            return None
        return self._lookout.look(lambda connection: _read_once(connection, work))

    async def scrub(self, tenant: str | None, *, rebuild: bool) -> tuple[str, ...]:
        """Empty the write-ahead log into the file; `rebuild` first rewrites the file from its live rows."""
        self._check_open()
        if self._path != MEMORY:
            act = residue.rebuild if rebuild else residue.empty_log
            await asyncio.to_thread(self._apart, act)
        return ()

    async def residue(self, tenant: str, terms: Sequence[bytes]) -> list[Residue]:
        """Find the places where the store's files hold any of these bytes."""
        return await asyncio.to_thread(residue.find, await self._sources(), terms)

    async def words(self, tenant: str) -> dict[bytes, Residue]:
        """Return every word in the store's files, with its first place."""
        return await asyncio.to_thread(residue.words, await self._sources())

    async def integrity(self) -> Integrity:
        """Look through the whole file, on a connection of its own; in memory there is nothing to be damaged."""
        self._check_open()
        if self._path == MEMORY:
            return Integrity(how="a store in memory has no file")
        return await asyncio.to_thread(self._check_file)

    def _check_file(self) -> Integrity:
        connection = self._connect(read_only=True)
        try:
            return integrity.check(connection)
        finally:
            connection.close()

    async def close(self) -> None:
        """Finish what was submitted, then stop; a forked child leaves all to its parent."""
        if self._closed or self._birthplace.left:
            return
        # What event loops have collected but not handed over yet still has to be run.
        for loop in list(self._asked):
            self._hand_over(loop)
        self._closed = True
        for thread in self._threads:
            if thread.name.endswith("writer"):
                self._writes.put(None)
            else:
                self._reads.put(None)
        await asyncio.to_thread(self._join)
        if self._descriptor is not None:
            self._descriptor.close()
            _open_files[_real(self._path), os.getpid()] -= 1

    def _refuse_forked(self) -> None:
        """SQLite keeps count of its locks in memory: a forked child would believe that it has its parent's."""
        path = _real(self._path)
        if any(count and file == path and pid != os.getpid() for (file, pid), count in _open_files.items()):
            raise StoreForked(
                f"{self._path} was open when this process was forked, and cannot be opened in it; "
                "fork before it is opened, or start the process by spawning"
            )

    def _join(self) -> None:
        # Beside the loop: whoever closes last empties the write-ahead log, which takes tens of milliseconds.
        self._lookout.close()
        if self._opened is not None:
            self._opened.close()
        for thread in self._threads:
            thread.join()

    def _more_readers(self) -> None:
        """Readers come when they are needed: the first with the first reading, others while readings wait."""
        started = len(self._threads) - 1
        if self._path == MEMORY or self._closed or not 0 <= started < self._settings.readers:
            return
        if started == 0 or not self._reads.empty():
            inherited, self._opened = self._opened, None
            self._start(f"rememora-reader-{started}", lambda: self._read_loop(inherited))

    def _start(self, name: str, loop: Callable[[], None]) -> None:
        thread = threading.Thread(target=loop, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    async def _submit(self, work: Work[T]) -> T:
        self._check_open()
        job = Job.of(work)
        self._writes.put(job)
        result: T = await job.future
        return result

    async def _ask(self, work: Work[T]) -> T:
        """Have a reading done; all that are asked for in one turn of the loop cross to a reader together."""
        self._check_open()
        job = Job.of(work)
        waiting = self._asked.setdefault(job.loop, [])
        waiting.append(job)
        if len(waiting) == 1:
            job.loop.call_soon(self._hand_over, job.loop)
        result: T = await job.future
        return result

    def _hand_over(self, loop: asyncio.AbstractEventLoop) -> None:
        jobs = self._asked.pop(loop, [])
        if self._closed:
            answer(failed(jobs, StoreUnavailable("the store is not open")))
            return
        parts = [jobs[start : start + TOGETHER] for start in range(0, len(jobs), TOGETHER)]
        for part in parts:
            self._reads.put(part)
        for _ in parts:
            self._more_readers()

    def _check_open(self) -> None:
        self._birthplace.check()
        if self._closed or not self._threads:
            raise StoreUnavailable("the store is not open")

    def _connect(self, *, read_only: bool = False) -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(
                self._path,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=512,
                timeout=min(self._settings.busy_seconds, LONGEST_WAIT_SECONDS),
            )
            connection.execute(f"PRAGMA synchronous = {self._settings.synchronous}")
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("PRAGMA temp_store = MEMORY")
            if read_only:
                connection.execute("PRAGMA query_only = ON")
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise _unopened(self._path, error) from None
        return connection

    def _open(self) -> sqlite3.Connection:
        if self._path != MEMORY:
            folder.make(Path(self._path))
        connection = self._connect()
        try:
            if self._path != MEMORY:
                # Before WAL: the size of pages is fixed by the first write.
                connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
                self._patiently(lambda: connection.execute("PRAGMA journal_mode = WAL"))
            self._patiently(lambda: ensure_schema(connection, self._settings.url))
        except (sqlite3.Error, UnicodeDecodeError) as error:
            connection.close()
            raise _unopened(self._path, error) from None
        except RememoraError:
            connection.close()
            raise
        if self._path != MEMORY:
            connection.execute("PRAGMA query_only = ON")
        return connection

    def _open_writer(self) -> sqlite3.Connection:
        connection = self._connect()
        # The writer waits by itself, with jitter: SQLite's own handler starves one of two busy processes.
        connection.execute("PRAGMA busy_timeout = 0")
        return connection

    def _patiently(self, act: Callable[[], object]) -> None:
        """Repeat `act` while another process holds the database, up to the limit."""
        give_up_at = time.monotonic() + self._settings.busy_seconds
        while True:
            try:
                act()
            except sqlite3.OperationalError as error:
                busy = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
                if not busy or time.monotonic() > give_up_at:
                    raise
                # At random, so that two processes do not meet again and again.
                time.sleep(random.uniform(0.0005, 0.01))
            else:
                return

    def _write_loop(self, connection: sqlite3.Connection | None = None) -> None:
        open_for_more = True
        while open_for_more:
            batch, open_for_more = self._next_batch()
            if not batch:
                continue
            try:
                # Opened by the thread that uses it, and again after a failure, so that a store that comes back
                # is used again.
                connection = connection or self._open_writer()
                outcomes = self._commit(connection, SqliteTransaction(connection), batch)
            except StoreUnavailable as error:
                outcomes = failed(batch, error)
            answer(outcomes)
        if connection is not None:
            connection.close()

    def _next_batch(self) -> tuple[list[Job], bool]:
        job = self._writes.get()
        batch: list[Job] = []
        while job is not None:
            batch.append(job)
            if len(batch) == self._settings.group:
                return batch, True
            try:
                job = self._writes.get_nowait()
            except Empty:
                return batch, True
        return batch, False

    def _commit(
        self, connection: sqlite3.Connection, transaction: Transaction, batch: list[Job]
    ) -> list[JobResult]:
        try:
            self._patiently(lambda: connection.execute("BEGIN IMMEDIATE"))
            if len(batch) == 1:
                outcomes = [_run(batch[0], transaction)]
                _end(connection, outcomes[0])
            else:
                outcomes = [_run_apart(connection, job, transaction) for job in batch]
                connection.execute("COMMIT")
            self._written = connection.total_changes
        except (sqlite3.Error, UnicodeDecodeError) as error:
            # The commit itself failed: nothing of the batch is durable, so nobody is told otherwise.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            return failed(batch, translated(error))
        except StoreUnavailable as error:
            return failed(batch, error)
        return outcomes

    def _read_loop(self, connection: sqlite3.Connection | None = None) -> None:
        while (jobs := self._reads.get()) is not None:
            outcomes: list[JobResult] = []
            for job in jobs:
                # Each has a snapshot of its own, which holds all that was committed before it was asked for.
                connection, outcome = self._read_one(job, connection)
                outcomes.append(outcome)
            answer(outcomes)
        if connection is not None:
            connection.close()

    def _read_one(
        self, job: Job, connection: sqlite3.Connection | None
    ) -> tuple[sqlite3.Connection | None, JobResult]:
        try:
            connection = connection or self._connect(read_only=True)
            connection.execute("BEGIN")
            outcome = _run(job, SqliteTransaction(connection))
            connection.execute("COMMIT")
        except (sqlite3.Error, UnicodeDecodeError) as error:
            return connection, JobResult(job, error=translated(error))
        except StoreUnavailable as error:
            return connection, JobResult(job, error=error)
        return connection, outcome

    def _only_read(self, work: Work[T], transaction: Transaction) -> T:
        """In memory the writer reads as well, and must not write meanwhile."""
        assert self._memory is not None
        self._memory.execute("PRAGMA query_only = ON")
        try:
            return work(transaction)
        finally:
            self._memory.execute("PRAGMA query_only = OFF")

    async def _sources(self) -> Iterable[Source]:
        memory = self._memory
        if self._descriptor is not None or memory is None:
            return () if self._descriptor is None else residue.sources(self._descriptor)
        return [(MEMORY, await self._submit(lambda _: residue.rows(memory)))]

    def _apart(self, act: Callable[[sqlite3.Connection], None]) -> None:
        """Run `act` on a connection of its own, waiting for writers and readers to let it."""
        connection = self._connect()
        try:
            self._patiently(lambda: act(connection))
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise translated(error) from None
        finally:
            connection.close()


def _read_once(connection: sqlite3.Connection, work: Work[T]) -> T:
    """Run `work` on one snapshot."""
    connection.execute("BEGIN")
    try:
        return work(SqliteTransaction(connection))
    finally:
        connection.execute("COMMIT")


def _run(job: Job, transaction: Transaction) -> JobResult:
    try:
        return JobResult(job, job.work(transaction))
    except (sqlite3.Error, UnicodeDecodeError, msgspec.DecodeError) as error:
        return JobResult(job, error=translated(error))
    except (OverflowError, UnicodeEncodeError) as error:
        # No word of the value itself: an error may be logged.
        reason = error.reason if isinstance(error, UnicodeEncodeError) else str(error)
        return JobResult(job, error=InvalidInput("value", f"cannot be stored: {reason}"))
    except BaseException as error:
        # Whatever a unit of work raises belongs to its caller, and must not end this thread.
        return JobResult(job, error=error)


def _run_apart(connection: sqlite3.Connection, job: Job, transaction: Transaction) -> JobResult:
    """One of several units of work in a commit: its failure takes back only its own changes."""
    connection.execute("SAVEPOINT one")
    outcome = _run(job, transaction)
    if outcome.error is not None:
        if not connection.in_transaction:
            raise _taken_back(outcome.error)
        connection.execute("ROLLBACK TO one")
    connection.execute("RELEASE one")
    return outcome


def _end(connection: sqlite3.Connection, outcome: JobResult) -> None:
    """Commit the one unit of work of a transaction, or take it back, where SQLite has not done so itself."""
    if outcome.error is None:
        connection.execute("COMMIT")
    elif connection.in_transaction:
        connection.execute("ROLLBACK")


def _taken_back(error: BaseException) -> StoreUnavailable:
    """Why SQLite took a whole transaction back, as it does on a full disk: nothing of the batch is durable."""
    if isinstance(error, StoreUnavailable):
        return error
    return StoreUnavailable(f"the store took a transaction back ({type(error).__name__})")


def translated(error: Exception) -> RememoraError:
    """Our error for one of SQLite's, or for stored bytes that cannot be read; without any of their content."""
    if is_damage(error):
        return StoreDamaged(f"the store is damaged: {_said(error)}")
    if isinstance(error, sqlite3.IntegrityError):
        return Conflict(f"the store refused the change: {error}")
    return StoreUnavailable(f"the store does not answer: {error}")


def is_damage(error: Exception) -> bool:
    """Return whether the stored data is at fault, and not the caller."""
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or str(error).startswith(_UNDECODED)
    return isinstance(error, UnicodeDecodeError | msgspec.DecodeError)


def _said(error: Exception) -> str:
    if str(error).startswith(_UNDECODED):
        # SQLite's module goes on with the text itself.
        return str(error).partition(" with text ")[0]
    return str(error) if isinstance(error, sqlite3.Error) else "a stored value cannot be read"


def _unopened(path: str, error: Exception) -> StoreUnavailable:
    if is_damage(error):
        return StoreDamaged(f"cannot open {path}, it is damaged or no store: {_said(error)}")
    return StoreUnavailable(f"cannot open {path}: {error}")


def _real(path: str) -> str:
    return os.path.realpath(path)


class InlineReader:
    """A connection of the event loop's own, for looks so short that asking another thread would cost more.

    It never waits: what cannot be seen at once is None.
    """

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
