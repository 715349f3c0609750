"""Explains one memory: its earlier values, what it is based on, its dependents, and its history."""

from __future__ import annotations

import msgspec

from rememora.domain.check import check_name
from rememora.domain.explanation import TIES, Explanation, links_between
from rememora.domain.memory import Memory
from rememora.domain.scope import Scope
from rememora.errors import NotFound
from rememora.knowledge import audit
from rememora.knowledge.keep import named
from rememora.knowledge.timeline import forerunners, values
from rememora.ports.store import Store, UnitOfWork


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
