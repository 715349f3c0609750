"""The origin of a person's memory as they may see it: explanation, sources, attempts and changes."""

from __future__ import annotations

import msgspec

from rememora.domain.audit import AuditEntry
from rememora.domain.check import check_name, check_whole
from rememora.domain.explanation import TIES, Explanation, links_between
from rememora.domain.memory import Attempt, Memory
from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.errors import NotFound
from rememora.knowledge import audit
from rememora.knowledge.keep import named
from rememora.knowledge.timeline import forerunners, values
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
        # A shared memory may come from a colleague's message, which is not this person's to read.
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
    return [audit.entry_of(link) for link in links]


async def explain(store: Store, scope: Scope, name: str) -> Explanation:
    """Explain a memory by its id, or the active one under a key."""
    check_name("memory", name)
    explanation = await store.read(scope, lambda work: _explain(work, scope, name))
    return msgspec.structs.replace(explanation, history=await audit.history(store, scope, explanation.memory.id))


def _explain(work: UnitOfWork, scope: Scope, name: str) -> Explanation:
    """Build the explanation without its history, which is read separately."""
    memory = named(work, scope, name)
    if memory is None:
        raise NotFound("memory", name)
    rests_on = _rests_on(work, scope, memory)
    # Both ways: what it is based on is named in the memory, its dependents name it in themselves.
    dependents = work.memories.resting_on(scope, memory)
    return Explanation(
        memory=memory,
        supersedes=None if memory.supersedes is None else work.memories.get(scope, memory.supersedes),
        timeline=values(memory, forerunners(work, scope, memory)),
        rests_on=rests_on,
        dependents=dependents,
        links=[
            *links_between(memory, rests_on),
            *(link for dependent in dependents for link in links_between(dependent, [memory])),
        ],
        history=[],
    )


def _rests_on(work: UnitOfWork, scope: Scope, memory: Memory) -> list[Memory]:
    """Return the memories that a memory names as its basis, each once, without forgotten ones."""
    ids = dict.fromkeys(named for _, field in TIES if (named := getattr(memory, field)) is not None)
    others = [work.memories.get(scope, id) for id in ids]
    return [other for other in others if other is not None and other.status != "deleted"]
