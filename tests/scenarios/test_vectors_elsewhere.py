"""Vectors searched elsewhere: the shelf holds none, ranks by the cosines it is told, and goes on without them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import numpy as np
import pytest
from numpy.typing import NDArray

from rememora import Rememora
from rememora.domain.hit import Asked
from rememora.domain.scope import Scope
from rememora.errors import StoreUnavailable
from rememora.ports.store import Store
from rememora.ports.vectors import Near
from rememora.recall.search import Elsewhere, Searcher
from rememora.recall.shelves import Shelves
from rememora.testing import WordEmbedder

ANA = Scope("acme", "ana")
EMBEDDER = WordEmbedder(dimension=64)


class StoredVectors:
    """Searches the store's vectors one by one."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.erased: list[Scope] = []
        self.away = False
        self.asked = 0

    async def nearest(self, scope: Scope, vector: NDArray[np.float32], *, limit: int) -> list[Near]:
        self.asked += 1
        if self.away:
            raise StoreUnavailable("not now")
        owners = (scope.person(), scope.shared())
        found = [near for owner in owners for near in await self._near(owner, vector)]
        return sorted(found, key=lambda near: -near.cosine)[:limit]

    async def _near(self, owner: Scope, vector: NDArray[np.float32]) -> list[Near]:
        changes = await self._store.read(owner, lambda work: work.index.changes(owner, after=0, limit=10_000))
        vectors = ((item.key, item.vector) for item in changes.items if item.vector is not None)
        return [Near(key, float(np.frombuffer(values, dtype=np.float32) @ vector)) for key, values in vectors]

    async def erase(self, scope: Scope) -> int:
        self.erased.append(scope)
        return 0

    async def close(self) -> None:
        self.away = True


@pytest.fixture
async def told() -> AsyncIterator[Rememora]:
    async with Rememora.open(":memory:", embedder=EMBEDDER, background=False) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        lines = ("a reunião é na sexta", "o gato dorme muito", "o orçamento subiu", "ela odeia roxo")
        await chat.append_many({"role": "user", "content": line} for line in lines)
        await rememora.settle()
        yield rememora


def searcher_of(rememora: Rememora, *, above: int, elsewhere: bool) -> tuple[Searcher, StoredVectors, Shelves]:
    parts = rememora._parts
    shelves = Shelves(limit_bytes=1 << 24, dimension=EMBEDDER.dimension, elsewhere=elsewhere)
    vectors = StoredVectors(parts.store)
    found = Elsewhere(vectors=vectors, above_rows=above)
    searcher = Searcher(parts.store, shelves, embedder=EMBEDDER, clock=parts.clock, elsewhere=found)
    return searcher, vectors, shelves


def asked(query: str) -> Asked:
    return Asked(query=query, limit=2)


async def test_cosines_are_those_of_the_shelfs_own_vectors(told: Rememora) -> None:
    """The same question finds the same items with the same similarity, and the shelf holds no vector."""
    own = Searcher(
        told._parts.store,
        Shelves(limit_bytes=1 << 24, dimension=EMBEDDER.dimension),
        embedder=EMBEDDER,
        clock=told._parts.clock,
    )
    searcher, vectors, shelves = searcher_of(told, above=0, elsewhere=True)
    expected = await own.recall(ANA, asked("a reunião da sexta"))
    found = await searcher.recall(ANA, asked("a reunião da sexta"))

    assert [(hit.id, round(hit.similarity, 5)) for hit in expected] == [
        (hit.id, round(hit.similarity, 5)) for hit in found
    ]
    assert shelves.of(ANA).shelf.elsewhere
    assert 1 == vectors.asked


async def test_a_small_user_is_searched_in_memory(told: Rememora) -> None:
    """Only above the threshold is anybody else asked; then the shelf lets its vectors go."""
    searcher, vectors, shelves = searcher_of(told, above=4, elsewhere=False)
    await searcher.recall(ANA, asked("reunião"))

    assert 0 == vectors.asked
    await told.user("ana", tenant="acme").conversation("c1").append("user", "mais uma")
    await told.settle()
    found = await searcher.recall(ANA, asked("reunião"))

    assert 1 == vectors.asked
    assert shelves.of(ANA).shelf.elsewhere
    assert "a reunião é na sexta" == found[0].content


async def test_recall_goes_on_while_they_cannot_be_searched(told: Rememora) -> None:
    """By the shelf's own vectors where it has them, by words where it has none."""
    for elsewhere in (False, True):
        searcher, vectors, _ = searcher_of(told, above=0, elsewhere=elsewhere)
        vectors.away = True
        found = await searcher.recall(ANA, asked("reunião na sexta"))

        assert "a reunião é na sexta" == found[0].content
        assert (not elsewhere) == ("meaning" in found[0].parts)


async def test_what_is_erased_is_erased_there_too(told: Rememora) -> None:
    """Taking out of memory what was erased takes it out of derived copies."""
    searcher, vectors, _ = searcher_of(told, above=0, elsewhere=True)
    await searcher.refresh(ANA)
    await searcher.refresh(ANA, erased=True)
    await searcher.close()

    assert [ANA] == vectors.erased
    assert vectors.away
