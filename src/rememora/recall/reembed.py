"""Recomputes every vector while memory stays in use: the next model's in parallel, switched at the end.

The vectors in use are still searched and added to. The next vectors are made for every item that the model in use
has settled; one transaction switches to the next model, and only then are the old vectors removed. Each
step can be interrupted and repeated.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from time import monotonic

from rememora.domain.hit import IndexItem
from rememora.domain.scope import Scope
from rememora.errors import Conflict
from rememora.ports.index import Embedded, EmbeddingModel, EmbeddingRun, IndexKeeper
from rememora.ports.outside import Clock, Embedder
from rememora.ports.store import Store
from rememora.recall.embed import BATCH, LEASE_SECONDS, SCOPES, embed_items, embed_waiting, lag, leased
from rememora.recall.model import model_of, runs_of

Progress = Callable[[int, int], None]
LOOK_SECONDS = 0.1


async def reembed(store: Store, embedder: Embedder, *, clock: Clock, progress: Progress | None = None) -> int:
    """Recompute every vector, or continue an interrupted run; returns how many items there are."""
    mine = model_of(embedder)
    run = await store.index(lambda keeper: _begin(keeper, mine))
    total = await store.index(lambda keeper: keeper.items(), reading=True)
    left = await store.index(lambda keeper: keeper.unsettled(run), reading=True) + await lag(store)
    async for made in _beside(store, embedder, run):
        left -= made
        _tell(progress, total - left, total)
    await store.index(lambda keeper: _switch(keeper, run))
    await _let_go(store, run, clock=clock)
    while await embed_waiting(store, embedder, clock=clock):
        _tell(progress, total - await lag(store), total)
    _tell(progress, total, total)
    return total


def _tell(progress: Progress | None, done: int, total: int) -> None:
    """Report progress; items added meanwhile are embedded too, but never raise the total."""
    if progress is not None:
        progress(max(0, min(done, total)), total)


def plan(runs: Sequence[EmbeddingRun], mine: EmbeddingModel) -> tuple[EmbeddingRun, tuple[int, ...]]:
    """The run to make, and the numbers of those that are given up for it."""
    for run in runs:
        if run.state == "next" and run.model == mine:
            return run, ()
    current = next((run for run in runs if run.state == "current"), None)
    given_up = tuple(run.number for run in runs if run.state == "next")
    if current is not None and current.model == mine and len(runs) > 1 and not given_up:
        # Switched already, but what went before has not all gone.
        return current, ()
    number = max((run.number for run in runs), default=0) + 1
    return EmbeddingRun(number=number, model=mine, state="next" if current else "current"), given_up


def _begin(keeper: IndexKeeper, mine: EmbeddingModel) -> EmbeddingRun:
    runs = keeper.runs()
    run, given_up = plan(runs, mine)
    for number in given_up:
        keeper.change_run(number, "old")
    if run not in runs:
        keeper.add_run(run)
    return run


async def _beside(store: Store, embedder: Embedder, run: EmbeddingRun) -> AsyncIterator[int]:
    """Pass over all users until nothing is left; what changes meanwhile is met by the next pass."""
    made = 1
    while made:
        made = 0
        async for scope in _users(lambda after: _settled(store, run, after)):
            async for count in _batches(store, embedder, scope, run):
                made += count
                yield count


async def _batches(store: Store, embedder: Embedder, scope: Scope, run: EmbeddingRun) -> AsyncIterator[int]:
    after = 0
    while items := await _items(store, scope, run, after):
        await _put(store, scope, run, await embed_items(embedder, items))
        after = items[-1].number
        yield len(items)


async def _put(store: Store, scope: Scope, run: EmbeddingRun, embedded: Sequence[Embedded]) -> None:
    await _check_wanted(store, run)
    await store.write(scope, lambda work: work.index.embed_beside(scope, embedded, run=run))


async def _items(store: Store, scope: Scope, run: EmbeddingRun, after: int) -> list[IndexItem]:
    return await store.read(scope, lambda work: work.index.settled(scope, run=run, after=after, limit=BATCH))


async def _settled(store: Store, run: EmbeddingRun, after: Scope | None) -> list[Scope]:
    return await store.index(lambda keeper: keeper.scopes_settled(run, after=after, limit=SCOPES), reading=True)


async def _users(page: Callable[[Scope | None], Awaitable[list[Scope]]]) -> AsyncIterator[Scope]:
    after: Scope | None = None
    while scopes := await page(after):
        for scope in scopes:
            yield scope
        after = scopes[-1]


async def _check_wanted(store: Store, run: EmbeddingRun) -> None:
    """Somebody may have begun with yet another model, and given this one up."""
    if not any(
        embedding_run.number == run.number and embedding_run.state != "old"
        for embedding_run in await runs_of(store)
    ):
        raise Conflict("another re-embedding has replaced this one")


def _switch(keeper: IndexKeeper, run: EmbeddingRun) -> None:
    """From here on the vectors of this run are searched; the few items it has not settled wait for it."""
    for embedding_run in keeper.runs():
        if embedding_run.number == run.number and embedding_run.state == "old":
            raise Conflict("another re-embedding has replaced this one")
        if embedding_run.number != run.number and embedding_run.state == "current":
            keeper.change_run(embedding_run.number, "old")
    keeper.change_run(run.number, "current")
    keeper.wait_for(run)


async def _let_go(store: Store, run: EmbeddingRun, *, clock: Clock) -> None:
    """Take the vectors out that are in use no more, and find what the old model settled at the last moment."""
    await _settle_stragglers(store, run, clock=clock)
    runs = await runs_of(store)
    kept = {run.model.key for run in runs if run.state != "old"}
    for old in (run for run in runs if run.state == "old"):
        await _drop(store, old, vectors=old.model.key not in kept)


async def _settle_stragglers(store: Store, run: EmbeddingRun, *, clock: Clock) -> None:
    """Take the embedding lease once: after that, every worker that embeds has seen the switch."""
    give_up_at = monotonic() + LEASE_SECONDS
    held = False
    while not held:
        async with leased(store, clock) as held:
            if held or monotonic() > give_up_at:
                await store.index(lambda keeper: keeper.wait_for(run))
                return
        await asyncio.sleep(LOOK_SECONDS)


async def _drop(store: Store, old: EmbeddingRun, *, vectors: bool) -> None:
    if vectors:
        async for scope in _users(lambda after: _made_by(store, old.model.key, after)):
            await _drop_of(store, scope, old.model.key)
    await store.index(lambda keeper: keeper.drop_run(old.number))


async def _drop_of(store: Store, scope: Scope, model: str) -> None:
    await store.write(scope, lambda work: work.index.drop_model(scope, model))


async def _made_by(store: Store, model: str, after: Scope | None) -> list[Scope]:
    return await store.index(lambda keeper: keeper.scopes_of(model, after=after, limit=SCOPES), reading=True)
