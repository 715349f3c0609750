"""What a warm memory shows of an item that changed: what it says now, and by no vector of what it said before."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from tests.clock import SetClock
from tests.engines.postgres import postgres_url

from rememora import Rememora, Settings, UserMemory
from rememora.domain.hit import Hit
from rememora.testing import WordEmbedder

OLD, NEW = "natal vermelho", "bicicleta amarela"


@contextmanager
def place(engine: str, folder: Path) -> Iterator[dict[str, object]]:
    """Where a memory lives, and where its vectors are searched."""
    if engine == "duckdb":
        yield {"store.url": str(folder / "store"), "recall.vectors": f"duckdb:///{folder}/vectors.duckdb"}
    elif engine == "folder":
        yield {"store.url": str(folder / "store")}
    else:
        with postgres_url() as url:
            vectors = "engine" if engine == "pgvector" else "memory"
            yield {"store.url": url, "store.key_folder": str(folder), "recall.vectors": vectors}


@pytest.fixture(params=["folder", "duckdb", "postgres", "pgvector"])
async def warm(request: pytest.FixtureRequest, tmp_path: Path, clock: SetClock) -> AsyncIterator[Rememora]:
    """A memory that has been asked about somebody before they say anything new."""
    with place(request.param, tmp_path) as values:
        settings = Settings.load(values, environ={})
        async with Rememora.open(
            settings=settings, clock=clock, embedder=WordEmbedder(), background=False
        ) as opened:
            ana = opened.user("ana", tenant="acme")
            await ana.entities.mention("campaign", "campaign.x", OLD)
            await opened.settle()
            assert 0.5 < (await one(ana, OLD)).similarity
            yield opened


async def one(ana: UserMemory, query: str) -> Hit:
    [hit] = await ana.recall(query, kinds=["entity"])
    return hit


async def test_no_vector_of_what_an_item_said_before_speaks_for_it(warm: Rememora) -> None:
    """Until it is embedded anew it is found by its words alone, and the old ones say nothing of it."""
    ana = warm.user("ana", tenant="acme")
    await ana.entities.mention("campaign", "campaign.x", NEW)
    by_old, by_new = await ana.recall(OLD, kinds=["entity"]), await one(ana, NEW)
    await warm.settle()
    later = await one(ana, NEW)

    assert [] == [hit for hit in by_old if "meaning" in hit.parts or hit.similarity]
    assert (True, False) == ("words" in by_new.parts, "meaning" in by_new.parts)
    assert 0.5 < later.similarity


async def test_every_mention_reaches_who_has_it_in_memory(warm: Rememora, clock: SetClock) -> None:
    """The count and the time are those of the last mention, and the same text is not embedded again."""
    ana, embedder = warm.user("ana", tenant="acme"), warm._parts.searcher()._embedder
    assert isinstance(embedder, WordEmbedder)
    clock.advance(30 * 86_400)
    for _ in range(3):
        await ana.entities.mention("campaign", "campaign.x", OLD, confidence=0.9)
    before = embedder.calls
    await warm.settle()
    after = embedder.calls
    [hit] = await ana.recall(OLD, kinds=["entity"], since=clock() - timedelta(days=1))

    assert (4, clock()) == (hit.metadata["mentions"], hit.created_at)
    assert 0.5 < hit.similarity
    assert before == after


async def test_another_process_learns_of_a_mention_too(settings: Settings, clock: SetClock) -> None:
    """Also one without an embedder, where nothing ever has a vector."""
    words = Settings.load({"store.url": settings.store.url, "recall.embedder": "none"}, environ={})
    async with (
        Rememora.open(settings=words, clock=clock, background=False) as local,
        Rememora.open(settings=words, clock=clock, background=False) as there,
    ):
        mine, theirs = (item.user("ana", tenant="acme") for item in (local, there))
        await mine.entities.mention("campaign", "campaign.x", OLD)
        first = await one(theirs, OLD)
        clock.advance(30 * 86_400)
        await mine.entities.mention("campaign", "campaign.x", OLD)
        later = await one(theirs, OLD)

    assert (1, 2) == (first.metadata["mentions"], later.metadata["mentions"])
    assert clock() == later.created_at
