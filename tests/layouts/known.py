"""Somebody known well, whose layout is saved: what the laws of saved layouts are told with."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.clock import SetClock

from rememora import Rememora, Settings
from rememora.domain.hit import Hit
from rememora.handles.user import UserMemory
from rememora.testing import WordEmbedder

ROWS = 400
PAGE = 100
EMBEDDER = WordEmbedder(dimension=96)
WORDS = [f"{name}{n}" for name in ("loja", "caixa", "verba", "conta", "nota") for n in range(12)]
# No two say the same: of equals, which comes first depends on when they came.
LINES = [f"pedido{n} " + " ".join(Random(n).sample(WORDS, 3 + n % 7)) for n in range(ROWS)]
QUERIES = ("pedido7", "pedido107 da loja3", "verba5 e conta9", "girafa amarela", "em que cidade mora Olinda?")
Answers = list[list[tuple[str, str, float, float, Mapping[str, float]]]]


class Turned(WordEmbedder):
    """Another model of the same length: its vectors and those of the first mean nothing to each other."""

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.float32]]:
        return [np.roll(vector, 31) for vector in await super().embed(texts, query=query)]


def opened(settings: Settings, embedder: WordEmbedder = EMBEDDER) -> Any:
    return Rememora.open(settings=settings, embedder=embedder, clock=SetClock(), background=False)


async def hit_of(ana: UserMemory, word: str) -> Hit:
    (hit,) = await ana.recall(word, limit=1, kinds=["message"])
    return hit


def files(settings: Settings) -> list[Path]:
    return [file for file in (Path(settings.store.url) / "shelves").rglob("*") if file.is_file()]


def holds(settings: Settings, text: str) -> bool:
    return any(text.encode() in file.read_bytes() for file in files(settings))


async def answers(settings: Settings, embedder: WordEmbedder = EMBEDDER) -> Answers:
    """What a process that starts now says."""
    async with opened(settings, embedder) as other:
        return await said(other)


async def said(rememora: Rememora) -> Answers:
    ana = rememora.user("ana", tenant="acme")
    items = [await ana.recall(query, limit=20) for query in QUERIES]
    return [[(hit.id, hit.content, hit.score, hit.similarity, hit.parts) for hit in hits] for hits in items]


async def made_anew(settings: Settings, embedder: WordEmbedder = EMBEDDER) -> Answers:
    """What it says where nothing is saved."""
    shutil.rmtree(Path(settings.store.url) / "shelves", ignore_errors=True)
    return await answers(settings, embedder)


async def add(ana: UserMemory) -> None:
    await ana.conversation("c0").append("user", "girafa amarela")


async def delete(ana: UserMemory) -> None:
    await ana.conversation("c100").delete()


async def correct(ana: UserMemory) -> None:
    await ana.memories.correct("profile.city", "Recife")
