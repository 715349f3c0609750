"""The SQL store: units of work over the repositories, whichever engine runs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from rememora.adapters.sql.history import SqlConversations, SqlMessages
from rememora.adapters.sql.index import SqlIndex, SqlIndexKeeper
from rememora.adapters.sql.outbox import SqlOutbox, SqlRelay
from rememora.adapters.sql.transaction import Transaction
from rememora.domain.scope import Scope
from rememora.ports.index import IndexKeeper
from rememora.ports.outbox import Relay
from rememora.ports.store import UnitOfWork

T = TypeVar("T")


class Database(Protocol):
    """What an engine does: run a function inside a transaction, where the connection lives."""

    async def write(self, work: Callable[[Transaction], T]) -> T: ...
    async def read(self, work: Callable[[Transaction], T]) -> T: ...
    async def changed(self) -> int: ...
    async def close(self) -> None: ...


class SqlUnitOfWork:
    """The repositories of one transaction, made when asked for."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    @property
    def conversations(self) -> SqlConversations:
        return SqlConversations(self._tx)

    @property
    def messages(self) -> SqlMessages:
        return SqlMessages(self._tx)

    @property
    def index(self) -> SqlIndex:
        return SqlIndex(self._tx)

    @property
    def outbox(self) -> SqlOutbox:
        return SqlOutbox(self._tx)


class SqlStore:
    """Runs units of work on a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def write(self, scope: Scope, work: Callable[[UnitOfWork], T]) -> T:
        return await self._database.write(lambda transaction: work(SqlUnitOfWork(transaction)))

    async def read(self, scope: Scope, work: Callable[[UnitOfWork], T]) -> T:
        return await self._database.read(lambda transaction: work(SqlUnitOfWork(transaction)))

    async def relay(self, work: Callable[[Relay], T], *, reading: bool = False) -> T:
        run = self._database.read if reading else self._database.write
        return await run(lambda transaction: work(SqlRelay(transaction)))

    async def index(self, work: Callable[[IndexKeeper], T], *, reading: bool = False) -> T:
        run = self._database.read if reading else self._database.write
        return await run(lambda transaction: work(SqlIndexKeeper(transaction)))

    async def changed(self) -> int:
        return await self._database.changed()

    async def close(self) -> None:
        await self._database.close()
