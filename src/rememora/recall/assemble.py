"""Puts a searcher together: the cache of indexes, where vectors are searched, and the reranker."""

from __future__ import annotations

import msgspec

from rememora.ports.outside import Clock, Embedder, Reranker
from rememora.ports.snapshots import Snapshots
from rememora.ports.store import Store
from rememora.ports.vectors import Vectors
from rememora.recall.index_cache import IndexCache
from rememora.recall.memory_vectors import MemoryVectors
from rememora.recall.model import Watch, model_of
from rememora.recall.rerank import SecondOpinion
from rememora.recall.search import Searcher
from rememora.recall.vector_choice import VectorChoice
from rememora.settings import Settings


class SearchParts(msgspec.Struct, frozen=True, kw_only=True):
    """Parts of a searcher; `engine` searches the vectors of large users."""

    store: Store
    clock: Clock
    embedder: Embedder | None
    engine: Vectors | None
    watch: Watch | None
    snapshots: Snapshots | None
    reranker: Reranker | None


def open_searcher(parts: SearchParts, settings: Settings) -> Searcher:
    """The searcher of every user."""
    embedder, engine = parts.embedder, parts.engine
    options = settings.recall
    memory_rows = options.ann_rows if embedder is not None and options.vectors == "memory" else 0
    dimension = embedder.dimension if embedder else 0
    cache = IndexCache(
        limit_bytes=options.memory_mb * 1024 * 1024,
        dimension=dimension,
        model=model_of(embedder).key if embedder else "",
        memory_rows=memory_rows,
        engine=engine,
        snapshots=parts.snapshots,
        weights=settings.weights,
    )
    memory = MemoryVectors(parts.store, cache, dimension=dimension)
    return Searcher(
        parts.store,
        cache,
        vectors=VectorChoice(memory, engine=engine, memory_rows=memory_rows),
        embedder=embedder,
        clock=parts.clock,
        opinion=_opinion(parts.reranker, settings),
        watch=parts.watch,
    )


def _opinion(reranker: Reranker | None, settings: Settings) -> SecondOpinion | None:
    if reranker is None:
        return None
    return SecondOpinion(reranker, seconds=settings.recall.rerank_ms / 1000, share=settings.weights.reranker)
