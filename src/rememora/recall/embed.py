"""Gives items their vectors, after the write and off its path: in batches, tried again, repaired at start."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from time import monotonic

import msgspec

from rememora import telemetry
from rememora.domain.hit import IndexItem
from rememora.domain.ids import new_id
from rememora.domain.scope import Scope
from rememora.errors import ModelMismatch, ModelUnavailable, Unavailable
from rememora.ports.index import Embedded, EmbeddingRun
from rememora.ports.outside import Clock, Embedder
from rememora.ports.store import Store
from rememora.recall.apart import apart
from rememora.recall.model import FIRST_RUN, Watch, check_model, model_of, points
from rememora.userindex.features import pack_items

logger = logging.getLogger(__name__)

BATCH = 64
WORK_SECONDS = 2.0
SCOPES = 32
LEASE_SECONDS = 30.0
PLAIN = "um texto como outro qualquer"
"""What every model takes."""


async def embed_waiting(store: Store, embedder: Embedder, *, clock: Clock) -> bool:
    """Embed some batches for each of some users; True when that went forward and more may wait."""
    scopes = await store.index(lambda keeper: keeper.scopes_waiting(limit=SCOPES), reading=True)
    if not scopes:
        return False
    async with leased(store, clock) as held:
        if not held:
            return False
        run = await check_model(store, embedder) or await _first_run(store, embedder)
        return await _embed_some(store, scopes, embedder, run) > 0


async def embed_or_tell(store: Store, embedder: Embedder, watch: Watch, *, clock: Clock) -> bool:
    """As `embed_waiting`, in a process that outlives its model: what is not its own to embed, it leaves alone."""
    try:
        return await embed_waiting(store, embedder, clock=clock)
    except ModelMismatch:
        watch.tell_moved()
        return False


async def lag(store: Store) -> int:
    """Items that wait for their vector."""
    return await store.index(lambda keeper: keeper.lag(), reading=True)


async def _embed_some(store: Store, scopes: Sequence[Scope], embedder: Embedder, run: EmbeddingRun) -> int:
    """A batch for each in turn, while the lease surely holds: to find out who waits costs too much for one."""
    ends = monotonic() + WORK_SECONDS
    done, waiting = 0, list(scopes)
    while waiting:
        counts = [await _embed_batch(store, scope, embedder, run) for scope in waiting]
        done += sum(counts)
        more = [scope for scope, count in zip(waiting, counts, strict=True) if count == BATCH]
        waiting = more if monotonic() < ends else []
    return done


async def _embed_batch(store: Store, scope: Scope, embedder: Embedder, run: EmbeddingRun) -> int:
    items = await store.read(scope, lambda work: work.index.waiting(scope, limit=BATCH))
    if items:
        features = await apart(pack_items, items)
        embedded = [
            msgspec.structs.replace(vector, features=made)
            for vector, made in zip(await embed_items(embedder, items), features, strict=True)
        ]
        # A model may take long enough for the index to have moved to another one.
        await check_model(store, embedder)
        await store.write(scope, lambda work: work.index.embed(scope, embedded, run=run))
    return len(items)


async def embed_items(embedder: Embedder, items: Sequence[IndexItem]) -> list[Embedded]:
    """The vector of each item, None for one that the model cannot take."""
    try:
        vectors = await embedder.embed([item.searched for item in items])
    except Unavailable:
        raise
    except OSError as error:
        # Who is out of reach now may answer later: nothing is wrong with the texts.
        raise _away(embedder, error) from error
    except Exception as error:
        # One text the model cannot take must not hold up the others: find it by halves.
        if len(items) == 1:
            return [await _refused(embedder, items[0], error)]
        half = len(items) // 2
        return [*await embed_items(embedder, items[:half]), *await embed_items(embedder, items[half:])]
    if [len(vector) for vector in vectors] != [embedder.dimension] * len(items):
        raise ModelUnavailable(f"{embedder.name} did not return vectors of {embedder.dimension} numbers")
    return [
        Embedded(key=item.key, number=item.number, vector=vector.tobytes() if points(vector, embedder) else None)
        for item, vector in zip(items, vectors, strict=True)
    ]


async def _refused(embedder: Embedder, item: IndexItem, error: Exception) -> Embedded:
    """One text left to words, if the model takes any other: else it is the model, and not the text."""
    try:
        await embedder.embed([PLAIN])
    except Exception:
        raise _away(embedder, error) from error
    logger.warning("an item cannot be embedded: %s", type(error).__name__)
    if (measures := telemetry.measures()) is not None:
        measures.refused.inc()
    return Embedded(key=item.key, number=item.number, vector=None)


def _away(embedder: Embedder, error: Exception) -> ModelUnavailable:
    """Build the error; the embedder's message may hold the text, so only its kind is passed on."""
    return ModelUnavailable(f"{embedder.name} embeds nothing: {type(error).__name__}")


async def try_again(store: Store) -> bool:
    """Have what a model refused wait for its vector again: it may have been its fault, or it has changed."""
    refused = await store.index(lambda keeper: keeper.refused(), reading=True)
    if refused:
        logger.info("items that a model refused are tried again: %d", refused)
        await store.index(lambda keeper: keeper.wait_again())
    return False


async def _first_run(store: Store, embedder: Embedder) -> EmbeddingRun:
    """Set the model of the index to that of the first embedder."""
    mine = EmbeddingRun(number=FIRST_RUN, model=model_of(embedder), state="current")
    await store.index(lambda keeper: keeper.add_run(mine))
    return await check_model(store, embedder) or mine


@asynccontextmanager
async def leased(store: Store, clock: Clock) -> AsyncIterator[bool]:
    """The right to embed: two processes doing it would do it twice."""
    owner, now = new_id(), clock()
    until = now + timedelta(seconds=LEASE_SECONDS)
    held = await store.index(lambda keeper: keeper.claim(owner=owner, now=now, until=until))
    try:
        yield held
    finally:
        if held:
            await store.index(lambda keeper: keeper.release(owner=owner))
