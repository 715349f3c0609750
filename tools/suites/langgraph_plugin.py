"""A pytest plugin that puts our store in the place of LangGraph's own, on SQLite and in memory, for its tests."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from langgraph.store import memory, sqlite
from langgraph.store.sqlite import aio as sqlite_aio

from rememora import Rememora, Settings, SyncRememora
from rememora.integrations.langgraph_store import RememoraStore

# Helpers of the tests lie in the checkout, and an older package beside them: the installed one comes first.
sys.path.append(str(Path.cwd()))


def _settings() -> Settings:
    return Settings.load(
        {"store.url": tempfile.mkdtemp(prefix="rememora-suite-"), "recall.embedder": "none"}, environ={}
    )


class SuiteStore(RememoraStore):
    """Our store, opened the way in which LangGraph's tests open theirs."""

    @classmethod
    @contextmanager
    def from_conn_string(cls, _: str, *, index: Any = None, ttl: Any = None) -> Iterator[SuiteStore]:
        """Open a store of the test's own, whatever file it names."""
        with (
            SyncRememora.open(settings=_settings(), background=False) as opened,
            cls(opened, tenant="suite", index=index, ttl=ttl) as store,
        ):
            yield store

    def setup(self) -> None:
        """Do nothing: opening the memory has done it."""


class AsyncSuiteStore(RememoraStore):
    """The same with `await`."""

    @classmethod
    @asynccontextmanager
    async def from_conn_string(
        cls, _: str, *, index: Any = None, ttl: Any = None
    ) -> AsyncIterator[AsyncSuiteStore]:
        """Open a store of the test's own, whatever file it names."""
        async with (
            Rememora.open(settings=_settings(), background=False) as opened,
            cls(opened, tenant="suite", index=index, ttl=ttl) as store,
        ):
            yield store

    async def setup(self) -> None:
        """Do nothing: opening the memory has done it."""

    # Their async store names these without a prefix.
    async def sweep_ttl(self) -> int:  # type: ignore[override]
        """Remove what has expired."""
        return await self.asweep_ttl()

    async def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> Any:  # type: ignore[override]
        """Sweep every few minutes."""
        return await self.astart_ttl_sweeper(sweep_interval_minutes)

    async def stop_ttl_sweeper(self, **_: Any) -> bool:  # type: ignore[override]
        """End the sweeping."""
        return await self.astop_ttl_sweeper()


class SuiteMemoryStore(RememoraStore):
    """Our store in the place of the one in memory, which is made without opening anything."""

    def __init__(self, *, index: Any = None) -> None:
        opened = SyncRememora.open(settings=_settings(), background=False)
        super().__init__(opened.__enter__(), tenant="suite", index=index)


for module, name, ours in (
    (sqlite, "SqliteStore", SuiteStore),
    (sqlite, "AsyncSqliteStore", AsyncSuiteStore),
    (sqlite_aio, "AsyncSqliteStore", AsyncSuiteStore),
    (memory, "InMemoryStore", SuiteMemoryStore),
):
    setattr(module, name, ours)
