"""One store fixture over every engine; a new engine is one line of ENGINES."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from rememora import Settings
from rememora.ports.store import Store
from rememora.wiring import open_store

ENGINES: dict[str, Callable[[Path], str]] = {
    "folder": lambda folder: str(folder / "store"),
    "memory": lambda _: ":memory:",
}


@pytest.fixture(params=ENGINES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a fresh store of one engine opens."""
    return ENGINES[request.param](tmp_path)


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    """A fresh store of one engine."""
    opened = await open_store(Settings.load({"store.url": url}, environ={}))
    yield opened
    await opened.close()
