"""The ranking of reference questions, hit by hit: how an index is kept must not change what it answers.

`golden/rankings.json` holds what the questions of `golden/talk.json` found; `golden/shared.json` holds marks of
what LoCoMo and memoria_pt found, for whoever has them. A change to the ranking itself
writes both anew, on purpose: `python -m tests.scenarios.golden.write`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest
from bench.recall import locomo, memoria
from numpy.typing import NDArray
from tests.scenarios.golden import telling

from rememora import Settings
from rememora.testing import WordEmbedder

GOLDEN = json.loads((telling.HERE / "rankings.json").read_text())
SHARED = json.loads((telling.HERE / "shared.json").read_text())
needs_data = pytest.mark.skipif(telling.DATA is None, reason="the reference sets are not here")


async def test_rankings_are_the_same_in_the_process_that_wrote(settings: Settings) -> None:
    """What a process laid out message by message ranks as it always has."""
    async with telling.opened(settings) as rememora:
        person = await telling.tell(rememora)
        rankings = await telling.rankings(person, GOLDEN)

        assert rankings == GOLDEN


async def test_rankings_are_the_same_after_a_restart(settings: Settings) -> None:
    """What another process reads from the store ranks the same, to the last hit."""
    async with telling.opened(settings) as rememora:
        await telling.tell(rememora)
    async with telling.opened(settings) as rememora:
        rankings = await telling.rankings(rememora.user("ana", tenant="acme"), GOLDEN)

        assert rankings == GOLDEN


class AnotherProcessor(WordEmbedder):
    """Vectors that end in other digits, as another processor's sums do."""

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.float32]]:
        """Change each number of each vector by less than what floats are told apart by."""
        chance = np.random.default_rng(7)
        vectors = await super().embed(texts, query=query)
        return [(item * (1 + 1e-7 * chance.uniform(-1, 1, len(item)))).astype(np.float32) for item in vectors]


async def test_rankings_are_the_same_on_another_processor(settings: Settings) -> None:
    """Rows whose scores are equal but for the last digits come in the same order wherever they are added up."""
    async with telling.opened(settings, embedder=AnotherProcessor(dimension=64)) as rememora:
        person = await telling.tell(rememora)

        assert GOLDEN == await telling.rankings(person, GOLDEN)


@needs_data
async def test_rankings_of_memoria_pt_are_the_same(settings: Settings) -> None:
    """Every question about the Portuguese histories finds what it found."""
    assert telling.DATA is not None
    result = await telling.marks(settings, memoria(telling.DATA), telling.EVERY["memoria_pt"])

    assert SHARED["memoria_pt"] == result


@needs_data
@pytest.mark.slow
async def test_rankings_of_locomo_are_the_same(settings: Settings) -> None:
    """One in four of LoCoMo's questions finds what it found."""
    assert telling.DATA is not None
    result = await telling.marks(settings, locomo(telling.DATA), telling.EVERY["LoCoMo"])

    assert SHARED["LoCoMo"] == result
