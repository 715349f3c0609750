"""A text that a model refuses is left to words alone; a model that is away is waited for, and loses nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.embeddings import Endpoint, embedding

from rememora import Rememora, Settings, UserMemory, telemetry
from rememora.errors import ModelUnavailable
from rememora.testing import WordEmbedder

POISON = "veneno"


def poisoned(query: dict[str, Any]) -> int | None:
    """Refuse a call with a poisoned text."""
    return 400 if POISON in query["input"] else None


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with embedding(poisoned) as result:
        yield result


@pytest.fixture
def hosted(settings: Settings, endpoint: Endpoint) -> Settings:
    values: dict[str, Any] = {"store.url": settings.store.url, "recall.embedder": "openai", "recall.dimension": 2}
    return Settings.load({**values, "recall.base_url": endpoint.url, "recall.api_key": "k"}, environ={})


async def say(rememora: Rememora) -> UserMemory:
    """One text that is refused among a hundred, and another user's beside them."""
    ana = rememora.user("ana", tenant="acme")
    lines = [f"abacaxi {n}" for n in range(99)]
    lines.insert(40, POISON)
    await ana.conversation("c1").append_many({"role": "user", "content": line} for line in lines)
    await rememora.user("bia", tenant="acme").conversation("c1").append("user", "abacaxi")
    return ana


async def test_a_refused_text_holds_nobody_up(hosted: Settings, endpoint: Endpoint) -> None:
    """Everybody else's texts have their vectors after a few more calls; it is found by its words."""
    async with Rememora.open(settings=hosted, background=False) as rememora:
        ana = await say(rememora)
        await rememora.settle()
        calls, lag = endpoint.calls, await rememora.health.index_lag()
        hits = await ana.recall("abacaxi", limit=100, kinds=["message"])
        others = await rememora.user("bia", tenant="acme").recall("abacaxi", kinds=["message"])
        refused = await ana.recall(POISON, limit=1, kinds=["message"])

    assert 0 == lag
    assert 100 == len([hit for hit in (*hits, *others) if "meaning" in hit.parts])
    assert [POISON] == [hit.content for hit in refused]
    assert calls < 50


async def test_an_endpoint_that_refuses_everything_is_away(hosted: Settings, endpoint: Endpoint) -> None:
    """As with a wrong model name: no text is marked for it, and all have their vectors once it is mended."""
    endpoint.refusal = lambda _: 400
    async with Rememora.open(settings=hosted, background=False) as rememora:
        ana = await say(rememora)
        with pytest.raises(ModelUnavailable) as reply:
            await rememora.settle()
        lag = await rememora.health.index_lag()
        endpoint.refusal = poisoned
        await rememora.settle()
        [hit] = await ana.recall("abacaxi 7", limit=1)

    assert 101 <= lag
    assert "meaning" in hit.parts
    assert "abacaxi" not in str(reply.value)


class Passing(WordEmbedder):
    """Raises something as long as it stands there."""

    trouble: Exception | None = None

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.float32]]:
        if self.trouble is not None:
            raise self.trouble
        return await super().embed(texts, query=query)


@pytest.mark.parametrize("trouble", [ConnectionResetError(), OSError(), TimeoutError(), RuntimeError("not ready")])
async def test_trouble_that_passes_costs_no_vector(settings: Settings, trouble: Exception) -> None:
    """A host's own embedder may be out of reach for a while, whatever it raises then."""
    embedder = Passing()
    async with Rememora.open(settings=settings, embedder=embedder, background=False) as rememora:
        ana = await say(rememora)
        embedder.trouble = trouble
        with pytest.raises(ModelUnavailable):
            await rememora.settle()
        lag = await rememora.health.index_lag()
        embedder.trouble = None
        await rememora.settle()
        hits = await ana.recall("abacaxi", limit=50, kinds=["message"])

    assert 101 <= lag
    assert 50 == len([hit for hit in hits if "meaning" in hit.parts])


class Picky(WordEmbedder):
    """Never takes one text."""

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.float32]]:
        if POISON in texts and not query:
            raise RuntimeError("cannot")
        return await super().embed(texts, query=query)


async def test_what_was_refused_is_tried_again_at_start(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model may have learned to take it; until then it is counted, and holds nothing up."""
    measures = telemetry.Measures()
    monkeypatch.setattr(telemetry._state, "measures", measures)
    async with Rememora.open(settings=settings, embedder=Picky(), background=False) as rememora:
        ana = await say(rememora)
        await rememora.settle()
        refused = await ana.recall(POISON, limit=1)
        await rememora.settle()
        counted = measures.text().decode()
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as again:
        await again.settle()
        taken = await again.user("ana", tenant="acme").recall(POISON, limit=1)

    assert "rememora_items_refused_total 1.0" in counted
    assert (False, True) == ("meaning" in refused[0].parts, "meaning" in taken[0].parts)
