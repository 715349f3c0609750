"""Users with more than fits: nothing is left out, memory stays within its limit, and others do not wait."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

import pytest

from rememora import Rememora, Settings
from rememora.domain.hit import SearchRequest
from rememora.domain.rights import ADMIN
from rememora.domain.scope import Scope
from rememora.recall import sizes
from rememora.recall.index_cache import IndexCache
from rememora.recall.memory_vectors import MemoryVectors
from rememora.recall.search import Searcher
from rememora.recall.vector_choice import VectorChoice
from rememora.testing import WordEmbedder

ROWS = 2_000
DIMENSION = 512
SMALL = 1024 * 1024


def searcher_of(rememora: Rememora, *, limit_bytes: int = SMALL) -> tuple[Searcher, IndexCache]:
    parts = rememora._parts
    indexes = IndexCache(limit_bytes=limit_bytes, dimension=DIMENSION)
    embedder = WordEmbedder(dimension=DIMENSION)
    vectors = VectorChoice(MemoryVectors(parts.store, indexes, dimension=DIMENSION))
    return Searcher(parts.store, indexes, vectors=vectors, embedder=embedder, clock=parts.clock), indexes


async def filled(rememora: Rememora, *users: str, rows: int = ROWS) -> None:
    for user in users:
        chat = rememora.user(user, tenant="acme").conversation("c1")
        await chat.append_many({"role": "user", "content": f"pedido{n} da loja {n % 7}"} for n in range(rows))
    await rememora.settle()


@pytest.fixture
def unfolded(settings: Settings) -> Settings:
    return Settings.load({"store.url": settings.store.url, "layers.summarization": False}, environ={})


async def test_a_user_larger_than_the_limit_is_found_whole(
    unfolded: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """Precision gives way, said once; every message is still found by its own word."""
    embedder = WordEmbedder(dimension=DIMENSION)
    async with Rememora.open(settings=unfolded, embedder=embedder, background=False) as rememora:
        await filled(rememora, "ana")
        searcher, indexes = searcher_of(rememora)
        ana = Scope("acme", "ana")
        with caplog.at_level(logging.WARNING, logger="rememora.recall"):
            for number in (0, 1, ROWS // 2, ROWS - 1):
                hits = await searcher.recall(ana, asked(f"pedido{number}"))

                assert f"pedido{number} da loja {number % 7}" == hits[0].content
                assert 0.5 < hits[0].similarity

        assert indexes.of(ana).index.reduced
        assert 1 == sum("recall.memory_mb" in record.getMessage() for record in caplog.records)


async def test_shelves_stay_within_their_limit(unfolded: Settings) -> None:
    """Who was asked about longest ago makes room; asked again, they are laid out again."""
    embedder = WordEmbedder(dimension=DIMENSION)
    async with Rememora.open(settings=unfolded, embedder=embedder, background=False) as rememora:
        users = [f"u{number}" for number in range(6)]
        await filled(rememora, *users, rows=300)
        searcher, indexes = searcher_of(rememora, limit_bytes=4 * SMALL)
        for user in [*users, users[0]]:
            hits = await searcher.recall(Scope("acme", user), asked("pedido7"))

            assert "pedido7 da loja 0" == hits[0].content
            assert indexes.nbytes <= 4 * SMALL

        assert 1 < len(indexes) < len(users)


async def test_a_search_given_up_while_a_user_is_laid_out_breaks_nothing(unfolded: Settings) -> None:
    """The caller goes; the next one finds each message, once."""
    embedder = WordEmbedder(dimension=DIMENSION)
    async with Rememora.open(settings=unfolded, embedder=embedder, background=False) as rememora:
        await filled(rememora, "ana")
        searcher, indexes = searcher_of(rememora, limit_bytes=64 * SMALL)
        ana = Scope("acme", "ana")
        for patience in (0.01, 0.05, 0.1):
            with suppress(TimeoutError):
                await asyncio.wait_for(searcher.recall(ana, asked("pedido7")), patience)
        hits = await searcher.recall(ana, asked("pedido7"))
        stored = await rememora.user("ana", tenant="acme").conversation("c1").about()

        assert "pedido7 da loja 0" == hits[0].content
        assert stored.messages <= len(indexes.of(ana).index)


async def test_texts_of_a_large_user_are_read_where_they_live(
    unfolded: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond a size no text is kept in memory; hits have it all the same, and so have those of the tenant."""
    monkeypatch.setattr(sizes, "KEPT_ROWS", 100)
    embedder = WordEmbedder(dimension=DIMENSION)
    async with Rememora.open(settings=unfolded, embedder=embedder, background=False) as rememora:
        await filled(rememora, "ana", rows=200)
        boss = rememora.user("boss", tenant="acme", rights=ADMIN)
        await boss.remember("tenant.name", "Padaria Sol", scope="tenant_shared")
        searcher, indexes = searcher_of(rememora, limit_bytes=64 * SMALL)
        ana = Scope("acme", "ana")
        said = await searcher.recall(ana, asked("pedido7"))
        known = await searcher.recall(ana, SearchRequest(query="padaria", limit=1))
        await rememora.user("ana", tenant="acme").conversation("c1").delete()
        gone = await searcher.recall(ana, asked("pedido7"))

        assert {} == indexes.of(ana)._kept
        assert "pedido7 da loja 0" == said[0].content
        assert "Padaria Sol" == known[0].metadata["value"]
        assert [] == gone


def asked(query: str) -> SearchRequest:
    return SearchRequest(query=query, limit=3, kinds=frozenset({"message"}))
