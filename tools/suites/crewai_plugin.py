"""A pytest plugin that puts our storage in the place of CrewAI's LanceDB storage, for CrewAI's own tests."""

from __future__ import annotations

from typing import Any

from crewai.memory.storage import lancedb_storage

from rememora import Settings, SyncRememora
from rememora.integrations.crewai import RememoraStorage

_opened: dict[str, SyncRememora] = {}


class SuiteStorage(RememoraStorage):
    """Our storage, opened the way in which CrewAI's tests open theirs: by the path of a folder."""

    def __init__(self, path: Any = None, **_: Any) -> None:
        name = str(path)
        if name not in _opened:
            settings = Settings.load({"store.url": ":memory:", "recall.embedder": "none"}, environ={})
            _opened[name] = SyncRememora.open(settings=settings, background=False)
        super().__init__(_opened[name], tenant="suite")


lancedb_storage.LanceDBStorage = SuiteStorage


def pytest_unconfigure() -> None:
    """Close every store."""
    for value in _opened.values():
        value.close()
