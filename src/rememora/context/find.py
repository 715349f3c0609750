"""Recall as the layers call it: by words and by meaning, and by words alone where meaning takes too long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from rememora import recall
from rememora.context.gather import Ask
from rememora.domain.context import Missing
from rememora.domain.hit import Asked, Hit
from rememora.gate import evaluate, load_policy
from rememora.language import tokens
from rememora.settings import Settings

if TYPE_CHECKING:
    from rememora.recall.search import Searcher

PATIENCE = 0.5
"""The part of the deadline that meaning gets; the rest is for the words."""


class Finder:
    """Finds with the embedder, and without it when it does not answer in time."""

    def __init__(
        self, searcher: Callable[[], Searcher], *, patience_seconds: float, load: Callable[[], None] | None = None
    ) -> None:
        self._searcher = searcher
        self._load = load
        self._patience_seconds = patience_seconds
        self._loaded = False
        self._slow: set[asyncio.Future[list[Hit]]] = set()

    @classmethod
    def of(
        cls, settings: Settings, searcher: Callable[[], Searcher], *, load: Callable[[], None] | None = None
    ) -> Finder:
        """A finder that leaves the words half of the deadline; `load` reads what its embedder needs."""
        return cls(searcher, patience_seconds=PATIENCE * settings.context.deadline_ms / 1000, load=load)

    async def ready(self) -> None:
        """Load what search computes with, once: it takes its time, and no turn should be poorer for it."""
        if not self._loaded:
            await asyncio.to_thread(_load)
            if self._load is not None:
                await asyncio.to_thread(self._load)
            self._loaded = True

    async def find(self, ask: Ask, asked: Asked) -> list[Hit]:
        """What answers the query; a slow embedder leaves it to the words, and the pack says so."""
        search = asyncio.ensure_future(self._searcher().recall(ask.scope, asked))
        try:
            await asyncio.wait([search], timeout=self._patience_seconds)
            if search.done():
                return search.result()
        except asyncio.CancelledError:
            search.cancel()
            raise
        # It goes on in the background: the query's vector will be there when it is asked again.
        self._slow.add(search)
        search.add_done_callback(self._heard)
        ask.misses.append(Missing(layer="vector_store", why="late"))
        return await self._searcher().by_words().recall(ask.scope, asked)

    async def close(self) -> None:
        """End the searches that nobody waits for any more."""
        for search in list(self._slow):
            search.cancel()
        if self._slow:
            await asyncio.wait(self._slow)

    def _heard(self, search: asyncio.Future[list[Hit]]) -> None:
        self._slow.discard(search)
        if not search.cancelled():
            search.exception()


def _load() -> None:
    """Numpy, both stemmers and the gate."""
    assert recall.search is not None
    evaluate("um aviso", policy=load_policy())
    tokens("primeira", "pt")
    tokens("first", "en")
