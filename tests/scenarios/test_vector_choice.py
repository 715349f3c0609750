"""Vectors of an engine: the index holds none, ranks by the cosines it is told, and goes on without them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import numpy as np
import pytest
from numpy.typing import NDArray

from rememora import Rememora
from rememora.domain.hit import SearchRequest
from rememora.domain.scope import Scope
from rememora.errors import StoreUnavailable
from rememora.ports.store import Store
from rememora.ports.vectors import Near
from rememora.recall.index_cache import IndexCache
from rememora.recall.memory_vectors import MemoryVectors
from rememora.recall.search import Searcher
from rememora.recall.vector_choice import VectorChoice
from rememora.testing import WordEmbedder

ANA = Scope("acme", "ana")
EMBEDDER = WordEmbedder(dimension=64)


class StoredVectors:
    """Searches the store's vectors one by one."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.erased: list[Scope] = []
        self.away = self.files = False
        self.asked = 0

    def has(self, scope: Scope) -> bool:
        return self.files

    async def nearest(self, scope: Scope, vector: NDArray[np.float32], *, limit: int) -> list[Near]:
        self.asked += 1
        if self.away:
            raise StoreUnavailable("not now")
        owners = (scope.person(), scope.shared())
        neighbours = [near for owner in owners for near in await self._near(owner, vector)]
        return sorted(neighbours, key=lambda near: -near.cosine)[:limit]

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
async def filled() -> AsyncIterator[Rememora]:
    async with Rememora.open(":memory:", embedder=EMBEDDER, background=False) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        lines = ("a reunião é na sexta", "o gato dorme muito", "o orçamento subiu", "ela odeia roxo")
        await chat.append_many({"role": "user", "content": line} for line in lines)
        await rememora.settle()
        yield rememora


def searcher_of(rememora: Rememora, *, above: int) -> tuple[Searcher, StoredVectors, IndexCache]:
    parts = rememora._parts
    engine = StoredVectors(parts.store)
    cache = IndexCache(limit_bytes=1 << 24, dimension=EMBEDDER.dimension, memory_rows=above, engine=engine)
    memory = MemoryVectors(parts.store, cache, dimension=EMBEDDER.dimension)
    vectors = VectorChoice(memory, engine=engine, memory_rows=above)
    searcher = Searcher(parts.store, cache, vectors=vectors, embedder=EMBEDDER, clock=parts.clock)
    return searcher, engine, cache


def asked(query: str) -> SearchRequest:
    return SearchRequest(query=query, limit=2)


async def test_an_engine_finds_what_memory_finds(filled: Rememora) -> None:
    """The same question finds the same items with the same similarity, and the index holds no vector."""
    mine, _, _ = searcher_of(filled, above=1_000)
    searcher, engine, cache = searcher_of(filled, above=0)
    expected = await mine.recall(ANA, asked("a reunião da sexta"))
    hits = await searcher.recall(ANA, asked("a reunião da sexta"))

    assert [(hit.id, round(hit.similarity, 5)) for hit in expected] == [
        (hit.id, round(hit.similarity, 5)) for hit in hits
    ]
    assert not cache.of(ANA).index.holds_vectors
    assert 1 == engine.asked


async def test_a_small_user_is_searched_in_memory(filled: Rememora) -> None:
    """Only above the threshold is an engine asked; then the index drops its vectors."""
    searcher, engine, cache = searcher_of(filled, above=4)
    await searcher.recall(ANA, asked("reunião"))

    assert 0 == engine.asked
    await filled.user("ana", tenant="acme").conversation("c1").append("user", "mais uma")
    await filled.settle()
    hits = await searcher.recall(ANA, asked("reunião"))

    assert 1 == engine.asked
    assert not cache.of(ANA).index.holds_vectors
    assert "a reunião é na sexta" == hits[0].content


async def test_who_becomes_small_again_is_searched_in_memory(filled: Rememora) -> None:
    """While the engine still has their files it is asked; once it has none, the vectors are loaded again."""
    searcher, engine, cache = searcher_of(filled, above=4)
    chat = filled.user("ana", tenant="acme").conversation("c2")
    await chat.append("user", "mais uma")
    await filled.settle()
    engine.files = True
    await searcher.recall(ANA, asked("reunião"))
    await chat.delete()
    await searcher.recall(ANA, asked("reunião"))

    assert (2, False) == (engine.asked, cache.of(ANA).index.holds_vectors)
    engine.files = False
    hits = await searcher.recall(ANA, asked("reunião"))

    assert (2, True) == (engine.asked, cache.of(ANA).index.holds_vectors)
    assert "a reunião é na sexta" == hits[0].content


async def test_recall_goes_on_while_an_engine_cannot_be_asked(filled: Rememora) -> None:
    """By the index's own vectors where it has them, by words where it has none."""
    for above, meant in ((3, True), (0, False)):
        searcher, engine, _ = searcher_of(filled, above=above)
        engine.away = True
        hits = await searcher.recall(ANA, asked("reunião na sexta"))

        assert 1 == engine.asked
        assert "a reunião é na sexta" == hits[0].content
        assert meant == ("meaning" in hits[0].parts)


@pytest.mark.parametrize("above", [0, 1_000], ids=["engine", "memory"])
async def test_plain_likeness_orders_by_cosine_alone(filled: Rememora, above: int) -> None:
    """In memory and in an engine alike; without either there is no answer."""
    searcher, engine, _ = searcher_of(filled, above=above)
    neighbours = await searcher.nearest(ANA, "a reunião é na sexta", limit=2)

    assert neighbours is not None
    assert "a reunião é na sexta" == neighbours[0].content
    assert neighbours[0].score == pytest.approx(0.5, abs=1e-5)
    assert neighbours[0].score > neighbours[1].score
    assert None is await searcher.by_words().nearest(ANA, "a reunião", limit=2)
    engine.away = True
    assert (above == 0) == (await searcher.nearest(ANA, "a reunião", limit=2) is None)


async def test_what_is_erased_is_erased_there_too(filled: Rememora) -> None:
    """Taking out of memory what was erased takes it out of an engine's copies."""
    searcher, engine, _ = searcher_of(filled, above=0)
    await searcher.refresh(ANA)
    await searcher.refresh(ANA, erased=True)
    await searcher.close()

    assert [ANA] == engine.erased
    assert engine.away
