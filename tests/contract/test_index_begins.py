"""Where the numbers of an index begin: above all that a reader may know of somebody erased with a tenant."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

import pytest
from tests.contract.making import ANA, said, spoken

from rememora.domain.hit import ItemKey
from rememora.domain.scope import Scope
from rememora.ports.index import IndexChanges
from rememora.ports.store import Store, UnitOfWork

Say = Callable[[Store, Scope, int], Awaitable[None]]


async def by_key(store: Store, scope: Scope, count: int) -> None:
    messages = await spoken(store, scope, [f"<{place}>" for place in range(count)])
    keys = [ItemKey("message", message.id, message.conversation) for message in messages]
    await store.write(scope, lambda work: work.index.put(scope, keys))


async def at_once(store: Store, scope: Scope, count: int) -> None:
    messages = [said(scope, seq, content=f"<{seq}>") for seq in range(1, count + 1)]

    def put(work: UnitOfWork) -> None:
        work.messages.add(scope, messages)
        work.index.put_messages(scope, messages)

    await store.write(scope, put)


async def one_by_one(store: Store, scope: Scope, count: int) -> None:
    def put(work: UnitOfWork, seq: int) -> None:
        message = said(scope, seq, content=f"<{seq}>")
        work.messages.add(scope, [message])
        work.index.put_messages(scope, [message])

    for seq in range(1, count + 1):
        await store.write(scope, partial(put, seq=seq))


async def changes(store: Store, scope: Scope, after: int = 0) -> IndexChanges:
    return await store.read(scope, lambda work: work.index.changes(scope, after=after, limit=100))


@pytest.mark.parametrize("say", [by_key, at_once, one_by_one])
@pytest.mark.parametrize("scope", [ANA, ANA.shared().within("c1")], ids=["own", "shared"])
@pytest.mark.parametrize("later", [1, 3, 5])
async def test_who_knew_an_erased_tenant_is_told(store: Store, say: Say, scope: Scope, later: int) -> None:
    """However many changes came after it, a reader of what was learns that nothing of it holds."""
    await say(store, scope, 3)
    seen = await changes(store, scope)
    await store.accounts(lambda view: view.erase(scope.tenant))
    await say(store, scope, later)
    reply = await changes(store, scope, after=seen.newest)

    assert reply.anew or reply.reset > seen.reset
    assert later == len((await changes(store, scope)).items)


@pytest.mark.parametrize("say", [by_key, at_once, one_by_one])
async def test_numbers_begin_once(store: Store, say: Say) -> None:
    """Who has followed from the beginning is told of no erasure where there was none."""
    await say(store, ANA, 2)
    seen = await changes(store, ANA)
    await say(store, ANA.within("c2"), 2)
    reply = await changes(store, ANA, after=seen.newest)

    assert (False, 0) == (reply.anew, reply.reset)
    assert seen.reset == (await changes(store, ANA)).reset
    assert 4 == len((await changes(store, ANA)).items)
