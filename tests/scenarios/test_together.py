"""Readings asked for in one breath: one way to the store for all of them, and an outcome for each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from rememora import Rememora
from rememora.context.read_batcher import ReadBatcher
from rememora.domain.scope import Scope
from rememora.errors import NotFound
from rememora.ports.store import Store, UnitOfWork

T = TypeVar("T")
ANA, BIA = Scope("acme", "ana", "c1"), Scope("acme", "bia", "c1")


class Counting:
    """A store that notes for whom it is read."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.read_for: list[Scope] = []

    async def read(self, scope: Scope, work: Callable[[UnitOfWork], T]) -> T:
        self.read_for.append(scope)
        return await self._store.read(scope, work)


def said(scope: Scope) -> Callable[[UnitOfWork], list[str]]:
    return lambda work: [turn.content for turn in work.messages.turns(scope, limit=9)]


def failing(work: UnitOfWork) -> list[str]:
    raise NotFound("message", "m1")


async def test_what_is_asked_at_once_is_read_once_for_each_scope(rememora: Rememora) -> None:
    """Each gets its own answer, nobody another's."""
    for scope in (ANA, BIA):
        await rememora.user(scope.user, tenant="acme").conversation("c1").append("user", f"oi de {scope.user}")
    store = Counting(rememora._parts.store)
    together = ReadBatcher(store)
    result = await asyncio.gather(*(together.read(scope, said(scope)) for scope in (ANA, BIA, ANA)))

    assert [["oi de ana"], ["oi de bia"], ["oi de ana"]] == result
    assert [ANA, BIA] == store.read_for


async def test_one_that_fails_leaves_the_others_theirs(rememora: Rememora) -> None:
    """It hears of its own failure; those before and after it are answered."""
    await rememora.user("ana", tenant="acme").conversation("c1").append("user", "oi")
    together = ReadBatcher(rememora._parts.store)
    works = (said(ANA), failing, said(ANA))
    result = await asyncio.gather(*(together.read(ANA, work) for work in works), return_exceptions=True)

    assert [["oi"], ["oi"]] == [result[0], result[2]]
    assert isinstance(result[1], NotFound)
