"""Search for the layers: by words and by meaning, and by words alone if the embedder is too slow."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rememora.context.gather import PackRequest
from rememora.domain.context import MissingLayer
from rememora.domain.hit import Hit, SearchRequest
from rememora.domain.scope import Scope
from rememora.gate import evaluate, load_policy
from rememora.language import tokens
from rememora.settings import Settings

if TYPE_CHECKING:
    from rememora.recall.search import Searcher

PATIENCE = 0.5
"""Share of the deadline for the embedder; the rest is for the search by words."""


class Finder:
    """Searches with the embedder, and without it if it does not respond in time."""

    def __init__(
        self,
        searcher: Callable[[], Searcher],
        *,
        patience_seconds: float,
        loading_seconds: float,
        load: Callable[[], None] | None = None,
    ) -> None:
        self._searcher = searcher
        self._load = load
        self._patience_seconds, self._loading_seconds = patience_seconds, loading_seconds
        self._loaded = False
        self._slow: set[asyncio.Future[Any]] = set()

    @classmethod
    def of(
        cls, settings: Settings, searcher: Callable[[], Searcher], *, load: Callable[[], None] | None = None
    ) -> Finder:
        """Build a finder that reserves half of the deadline for words; `load` loads what its embedder needs."""
        options = settings.context
        patience = PATIENCE * options.deadline_ms / 1000
        return cls(searcher, patience_seconds=patience, loading_seconds=options.loading_ms / 1000, load=load)

    async def ready(self) -> None:
        """Load what search needs, once, before the first turn has to wait for it."""
        if not self._loaded:
            await asyncio.to_thread(_load)
            if self._load is not None:
                await asyncio.to_thread(self._load)
            self._loaded = True

    async def prepare(self, scope: Scope) -> None:
        """Load a person's index, so that their first turn in a process has all memories."""
        searcher = self._searcher()
        if searcher.has_loaded(scope):
            return
        loading = asyncio.ensure_future(searcher.load(scope))
        self._slow.add(loading)
        loading.add_done_callback(self._heard)
        # What takes longer goes on in the background; a failure is the layers' to tell.
        await asyncio.wait([loading], timeout=self._loading_seconds)

    async def find(self, request: PackRequest, query: SearchRequest) -> list[Hit]:
        """Search for the query; with a slow embedder by words alone, which the pack reports."""
        search = asyncio.ensure_future(self._searcher().recall(request.scope, query))
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
        request.misses.append(MissingLayer(layer="vector_store", why="late"))
        return await self._searcher().by_words().recall(request.scope, query)

    async def close(self) -> None:
        """Cancel the searches that nobody waits for any more."""
        for search in list(self._slow):
            search.cancel()
        if self._slow:
            await asyncio.wait(self._slow)

    def _heard(self, search: asyncio.Future[Any]) -> None:
        self._slow.discard(search)
        if not search.cancelled():
            search.exception()


def _load() -> None:
    """Load numpy, the patterns of questions about time, both stemmers and the gate."""
    import_module("rememora.recall.search").warm()
    evaluate("um aviso", policy=load_policy())
    tokens("primeira", "pt")
    tokens("first", "en")
