"""One store fixture over every engine; a new engine is one line of ENGINES."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest
from tests.contract.making import RUN
from tests.engines.postgres import postgres_url

from rememora import Settings
from rememora.adapters.sql import index
from rememora.engines import open_store
from rememora.ports.store import Store

ENGINES: dict[str, Callable[[Path], AbstractContextManager[str]]] = {
    "folder": lambda folder: nullcontext(str(folder / "store")),
    "memory": lambda _: nullcontext(":memory:"),
    "postgres": lambda _: postgres_url(),
}


@pytest.fixture(params=ENGINES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where a fresh store of one engine opens."""
    with ENGINES[request.param](tmp_path) as result:
        yield result


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    """A fresh store of one engine, for one model's vectors."""
    opened = await open_store(
        Settings.load({"store.url": url, "store.synchronous": "normal"}, environ={}), model=RUN.model.key
    )
    yield opened
    await opened.close()


@pytest.fixture
def one_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers begin at the time, and so in no two databases alike: here they do."""
    monkeypatch.setattr(index, "first_number", lambda: 1)
