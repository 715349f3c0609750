"""What an append costs: the queries it runs, counted at the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar, cast

from tests.clock import MIDDAY

from rememora import NewMessage, Scope, Settings
from rememora.adapters.sql.sqlite import SqliteDatabase
from rememora.adapters.sql.store import Database, SqlStore
from rememora.adapters.sql.transaction import Params, Row, Transaction
from rememora.domain.integrity import Integrity
from rememora.history import record

T = TypeVar("T")
ANA = Scope("acme", "ana", "c1")
APPEND = ["count_usage", "reserve_places", "add_message", "put_message"]


class Counting:
    """A transaction that writes down which queries it runs."""

    def __init__(self, inner: Transaction, names: list[str]) -> None:
        self._inner = inner
        self._names = names

    def run(self, name: str, params: Params) -> int:
        self._names.append(name)
        return self._inner.run(name, params)

    def send(self, name: str, params: Params) -> None:
        self._names.append(name)
        self._inner.send(name, params)

    def many(self, name: str, params: Iterable[Params]) -> None:
        self._names.append(name)
        self._inner.many(name, params)

    def one(self, name: str, params: Params) -> Row | None:
        self._names.append(name)
        return self._inner.one(name, params)

    def all(self, name: str, params: Params) -> list[Row]:
        self._names.append(name)
        return self._inner.all(name, params)


class CountingDatabase:
    """A database whose transactions count."""

    def __init__(self, inner: SqliteDatabase) -> None:
        self._inner = inner
        self.names: list[str] = []

    async def write(self, tenant: str | None, work: Callable[[Transaction], T]) -> T:
        return await self._inner.write(tenant, lambda transaction: work(Counting(transaction, self.names)))

    async def read(self, tenant: str | None, work: Callable[[Transaction], T]) -> T:
        return await self._inner.read(tenant, lambda transaction: work(Counting(transaction, self.names)))

    async def integrity(self) -> Integrity:
        return await self._inner.integrity()

    def changed(self) -> int | None:
        return self._inner.changed()

    def glance(self, tenant: str | None, work: Callable[[Transaction], T]) -> T | None:
        return self._inner.glance(tenant, lambda transaction: work(Counting(transaction, self.names)))

    async def close(self) -> None:
        await self._inner.close()


async def test_only_an_append_that_completes_something_runs_more_queries() -> None:
    """Of twenty turns, 17 run the queries of an append alone; the first begins, and two end an episode."""
    settings = Settings.load({"store.url": ":memory:"}, environ={})
    engine = SqliteDatabase(settings.store)
    await engine.open()
    database = CountingDatabase(engine)
    store = SqlStore(cast("Database", database))
    costs: list[list[str]] = []
    for _ in range(1, 21):
        database.names.clear()
        # An answer with a figure in it asks besides whether it repeats one of the turn before that is hidden.
        draft = NewMessage(role="assistant", content="tudo certo")
        await record.append(store, ANA, [draft], clock=lambda: MIDDAY, settings=settings)
        costs.append(list(database.names))
    await store.close()

    dear = [number for number, names in enumerate(costs, 1) if names != APPEND]

    assert [1, 10, 20] == dear
    assert sorted([*APPEND, "mark_gone"]) == sorted(costs[0])
    assert all("add_episodes" in costs[number - 1] for number in dear[1:])
