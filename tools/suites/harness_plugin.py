"""A pytest plugin that puts our store in the place of the harness' SQLite store, for its own contract tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic_ai_harness import memory as harness

from rememora import Settings, SyncRememora
from rememora.integrations.bridge import Bridge
from rememora.integrations.pydantic_ai_store import RememoraMemoryStore

VERBS = ("read", "get_operation", "write", "write_with_metadata", "delete", "list_paths", "search")
_opened: dict[str, SyncRememora] = {}


class SuiteStore:
    """Our store, made the way in which the harness' tests make theirs: by the path of a file."""

    def __init__(self, *, database: str | Path) -> None:
        name = str(database)
        if name not in _opened:
            settings = Settings.load({"store.url": ":memory:", "recall.embedder": "none"}, environ={})
            _opened[name] = SyncRememora.open(settings=settings, background=False)
        self.bridge = Bridge(_opened[name])
        self.store = RememoraMemoryStore(self.bridge.memory, tenant="suite", user="suite")


def _asked(verb: str) -> Callable[..., Any]:
    """Return a verb of our store, run where its memory lives: every test has a loop of its own."""

    async def ask(self: SuiteStore, *given: Any, **named: Any) -> Any:
        return await self.bridge.call(getattr(self.store, verb)(*given, **named))

    return ask


for item in VERBS:
    setattr(SuiteStore, item, _asked(item))
harness.SqliteMemoryStore = SuiteStore  # type: ignore[assignment,misc]


def pytest_unconfigure() -> None:
    """Close every store."""
    for memory in _opened.values():
        memory.close()
