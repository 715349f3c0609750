"""Gives items their vectors, after the write and off its path: in batches, tried again, repaired at start."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from time import monotonic

from rememora.domain.hit import Item
from rememora.domain.ids import new_id
from rememora.domain.scope import Scope
from rememora.errors import ModelMismatch, Unavailable
from rememora.ports.index import Embedded, EmbeddingModel
from rememora.ports.outside import Clock, Embedder
from rememora.ports.store import Store

logger = logging.getLogger(__name__)

BATCH = 64
WORK_SECONDS = 2.0
SCOPES = 32
LEASE_SECONDS = 30.0


async def check_model(store: Store, embedder: Embedder) -> None:
    """Refuse to mix the vectors of two models."""
    found = await store.index(lambda keeper: keeper.model(), reading=True)
    mine = EmbeddingModel(embedder.name, embedder.dimension)
    if found is not None and found != mine:
        raise ModelMismatch(
            f"the index was made with {found.name} ({found.dimension} numbers a vector), "
            f"not with {mine.name} ({mine.dimension})",
            "rememora reembed",
        )


async def embed_waiting(store: Store, embedder: Embedder, *, clock: Clock) -> bool:
    """Embed some batches for each of some users; True when that went forward and more may wait."""
    scopes = await store.index(lambda keeper: keeper.scopes_waiting(limit=SCOPES), reading=True)
    if not scopes:
        return False
    async with _leased(store, clock) as held:
        if not held:
            return False
        await _remember_model(store, embedder)
        return await _embed_some(store, scopes, embedder) > 0


async def lag(store: Store) -> int:
    """Items that wait for their vector."""
    return await store.index(lambda keeper: keeper.lag(), reading=True)


async def reembed(
    store: Store, embedder: Embedder, *, clock: Clock, progress: Callable[[int, int], None] | None = None
) -> int:
    """Make every vector anew with `embedder`; search goes by words for what is not yet done."""
    total = await store.index(lambda keeper: keeper.forget_vectors())
    while await embed_waiting(store, embedder, clock=clock):
        if progress is not None:
            progress(total - await lag(store), total)
    return total


async def _embed_some(store: Store, scopes: Sequence[Scope], embedder: Embedder) -> int:
    """A batch for each in turn, while the lease surely holds: to find out who waits costs too much for one."""
    ends = monotonic() + WORK_SECONDS
    done, waiting = 0, list(scopes)
    while waiting:
        counts = [await _embed_batch(store, scope, embedder) for scope in waiting]
        done += sum(counts)
        more = [scope for scope, count in zip(waiting, counts, strict=True) if count == BATCH]
        waiting = more if monotonic() < ends else []
    return done


async def _embed_batch(store: Store, scope: Scope, embedder: Embedder) -> int:
    items = await store.read(scope, lambda work: work.index.waiting(scope, limit=BATCH))
    if items:
        embedded = await _embedded(embedder, items)
        await store.write(scope, lambda work: work.index.embed(scope, embedded))
    return len(items)


async def _embedded(embedder: Embedder, items: Sequence[Item]) -> list[Embedded]:
    try:
        vectors = await embedder.embed([item.searched for item in items])
    except Unavailable:
        raise
    except Exception as error:
        # One text the model cannot take must not hold up the others: find it by going one by one.
        if len(items) == 1:
            logger.warning("an item cannot be embedded: %s", type(error).__name__)
            return [Embedded(key=items[0].key, number=items[0].number, vector=None)]
        return [each for item in items for each in await _embedded(embedder, [item])]
    return [
        Embedded(key=item.key, number=item.number, vector=vector.tobytes())
        for item, vector in zip(items, vectors, strict=True)
    ]


async def _remember_model(store: Store, embedder: Embedder) -> None:
    await check_model(store, embedder)
    mine = EmbeddingModel(embedder.name, embedder.dimension)
    if await store.index(lambda keeper: keeper.model(), reading=True) is None:
        await store.index(lambda keeper: keeper.set_model(mine))


@asynccontextmanager
async def _leased(store: Store, clock: Clock) -> AsyncIterator[bool]:
    """The right to embed: two processes doing it would do it twice."""
    owner, now = new_id(), clock()
    until = now + timedelta(seconds=LEASE_SECONDS)
    held = await store.index(lambda keeper: keeper.claim(owner=owner, now=now, until=until))
    try:
        yield held
    finally:
        if held:
            await store.index(lambda keeper: keeper.release(owner=owner))
