"""Review of the quarantine: an administrator reads the texts, and releases or rejects them."""

from __future__ import annotations

from typing import Any

import msgspec

from rememora.domain.check import check_name, check_whole
from rememora.domain.memory import Memory, MemoryDraft, Quarantined, Review, check_member, check_why
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.domain.visibility import VISIBLE
from rememora.errors import Conflict, InvalidInput, NotFound
from rememora.knowledge import keep
from rememora.knowledge.base import KnowledgeBase, KnowledgeWriter
from rememora.knowledge.pending import draft_of

PAGE_LIMIT = 1000


async def quarantined(
    knowledge: KnowledgeBase, scope: Scope, *, actor: Actor, status: str | None, limit: int, after: str
) -> list[Quarantined]:
    """List a tenant's quarantined texts, oldest first."""
    actor.need("review")
    check_member("status", status, Review, optional=True)
    check_whole("limit", limit, 1, PAGE_LIMIT)
    return await knowledge.store.read(
        scope, lambda work: work.quarantine.page(scope, status=status, limit=limit, after=after)
    )


async def approve(
    knowledge: KnowledgeBase, scope: Scope, id: str, *, actor: Actor, key: str | None = None, value: Any = None
) -> Memory | None:
    """Release a quarantined text; with a key, its own or one given, it becomes a memory by the reviewer."""
    actor.need("review")
    held = await _held(knowledge, scope, id)
    wish = _wish(knowledge, held, key=key, value=value, actor=actor)
    owner = Scope(scope.tenant, held.user)

    def work(writer: KnowledgeWriter) -> Memory | None:
        _decide(writer, scope, id, "approved")
        writer.record("approve", after={"quarantined": id})
        if held.source_ref is not None:
            writer.conclude(held.source_ref, VISIBLE)
        if wish is None:
            return None
        current = writer.work.memories.active(owner, wish.key, shared=wish.scope == "tenant_shared")
        return keep.put(writer, wish, current, why="approved from quarantine")[0]

    return await knowledge.write(owner, actor, work)


async def reject(knowledge: KnowledgeBase, scope: Scope, id: str, *, actor: Actor, why: str = "") -> None:
    """Reject a quarantined text permanently; the decision is recorded."""
    actor.need("review")
    check_why("why", why)
    held = await _held(knowledge, scope, id)
    owner = Scope(scope.tenant, held.user)

    def work(writer: KnowledgeWriter) -> None:
        _decide(writer, scope, id, "rejected")
        writer.record("reject", why=why, after={"quarantined": id})

    await knowledge.write(owner, actor, work)


async def _held(knowledge: KnowledgeBase, scope: Scope, id: str) -> Quarantined:
    check_name("quarantined", id)
    held = await knowledge.store.read(scope, lambda work: work.quarantine.get(scope, id))
    if held is None:
        raise NotFound("quarantined", id)
    return held


def _wish(
    knowledge: KnowledgeBase, text: Quarantined, *, key: str | None, value: Any, actor: Actor
) -> MemoryDraft | None:
    if text.wish is None and key is None:
        return None
    wish = MemoryDraft(key=str(key), value=text.text) if text.wish is None else draft_of(text.wish)
    wish = msgspec.structs.replace(
        wish,
        key=key or wish.key,
        value=wish.value if value is None else value,
        source="admin_system",
        source_ref=f"quarantine:{text.id}",
        # Review does not make a text more trustworthy than where it came from.
        origin=text.origin,
        scope="personal" if text.wish is None else wish.scope,
    )
    placed = keep.place(knowledge.policy, wish, actor)
    if placed.category is None:
        raise InvalidInput("key", "has no category: its first segment names none")
    return placed


def _decide(writer: KnowledgeWriter, scope: Scope, id: str, status: str) -> None:
    if not writer.work.quarantine.review(scope, id, status=status, at=writer.now):
        raise Conflict(f"the quarantined text {id!r} was already reviewed")
