"""A reranker has its say within its time, and never costs an answer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence

import pytest

from rememora import Hit, Rememora, Settings
from rememora.ports.outside import Reranker
from rememora.testing import WordEmbedder, WordReranker

SAID = tuple(f"O pedido {number} da loja saiu com o fornecedor {number}" for number in range(12))


class Against:
    """Prefers what the ranking puts last."""

    async def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        return [place / len(texts) for place in range(len(texts))]


class Silly:
    """Answers, but not what it was asked."""

    def __init__(self, *opinions: float) -> None:
        self.opinions = opinions

    async def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        return list(self.opinions)


@pytest.fixture
async def plain(settings: Settings) -> AsyncIterator[list[Hit]]:
    """The hits without a reranker, of a store that stays."""
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        await chat.append_many({"role": "user", "content": text} for text in SAID)
        await rememora.settle()
        yield await asked(rememora)


async def asked(rememora: Rememora) -> list[Hit]:
    return await rememora.user("ana", tenant="acme").recall("pedido 3 fornecedor", kinds=["message"])


async def reranked(settings: Settings, reranker: Reranker) -> list[Hit]:
    opening = Rememora.open(settings=settings, embedder=WordEmbedder(), reranker=reranker, background=False)
    async with opening as rememora:
        return await asked(rememora)


async def test_a_reranker_changes_the_order_and_says_by_how_much(settings: Settings, plain: list[Hit]) -> None:
    """Its part stands among the others, and they still add up."""
    hits = await reranked(settings, Against())

    assert len(plain) == len(hits)
    assert [hit.id for hit in plain] != [hit.id for hit in hits]
    for hit in hits:
        assert hit.parts["reranker"] != 0
        assert hit.score == pytest.approx(sum(hit.parts.values()), abs=1e-5)


async def test_a_reranker_sees_more_than_is_wanted(settings: Settings, plain: list[Hit]) -> None:
    """What the ranking had placed below the limit can come up."""
    hits = await reranked(settings, Against())

    assert not {hit.id for hit in hits} <= {hit.id for hit in plain}


@pytest.mark.parametrize("silly", [Silly(), Silly(1.0), Silly(*[float("nan")] * 12)])
async def test_an_answer_that_cannot_be_used_changes_nothing(
    settings: Settings, plain: list[Hit], silly: Silly
) -> None:
    """Too few numbers, or none at all: the order stays."""
    assert plain == await reranked(settings, silly)


async def test_late_or_failing_the_order_stays_and_it_is_told(
    settings: Settings, plain: list[Hit], caplog: pytest.LogCaptureFixture
) -> None:
    """Nobody waits longer than `recall.rerank_ms`, and the log counts how often."""
    late = WordReranker(seconds=60)
    failing = WordReranker()
    failing.fail = True
    hurried = Settings.load({"store.url": settings.store.url, "recall.rerank_ms": 10}, environ={})
    with caplog.at_level(logging.WARNING, logger="rememora.recall"):
        async with asyncio.timeout(30):
            assert plain == await reranked(hurried, late)
        assert plain == await reranked(settings, failing)

    assert (1, 1) == (late.calls, failing.calls)
    assert 2 == sum("reranker was skipped" in record.getMessage() for record in caplog.records)
