"""The origin of a person's memory as they may see it: sources, attempts and changes."""

from __future__ import annotations

from rememora.domain.audit import AuditEntry
from rememora.domain.check import check_whole
from rememora.domain.memory import Attempt
from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.errors import NotFound
from rememora.knowledge.audit import entry_of
from rememora.ports.store import Store, UnitOfWork

MOST = 1000
END_OF_CHAIN = 2**62


async def sources(store: Store, scope: Scope, memory: str) -> list[Message]:
    """List the messages that a memory was learned from and the answers that stated it, oldest first."""
    return await store.read(scope, lambda work: _sources(work, scope, memory))


def _sources(work: UnitOfWork, scope: Scope, memory: str) -> list[Message]:
    if work.memories.get(scope, memory) is None:
        raise NotFound("memory", memory)
    places: dict[str, list[str]] = {}
    for source in work.sources.of_memories(scope, [memory]):
        if source.user == scope.user:
            places.setdefault(source.conversation, []).append(source.message)
    messages = [
        message
        for conversation, ids in places.items()
        for message in work.messages.with_ids(scope.within(conversation), ids).values()
    ]
    return sorted(messages, key=lambda message: (message.created_at, message.conversation, message.seq))


async def attempts(store: Store, scope: Scope, *, limit: int) -> list[Attempt]:
    """List attempts to save something, newest first, each with its verdict."""
    check_whole("limit", limit, 1, MOST)
    return await store.read(scope, lambda work: work.attempts.newest(scope, limit=limit))


async def acts(store: Store, scope: Scope, *, before: int | None, limit: int) -> list[AuditEntry]:
    """List the changes of a person's memory, newest first, before a position of the chain."""
    check_whole("limit", limit, 1, MOST)
    position = END_OF_CHAIN if before is None else before
    check_whole("before", position, 1, END_OF_CHAIN)
    links = await store.read(scope, lambda work: work.audit.newest_of_owner(scope, before=position, limit=limit))
    return [entry_of(link) for link in links]
