"""The verb: what of a user's memory answers a query, best first, each hit with its reasons."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from rememora.caches import forget_people
from rememora.domain.hit import Hit, IndexItem, SearchRequest, bounded
from rememora.domain.scope import Scope
from rememora.errors import RememoraError, Unavailable
from rememora.ports.outside import Clock, Embedder
from rememora.ports.store import Store
from rememora.ports.vectors import Near
from rememora.ranking.rank import Ranked, RankQuery, rank
from rememora.recall.apart import apart
from rememora.recall.followed_index import FollowedIndex
from rememora.recall.index_cache import IndexCache
from rememora.recall.model import Watch, points
from rememora.recall.query_vectors import QueryVectors
from rememora.recall.rerank import SecondOpinion
from rememora.recall.vector_choice import VectorChoice
from rememora.settings.weights import Weights
from rememora.userindex.rows import Row
from rememora.userindex.user_index import Filter, UserIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray

logger = logging.getLogger(__name__)

QUERY_CHARACTERS = 10_000
LARGE_ROWS = 20_000


class Searcher:
    """Answers queries of every user: the indexes, the embedder, and the vectors of recent queries."""

    def __init__(
        self,
        store: Store,
        indexes: IndexCache,
        *,
        vectors: VectorChoice,
        embedder: Embedder | None,
        clock: Clock,
        opinion: SecondOpinion | None = None,
        watch: Watch | None = None,
    ) -> None:
        self._store = store
        self._watch = watch
        self._opinion = opinion
        self._vectors = vectors
        self._indexes = indexes
        self._embedder = embedder
        self._clock = clock
        self._queries = QueryVectors(clock)

    async def recall(self, scope: Scope, search: SearchRequest) -> list[Hit]:
        """The best hits; a model that does not answer leaves the search to words alone."""
        text = search.query[:QUERY_CHARACTERS]
        vector = await self._vector(text)
        mine = self._indexes.of(scope)
        async with mine.lock:
            await mine.follow(self._store, scope)
            near = None if vector is None else await self._vectors.near(scope, mine.index, vector)
            query = RankQuery(
                text=text,
                # Yesterday is over at midnight where the person is.
                now=self._clock().astimezone(mine.timezone.zone),
                vector=vector,
                near=near,
                limit=search.limit if self._opinion is None else self._opinion.shown(search.limit),
                within=_within(search),
                min_similarity=search.min_similarity,
                related=search.floor > 0,
            )
            ranking = await _ranked(mine.index, query, self._indexes.weights)
            items = await mine.items(self._store, scope, [ranked.id for ranked in ranking])
            hits = above(
                search.floor, [_hit(item, ranked) for ranked in ranking if (item := items.get(ranked.id))]
            )
        self._indexes.make_room(scope)
        if self._opinion is not None:
            hits = await self._opinion.order(text, hits)
        return [bounded(hit) for hit in hits[: search.limit]]

    async def nearest(self, scope: Scope, text: str, *, limit: int) -> list[Hit] | None:
        """Items by the likeness of their vectors alone; None where there are no vectors to ask now."""
        vector = await self._vector(text[:QUERY_CHARACTERS])
        if vector is None:
            return None
        mine = self._indexes.of(scope)
        async with mine.lock:
            await mine.follow(self._store, scope)
        try:
            # Without the lock: an engine may take long, and other questions of this user go on. What was
            # removed meanwhile is filtered out below.
            closest = await self._vectors.of(mine.index).nearest(scope, vector, limit=limit)
        except Unavailable:
            return None
        async with mine.lock:
            ranked = [_by_meaning(near) for near in closest if near.key.name in mine.index]
            items = await mine.items(self._store, scope, [scored.id for scored in ranked])
        return [bounded(_hit(items[scored.id], scored)) for scored in ranked if scored.id in items]

    def has_loaded(self, scope: Scope) -> bool:
        """Return whether a person's index is in memory."""
        return self._indexes.has_loaded(scope)

    async def load(self, scope: Scope) -> None:
        """Have a person's index in memory, before anybody asks."""
        mine = self._indexes.of(scope)
        async with mine.lock:
            await mine.follow(self._store, scope)
        self._indexes.make_room(scope)

    def by_words(self) -> Searcher:
        """Return a searcher over the same indexes that calls no model, for callers that cannot wait."""
        return Searcher(self._store, self._indexes, vectors=self._vectors, embedder=None, clock=self._clock)

    async def refresh(self, scope: Scope, *, erased: bool = False) -> int:
        """Take what was deleted out of memory, and what was `erased` out of derived copies; returns how many."""
        if erased:
            # Nobody can tell whose question or word it was.
            self._queries.clear()
            self._indexes.forget_questions()
            forget_people()
            await self._vectors.erase(scope)
        return await self._indexes.refresh(self._store, scope)

    async def save_large(self) -> bool:
        """Save the layouts of large users, so that another process need not make them again."""
        return await self._indexes.save_large(self._store)

    async def sweep(self, large: Sequence[Scope], *, ahead: Collection[Scope]) -> None:
        """Bring the snapshots of large users up to date, those in `ahead` first, and remove all others."""
        await self._indexes.keep_only(large)
        if self._watch is not None and await self._watch.moved():
            return
        for user in large:
            mine = self._indexes.beside(user, ahead=user in ahead)
            if mine is not None:
                await self._look_after(user, mine, ahead=user in ahead)

    async def _look_after(self, user: Scope, mine: FollowedIndex, *, ahead: bool) -> None:
        if (ahead and not mine.index.holds_vectors) or await mine.opens(self._store, user):
            await mine.save(self._store, user)
            self._indexes.make_room(user)
        elif not ahead:
            # Of another program or another model: it is of no use, and nobody would see to what it holds.
            mine.spoil(user)

    async def ask_engine(self, scope: Scope) -> None:
        """Raise what the engine that searches vectors would raise."""
        if self._embedder is not None:
            await self._vectors.ask(scope, np.zeros(self._embedder.dimension, dtype=np.float32))

    async def close(self) -> None:
        """Save the layouts of large users for the next process, and let go of where vectors are searched."""
        try:
            await self._indexes.save_large(self._store, quiet=False)
        except (RememoraError, OSError) as error:
            # A layout is derived: the next process makes it again.
            logger.warning("the layouts of large users are not saved: %s", type(error).__name__)
        await self._vectors.close()

    async def _vector(self, text: str) -> NDArray[np.float32] | None:
        if self._embedder is None or (self._watch is not None and await self._watch.moved()):
            return None
        mark = self._queries.mark(text)
        cached = self._queries.get(mark)
        if cached is not None:
            return cached
        try:
            (vector,) = await self._embedder.embed([text], query=True)
        except Exception as error:
            # Meaning is one voice of several: without it the words still answer.
            logger.warning("recall goes by words alone: %s", type(error).__name__)
            return None
        if not points(vector, self._embedder):
            return None
        self._queries.put(mark, vector)
        return vector


def warm() -> None:
    """Ask a question of nobody's memory: what it compiles and loads is there for the first person's."""
    row = Row(id="message/c/0", text="aviso de ontem", at=datetime.now(UTC), conversation="c", position=1)
    rank(UserIndex([row]), RankQuery(text="o que eu disse ontem?", now=row.at))


def above(floor: float, hits: list[Hit]) -> list[Hit]:
    """Return the hits that score at least the share `floor` of the best one: no hit is better than noise."""
    least = floor * max((hit.score for hit in hits), default=0.0)
    return [hit for hit in hits if hit.score >= least]


async def _ranked(index: UserIndex, query: RankQuery, weights: Weights) -> list[Ranked]:
    """A large index takes long enough to be ranked beside the loop."""
    weighed = partial(rank, weights=weights)
    return weighed(index, query) if index.size < LARGE_ROWS else await apart(weighed, index, query)


def _within(search: SearchRequest) -> Filter:
    return Filter(
        kinds=search.kinds,
        conversations=None if search.conversation is None else {search.conversation},
        categories=None if search.category is None else {search.category},
        exclude_conversation=search.exclude_conversation,
        since=search.since,
        until=search.until,
    )


def _by_meaning(near: Near) -> Ranked:
    cosine = near.cosine
    return Ranked(id=near.key.name, score=cosine, similarity=min(1.0, max(0.0, cosine)), parts={"meaning": cosine})


def _hit(item: IndexItem, ranked: Ranked) -> Hit:
    key = item.key
    return Hit(
        content=item.text,
        score=ranked.score,
        similarity=ranked.similarity,
        parts=ranked.parts,
        kind=key.kind,
        id=key.id,
        conversation=key.conversation or None,
        created_at=item.at,
        metadata=item.metadata,
        role=item.role,
    )
