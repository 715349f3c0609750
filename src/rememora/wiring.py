"""The composition root: settings and URLs become engines, and engines become one set of parts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from importlib import import_module
from typing import TypeVar

import msgspec

from rememora.adapters.sql.sqlite import SqliteDatabase
from rememora.adapters.sql.store import SqlStore
from rememora.domain.scope import Scope
from rememora.errors import SettingsError
from rememora.ports.outbox import Relay
from rememora.ports.outside import Clock
from rememora.ports.store import Store, UnitOfWork
from rememora.settings import Settings
from rememora.worker import Worker

T = TypeVar("T")


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """What the verbs are given."""

    settings: Settings
    store: Store
    clock: Clock
    worker: Worker


class NudgingStore:
    """A store that rings the worker after each write, so that nobody waits for the next poll."""

    def __init__(self, store: Store, nudge: Callable[[], None]) -> None:
        self._store = store
        self._nudge = nudge

    async def write(self, scope: Scope, work: Callable[[UnitOfWork], T]) -> T:
        result = await self._store.write(scope, work)
        self._nudge()
        return result

    async def read(self, scope: Scope, work: Callable[[UnitOfWork], T]) -> T:
        return await self._store.read(scope, work)

    async def relay(self, work: Callable[[Relay], T], *, reading: bool = False) -> T:
        return await self._store.relay(work, reading=reading)

    async def changed(self) -> int:
        return await self._store.changed()

    async def close(self) -> None:
        await self._store.close()


def utc_now() -> datetime:
    """The system's clock."""
    return datetime.now(UTC)


async def open_parts(settings: Settings, *, clock: Clock = utc_now) -> Parts:
    """Open the engines that `settings` name."""
    worker = Worker({}, settings.worker)
    store = await open_store(settings)
    return Parts(settings=settings, store=NudgingStore(store, worker.nudge), clock=clock, worker=worker)


async def open_store(settings: Settings) -> Store:
    """The store of a URL; its scheme chooses the engine."""
    scheme = settings.store.url.partition("://")[0] if "://" in settings.store.url else "sqlite"
    if scheme != "sqlite":
        raise SettingsError("store.url", f"{scheme}://…", "a folder, sqlite:///folder or :memory:")
    database = SqliteDatabase(settings.store)
    await database.open()
    return SqlStore(database)


def migrate(url: str, *, to: str = "head") -> tuple[str | None, str | None]:
    """Bring the store at `url` to a schema version; returns the versions before and after."""
    module = import_module("rememora.adapters.sql.migrate")
    before, after = module.migrate(url, to=to)
    return before, after
