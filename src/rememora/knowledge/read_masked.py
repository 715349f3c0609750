"""A person's memory read by support: how much is held and of what kind, without what it says."""

from __future__ import annotations

from rememora.domain.check import check_whole
from rememora.domain.masked import MaskedMemory, masked
from rememora.domain.memory import MemoryFilter
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.knowledge.base import KnowledgeBase
from rememora.knowledge.keep import PAGE_LIMIT


async def read_masked(knowledge: KnowledgeBase, scope: Scope, *, actor: Actor, limit: int) -> list[MaskedMemory]:
    """The person's active memories, masked; it needs no reason, because nothing personal is shown."""
    actor.need("read_masked")
    check_whole("limit", limit, 1, PAGE_LIMIT)
    found = await knowledge.store.read(scope, lambda work: work.memories.page(scope, MemoryFilter(), limit=limit))
    return [masked(memory) for memory in found]
