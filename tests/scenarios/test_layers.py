"""Layers that are slow or broken, from outside: the turn goes on, and the pack says what is missing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray
from tests.behind import behind
from tests.clock import SetClock

from rememora import Rememora, Settings
from rememora.context.count import remembering
from rememora.settings import ContextSettings, RecallSettings
from rememora.testing import WordEmbedder


class SlowToAsk(WordEmbedder):
    """Embeds what is stored at once, and never finishes with a question."""

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.float32]]:
        if query:
            await asyncio.Event().wait()
        return await super().embed(texts, query=query)


async def test_a_slow_embedder_leaves_recall_to_the_words(settings: Settings, clock: SetClock) -> None:
    """The passage is found all the same, and the pack names what was late; closing waits for nobody."""
    quick = msgspec.structs.replace(settings, context=ContextSettings(deadline_ms=1000))
    async with Rememora.open(settings=quick, clock=clock, background=False, embedder=SlowToAsk()) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.conversation("old").append("user", "O fornecedor das caixas é a Papelaria Sol")
        await rememora.settle()
        pack = await ana.conversation("new").context("Quem é o fornecedor das caixas?")

        assert ["O fornecedor das caixas é a Papelaria Sol"] == [item.text for item in pack.section("related")]
        assert [("vector_store", "late")] == [(item.layer, item.why) for item in pack.missing]


@pytest.mark.embedded
async def test_a_broken_layer_does_not_stop_a_turn(settings: Settings, clock: SetClock) -> None:
    """With its table gone from under it a layer is named as failed, and the answer comes all the same."""
    calm = msgspec.structs.replace(
        settings, context=ContextSettings(deadline_ms=20_000), recall=RecallSettings(embedder="none")
    )
    async with Rememora.open(settings=calm, clock=clock, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.profile.seed(name="Ana")
        behind(settings.store.url, "DROP TABLE proposals")
        reply = await ana.conversation("c1").reply("Oi")
        assert reply.pack is not None

        assert reply.text.startswith("Olá, Ana!")
        assert [("questions", "failed")] == [(item.layer, item.why) for item in reply.pack.missing]


def test_a_text_is_counted_once() -> None:
    """The same count comes back without asking again."""
    texts: list[str] = []

    def counter(text: str) -> int:
        texts.append(text)
        return len(text)

    count = remembering(counter)

    assert [3, 3, 2] == [count("abc"), count("abc"), count("ab")]
    assert ["abc", "ab"] == texts
