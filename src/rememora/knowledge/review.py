"""Quarantine under review: an administrator reads what was held, and lets it go or keeps it out."""

from __future__ import annotations

from typing import Any

import msgspec

from rememora.domain.check import check_name, check_whole
from rememora.domain.memory import Memory, Quarantined, Review, Wish, check_member, check_why
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.domain.visibility import VISIBLE
from rememora.errors import Conflict, InvalidInput, NotFound
from rememora.knowledge import keep
from rememora.knowledge.aside import wish_of
from rememora.knowledge.desk import Desk, Hand

PAGE_LIMIT = 1000


async def quarantined(
    desk: Desk, scope: Scope, *, actor: Actor, status: str | None, limit: int, after: str
) -> list[Quarantined]:
    """What a tenant has under quarantine, oldest first."""
    actor.need("review")
    check_member("status", status, Review, optional=True)
    check_whole("limit", limit, 1, PAGE_LIMIT)
    return await desk.store.read(
        scope, lambda work: work.quarantine.page(scope, status=status, limit=limit, after=after)
    )


async def approve(
    desk: Desk, scope: Scope, id: str, *, actor: Actor, key: str | None = None, value: Any = None
) -> Memory | None:
    """Let a held text go; with a key, its own or one given, it becomes a memory under the reviewer's name."""
    actor.need("review")
    held = await _held(desk, scope, id)
    wish = _wish(desk, held, key=key, value=value, actor=actor)
    owner = Scope(scope.tenant, held.user)

    def work(hand: Hand) -> Memory | None:
        _decide(hand, scope, id, "approved")
        hand.record("approve", after={"quarantined": id})
        if held.source_ref is not None:
            hand.conclude(held.source_ref, VISIBLE)
        if wish is None:
            return None
        current = hand.work.memories.active(owner, wish.key, shared=wish.scope == "tenant_shared")
        return keep.put(hand, wish, current, why="approved from quarantine")[0]

    return await desk.write(owner, actor, work)


async def reject(desk: Desk, scope: Scope, id: str, *, actor: Actor, why: str = "") -> None:
    """Keep a held text out for good; it stays on record."""
    actor.need("review")
    check_why("why", why)
    held = await _held(desk, scope, id)
    owner = Scope(scope.tenant, held.user)

    def work(hand: Hand) -> None:
        _decide(hand, scope, id, "rejected")
        hand.record("reject", why=why, after={"quarantined": id})

    await desk.write(owner, actor, work)


async def _held(desk: Desk, scope: Scope, id: str) -> Quarantined:
    check_name("quarantined", id)
    held = await desk.store.read(scope, lambda work: work.quarantine.get(scope, id))
    if held is None:
        raise NotFound("quarantined", id)
    return held


def _wish(desk: Desk, held: Quarantined, *, key: str | None, value: Any, actor: Actor) -> Wish | None:
    if held.wish is None and key is None:
        return None
    wish = Wish(key=str(key), value=held.text) if held.wish is None else wish_of(held.wish)
    wish = msgspec.structs.replace(
        wish,
        key=key or wish.key,
        value=wish.value if value is None else value,
        source="admin_system",
        source_ref=f"quarantine:{held.id}",
        # Review does not make a text more trustworthy than where it came from.
        origin=held.origin,
        scope="personal" if held.wish is None else wish.scope,
    )
    placed = keep.place(desk.policy, wish, actor)
    if placed.category is None:
        raise InvalidInput("key", "has no category: its first segment names none")
    return placed


def _decide(hand: Hand, scope: Scope, id: str, status: str) -> None:
    if not hand.work.quarantine.review(scope, id, status=status, at=hand.now):
        raise Conflict(f"the quarantined text {id!r} was reviewed already")
