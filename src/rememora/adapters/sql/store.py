"""The SQL store: units of work over the repositories, on any engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Generic, Protocol, TypeVar

from rememora.adapters.sql import journal
from rememora.adapters.sql.audit import SqlAudit
from rememora.adapters.sql.chores import SqlChoreList, SqlChores
from rememora.adapters.sql.documents import SqlDocuments
from rememora.adapters.sql.entities import SqlEntities
from rememora.adapters.sql.episodes import SqlEpisodes, SqlSummaries
from rememora.adapters.sql.history import SqlConversations, SqlMessages
from rememora.adapters.sql.index import SqlIndex, SqlIndexKeeper
from rememora.adapters.sql.logins import SqlLogins, SqlSignIns
from rememora.adapters.sql.memories import SqlAttempts, SqlMemories
from rememora.adapters.sql.outbox import SqlOutbox, SqlRelay
from rememora.adapters.sql.proposals import SqlProposals, SqlQuarantine
from rememora.adapters.sql.tasks import SqlTaskList, SqlTasks
from rememora.adapters.sql.tenancy import SqlAccounts, SqlAnswers, SqlKeys, SqlUsages
from rememora.adapters.sql.transaction import Transaction
from rememora.adapters.sql.trends import SqlLookback, SqlTrends
from rememora.adapters.sql.unread import SqlUnread
from rememora.adapters.sql.visibility import SqlSources, SqlUnjudged
from rememora.domain.integrity import Integrity
from rememora.domain.receipt import Residue
from rememora.domain.scope import Scope
from rememora.ports.chores import ChoreList
from rememora.ports.index import IndexKeeper
from rememora.ports.logins import SignIns
from rememora.ports.outbox import Relay
from rememora.ports.store import UnitOfWork
from rememora.ports.tasks import TaskList
from rememora.ports.tenancy import Accounts, IdempotentAnswer
from rememora.ports.visibility import Unjudged

R = TypeVar("R")
T = TypeVar("T")


class Database(Protocol):
    """A database engine: runs a function inside a transaction, where the connection lives.

    The tenant comes first and reaches the engine; None is an operator's act, which sees every tenant.
    """

    async def write(self, tenant: str | None, work: Callable[[Transaction], T]) -> T: ...
    async def read(self, tenant: str | None, work: Callable[[Transaction], T]) -> T: ...
    async def scrub(self, tenant: str | None, *, rebuild: bool) -> tuple[str, ...]: ...
    async def residue(self, tenant: str, terms: Sequence[bytes]) -> list[Residue]: ...
    async def words(self, tenant: str) -> dict[bytes, Residue]: ...
    async def integrity(self) -> Integrity: ...
    def changed(self) -> int | None: ...
    def glance(self, tenant: str | None, work: Callable[[Transaction], T]) -> T | None: ...
    async def close(self) -> None: ...


class Engine(Database, Protocol):
    """A database that has to be opened first, and may hear of other processes' writes."""

    async def open(self) -> None: ...
    def listen(self, ring: Callable[[], None]) -> None: ...


class _RepositoryOf(Generic[R]):
    """A repository of a unit of work, made when it is asked for: few units use more than three."""

    def __init__(self, make: Callable[[Transaction], R]) -> None:
        self._make = make

    def __get__(self, unit: SqlUnitOfWork, _: type) -> R:
        return self._make(unit.transaction)


class SqlUnitOfWork:
    """The repositories of one transaction."""

    def __init__(self, transaction: Transaction, model: str | None = None) -> None:
        self.transaction = transaction
        self._model = model

    @property
    def index(self) -> SqlIndex:
        return SqlIndex(self.transaction, self._model)

    conversations = _RepositoryOf(SqlConversations)
    messages = _RepositoryOf(SqlMessages)
    memories = _RepositoryOf(SqlMemories)
    sources = _RepositoryOf(SqlSources)
    attempts = _RepositoryOf(SqlAttempts)
    audit = _RepositoryOf(SqlAudit)
    proposals = _RepositoryOf(SqlProposals)
    quarantine = _RepositoryOf(SqlQuarantine)
    entities = _RepositoryOf(SqlEntities)
    documents = _RepositoryOf(SqlDocuments)
    summaries = _RepositoryOf(SqlSummaries)
    episodes = _RepositoryOf(SqlEpisodes)
    chores = _RepositoryOf(SqlChores)
    unread = _RepositoryOf(SqlUnread)
    tasks = _RepositoryOf(SqlTasks)
    outbox = _RepositoryOf(SqlOutbox)
    keys = _RepositoryOf(SqlKeys)
    usages = _RepositoryOf(SqlUsages)
    answers = _RepositoryOf(SqlAnswers)
    logins = _RepositoryOf(SqlLogins)
    lookback = _RepositoryOf(SqlLookback)
    trends = _RepositoryOf(SqlTrends)


class SqlStore:
    """Runs units of work on a database; `model` is whose vectors they read."""

    def __init__(
        self,
        database: Database,
        *,
        after_write: Callable[[], None] = lambda: None,
        model: str | None = None,
    ) -> None:
        self._model = model
        self._database = database
        self._after_write = after_write

    async def write(self, scope: Scope, work: Callable[[UnitOfWork], T]) -> T:
        run = journal.noted(lambda tx: work(SqlUnitOfWork(tx, self._model)))
        result = await self._database.write(scope.tenant, run)
        self._after_write()
        return result

    async def read(self, scope: Scope, work: Callable[[UnitOfWork], T], *, short: bool = False) -> T:
        def run(transaction: Transaction) -> T:
            return work(SqlUnitOfWork(transaction, self._model))

        glanced = self._database.glance(scope.tenant, run) if short else None
        return await self._database.read(scope.tenant, run) if glanced is None else glanced

    def journal(self, scope: Scope, key: str, begun: IdempotentAnswer) -> AbstractContextManager[None]:
        return journal.journal(scope, key, begun)

    async def relay(self, work: Callable[[Relay], T], *, reading: bool = False) -> T:
        run = self._database.read if reading else self._database.write
        return await run(None, lambda transaction: work(SqlRelay(transaction)))

    async def index(self, work: Callable[[IndexKeeper], T], *, reading: bool = False) -> T:
        run = self._database.read if reading else self._database.write
        return await run(None, lambda transaction: work(SqlIndexKeeper(transaction)))

    async def tenants(self) -> list[str]:
        return await self._database.read(None, lambda tx: [row[0] for row in tx.all("audit_tenants", {})])

    async def scrub(self, scope: Scope, *, rebuild: bool = False) -> tuple[str, ...]:
        return await self._database.scrub(scope.tenant, rebuild=rebuild)

    async def residue(self, scope: Scope, terms: Sequence[bytes]) -> list[Residue]:
        return await self._database.residue(scope.tenant, terms)

    async def words(self, scope: Scope) -> dict[bytes, Residue]:
        return await self._database.words(scope.tenant)

    async def integrity(self) -> Integrity:
        return await self._database.integrity()

    async def accounts(self, work: Callable[[Accounts], T], *, reading: bool = False) -> T:
        def run(transaction: Transaction) -> T:
            return work(SqlAccounts(transaction))

        if reading:
            return await self._database.read(None, run)
        return await self._database.write(None, journal.noted(run))

    async def sign_ins(self, work: Callable[[SignIns], T], *, reading: bool = False) -> T:
        run = self._database.read if reading else self._database.write
        return await run(None, lambda transaction: work(SqlSignIns(transaction)))

    async def chores(self, work: Callable[[ChoreList], T]) -> T:
        return await self._database.read(None, lambda transaction: work(SqlChoreList(transaction)))

    async def unjudged(self, work: Callable[[Unjudged], T]) -> T:
        return await self._database.read(None, lambda transaction: work(SqlUnjudged(transaction)))

    async def tasks(self, work: Callable[[TaskList], T]) -> T:
        return await self._database.read(None, lambda transaction: work(SqlTaskList(transaction)))

    def changed(self) -> int | None:
        return self._database.changed()

    async def close(self) -> None:
        await self._database.close()
