"""The verb: what of a user's memory answers a query, best first, each hit with its reasons."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from rememora.caches import forget_people
from rememora.domain.hit import Asked, Hit, Item, bounded
from rememora.domain.scope import Scope
from rememora.errors import Unavailable
from rememora.ports.outside import Clock, Embedder
from rememora.ports.store import Store
from rememora.ports.vectors import Vectors
from rememora.recall.apart import apart
from rememora.recall.asked import AskedLately
from rememora.recall.model import Watch, points
from rememora.recall.rank import Query, Ranked, rank
from rememora.recall.rerank import SecondOpinion
from rememora.recall.shelf import Filter, Shelf
from rememora.recall.shelves import Shelves
from rememora.recall.user_shelf import UserShelf
from rememora.settings.weights import Weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

logger = logging.getLogger(__name__)

QUERY_CHARACTERS = 10_000
LARGE_ROWS = 20_000
NEAREST = 300
"""How many cosines are asked for where vectors are searched elsewhere."""


class Elsewhere(msgspec.Struct, frozen=True, kw_only=True):
    """Where vectors are searched, and for shelves of more than how many rows; 0 for all."""

    vectors: Vectors
    above_rows: int
    # Whom it is known to have an index of: an empty shelf of theirs need not take vectors in first.
    has: Callable[[Scope], bool] = lambda _: False

    def serves(self, scope: Scope, shelf: Shelf) -> bool:
        """Whether a user's shelf leaves its vectors to it."""
        return shelf.elsewhere or len(shelf) > self.above_rows or (not len(shelf) and self.has(scope))

    def gives_back(self, shelf: Shelf) -> bool:
        """Whether a shelf has left its vectors to it and is not large any more."""
        return shelf.elsewhere and len(shelf) <= self.above_rows


class Searcher:
    """Answers queries of every user: the shelves, the embedder, and the vectors of recent queries."""

    def __init__(
        self,
        store: Store,
        shelves: Shelves,
        *,
        embedder: Embedder | None,
        clock: Clock,
        opinion: SecondOpinion | None = None,
        elsewhere: Elsewhere | None = None,
        watch: Watch | None = None,
    ) -> None:
        self._store = store
        self._watch = watch
        self._opinion = opinion
        self._elsewhere = elsewhere
        self._shelves = shelves
        self._embedder = embedder
        self._clock = clock
        self._queries = AskedLately(clock)

    async def recall(self, scope: Scope, asked: Asked) -> list[Hit]:
        """The best hits; a model that does not answer leaves the search to words alone."""
        text = asked.query[:QUERY_CHARACTERS]
        vector = await self._vector(text)
        mine = self._shelves.of(scope)
        async with mine.lock:
            near = await self._near(scope, mine.shelf, vector)
            await mine.follow(self._store, scope)
            if near is None:
                near = await self._near(scope, mine.shelf, vector)
            if self._wants_back(mine.shelf, vector, near):
                mine.start_over()
                await mine.follow(self._store, scope)
            query = Query(
                text=text,
                # Yesterday is over at midnight where the person is.
                now=self._clock().astimezone(mine.whereabouts.zone),
                vector=vector,
                near=near,
                limit=asked.limit if self._opinion is None else self._opinion.shown(asked.limit),
                within=_within(asked),
                min_similarity=asked.min_similarity,
                related=asked.floor > 0,
            )
            found = await _ranked(mine.shelf, query, self._shelves.weights)
            items = await mine.items(self._store, scope, [ranked.id for ranked in found])
            hits = above(asked.floor, [_hit(item, ranked) for ranked in found if (item := items.get(ranked.id))])
        self._shelves.make_room(scope)
        if self._opinion is not None:
            hits = await self._opinion.order(text, hits)
        return [bounded(hit) for hit in hits[: asked.limit]]

    def _wants_back(self, shelf: Shelf, vector: NDArray[np.float32] | None, near: object) -> bool:
        """Whether a shelf that let its vectors go needs them again; a search by words alone never does."""
        if vector is None or near is not None or self._elsewhere is None:
            return False
        return self._elsewhere.gives_back(shelf)

    def by_words(self) -> Searcher:
        """One over the same shelves that asks no model, for whoever cannot wait."""
        return Searcher(self._store, self._shelves, embedder=None, clock=self._clock, elsewhere=self._elsewhere)

    async def refresh(self, scope: Scope, *, erased: bool = False) -> int:
        """Take what was deleted out of memory, and what was `erased` out of derived copies; returns how many."""
        if erased:
            # Nobody can tell whose question or word it was.
            self._queries.clear()
            self._shelves.forget_questions()
            forget_people()
        if erased and self._elsewhere is not None:
            await self._erase_copies(self._elsewhere.vectors, scope)
        return await self._shelves.refresh(self._store, scope)

    async def save_large(self) -> bool:
        """Save the layouts of large users, so that another process need not make them again."""
        return await self._shelves.save_large(self._store)

    async def sweep(self, large: Sequence[Scope], *, ahead: Collection[Scope]) -> None:
        """Have what is saved of large users as the store stands, of some `ahead`, and nothing of anybody else."""
        await self._shelves.keep_only(large)
        if self._watch is not None and await self._watch.moved():
            return
        for user in large:
            mine = self._shelves.beside(user, ahead=user in ahead)
            if mine is not None:
                await self._look_after(user, mine, ahead=user in ahead)

    async def _look_after(self, user: Scope, mine: UserShelf, *, ahead: bool) -> None:
        if self._elsewhere is not None and self._elsewhere.has(user) and not len(mine.shelf):
            mine.shelf.let_vectors_go()
        if (ahead and mine.shelf.elsewhere) or await mine.opens(self._store, user):
            await mine.save(self._store, user)
            self._shelves.make_room(user)
        elif not ahead:
            # Of another program or another model: it is of no use, and nobody would see to what it holds.
            mine.spoil(user)

    async def _erase_copies(self, vectors: Vectors, scope: Scope) -> None:
        try:
            await vectors.erase(scope)
        except Unavailable as error:
            # Whoever holds the copy lets go of it when it next follows the store, where it is gone already.
            logger.warning("a copy of erased vectors is not at hand: %s", type(error).__name__)

    async def ask_elsewhere(self, scope: Scope) -> None:
        """Raise what whoever searches the vectors would raise."""
        import numpy as np

        if self._elsewhere is not None and self._embedder is not None:
            nothing = np.zeros(self._embedder.dimension, dtype=np.float32)
            await self._elsewhere.vectors.nearest(scope, nothing, limit=1)

    async def close(self) -> None:
        """Let go of where vectors are searched."""
        if self._elsewhere is not None:
            await self._elsewhere.vectors.close()

    async def _near(
        self, scope: Scope, shelf: Shelf, vector: NDArray[np.float32] | None
    ) -> dict[str, float] | None:
        """Cosines from where vectors are searched for a shelf of this size; None where the shelf has its own."""
        if vector is None or self._elsewhere is None or not self._elsewhere.serves(scope, shelf):
            return None
        try:
            found = await self._elsewhere.vectors.nearest(scope, vector, limit=NEAREST)
        except Unavailable as error:
            # A shelf that still has its own vectors answers by them, another one by words.
            if len(shelf) and self._shelves.first(scope, "elsewhere"):
                logger.warning("the vectors of a large user cannot be searched yet: %s", error)
            return None
        if not shelf.elsewhere:
            shelf.let_vectors_go()
        return {near.key.name: near.cosine for near in found}

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


def above(floor: float, hits: list[Hit]) -> list[Hit]:
    """The hits that score at least the share `floor` of the best one: an empty place tells more than noise."""
    least = floor * max((hit.score for hit in hits), default=0.0)
    return [hit for hit in hits if hit.score >= least]


async def _ranked(shelf: Shelf, query: Query, weights: Weights) -> list[Ranked]:
    """A large shelf takes long enough to be ranked beside the loop."""
    weighed = partial(rank, weights=weights)
    return weighed(shelf, query) if shelf.size < LARGE_ROWS else await apart(weighed, shelf, query)


def _within(asked: Asked) -> Filter:
    return Filter(
        kinds=asked.kinds,
        conversations=None if asked.conversation is None else {asked.conversation},
        categories=None if asked.category is None else {asked.category},
        exclude_conversation=asked.exclude_conversation,
        since=asked.since,
        until=asked.until,
    )


def _hit(item: Item, ranked: Ranked) -> Hit:
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
