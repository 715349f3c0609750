"""A process that has saved a layout, and what is read of the store after that."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.layouts.known import LINES, PAGE, ROWS, hit_of, opened

from rememora import Rememora, Settings
from rememora.adapters import snapshots
from rememora.adapters.sql.index import SqlIndex
from rememora.domain.scope import Scope
from rememora.ports.index import IndexChanges
from rememora.recall import followed_index, sizes


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test can fill counts as large: it is saved, and mapped."""
    monkeypatch.setattr(sizes, "SAVED_ROWS", 200)
    monkeypatch.setattr(followed_index, "SMALL_ROWS", 100)
    monkeypatch.setattr(followed_index, "LOADED_AT_ONCE", 150)
    monkeypatch.setattr(snapshots, "MAPPED_BYTES", 0)


@pytest.fixture
def overrides() -> dict[str, object]:
    return {"layers.summarization": False}


@pytest.fixture
async def saved(settings: Settings) -> AsyncIterator[Rememora]:
    """A process that knows somebody well, was asked about them, and has saved how that is laid out."""
    async with opened(settings) as rememora:
        ana = rememora.user("ana", tenant="acme")
        for start in range(0, ROWS, PAGE):
            lines = ({"role": "user", "content": line} for line in LINES[start : start + PAGE])
            await ana.conversation(f"c{start}").append_many(lines)
        await ana.remember("profile.city", "Curitiba", source_ref=(await hit_of(ana, "pedido107")).id)
        await rememora.settle()
        await ana.recall("pedido7")
        await rememora.settle()
        yield rememora


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that indexes are given by the store, or the ids of items whose features they are given."""
    texts: list[str] = []
    changes, load = SqlIndex.changes, SqlIndex.load

    def loaded(index: SqlIndex, scope: Scope, **query: Any) -> IndexChanges:
        result = load(index, scope, **query)
        texts.extend(entry[2] for entry in result.entries)
        return result

    def noted(index: SqlIndex, scope: Scope, *, after: int, limit: int, vectors: bool = True) -> IndexChanges:
        result = changes(index, scope, after=after, limit=limit, vectors=vectors)
        texts.extend(item.text for item in result.items)
        return result

    monkeypatch.setattr(SqlIndex, "load", loaded)
    monkeypatch.setattr(SqlIndex, "changes", noted)
    return texts
