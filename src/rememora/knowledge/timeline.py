"""Follows the values of a statement through time: earlier values, their periods, and why they changed."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from rememora.domain.check import check_name
from rememora.domain.memory import Memory, MemoryFilter, TimelineValue
from rememora.domain.scope import Scope
from rememora.errors import NotFound
from rememora.knowledge.keep import named
from rememora.language.amended import extends, newest
from rememora.ports.store import Store, UnitOfWork

MOST_READ: Final = 10_000
"""Number of memories among which those of a subject and an attribute are searched."""
MOST_VALUES: Final = 100
"""Maximum number of earlier values."""


def forerunners(work: UnitOfWork, scope: Scope, memory: Memory, *, limit: int = MOST_VALUES) -> list[Memory]:
    """Return the memories that a memory replaced one after the other, newest first.

    Forgotten or suppressed values are left out, with everything before them.
    """
    earlier: list[Memory] = []
    seen = {memory.id}
    origin = memory.supersedes or memory.follows
    while origin is not None and origin not in seen and len(earlier) < limit:
        seen.add(origin)
        before = work.memories.get(scope, origin)
        # A gap ends the line: what lies before a forgotten value would betray it.
        if before is None or before.status != "deprecated" or before.suppressed:
            break
        earlier.append(before)
        origin = before.supersedes or before.follows
    return earlier


def values(memory: Memory, before: list[Memory]) -> list[TimelineValue]:
    """Return the values of a memory and its predecessors, oldest first; each held until the next."""
    line = [*reversed(before), memory]
    ends = [_since(value) for value in line[1:]] + [memory.valid_to]
    return [
        TimelineValue(
            memory=version.id,
            value=_said(version, earlier),
            attribute_value=version.attribute_value,
            said_at=version.created_at,
            since=_since(version),
            until=version.valid_to or end,
            because=version.because,
            doubted_at=version.doubted_at,
        )
        for version, earlier, end in zip(line, [None, *line], ends, strict=False)
    ]


def _said(version: Memory, earlier: Memory | None) -> Any:
    """Return the value of a version: of an amended statement what it says beyond the version before it."""
    if earlier is None or not (isinstance(version.value, str) and isinstance(earlier.value, str)):
        return version.value
    return newest(version.value) if extends(version.value, earlier.value) else version.value


def _since(memory: Memory) -> datetime:
    return memory.valid_from or memory.created_at


async def timeline_of(store: Store, scope: Scope, subject: str, attribute: str) -> list[TimelineValue]:
    """Return every value that an attribute of a subject has had, by period."""
    filters = MemoryFilter(suppressed=False, subject=subject, attribute=attribute)
    return await store.read(scope, lambda work: _timeline_of(work, scope, filters))


def _timeline_of(work: UnitOfWork, scope: Scope, filters: MemoryFilter) -> list[TimelineValue]:
    memories = work.memories.page(scope, filters, limit=MOST_READ)
    # Two memories may share forerunners: each value is told once.
    held = {
        value.memory: value for memory in memories for value in values(memory, forerunners(work, scope, memory))
    }
    return sorted(held.values(), key=lambda span: (span.since, span.memory))


async def timeline(store: Store, scope: Scope, name: str) -> list[TimelineValue]:
    """Return every value that a memory, by its id or its key, has had, oldest first."""
    check_name("memory", name)
    return await store.read(scope, lambda work: _timeline(work, scope, name))


def _timeline(work: UnitOfWork, scope: Scope, name: str) -> list[TimelineValue]:
    memory = named(work, scope, name)
    if memory is None:
        raise NotFound("memory", name)
    return values(memory, forerunners(work, scope, memory))


async def dependents(store: Store, scope: Scope, name: str) -> list[Memory]:
    """List the active memories that depend on this one: set by a rule, put in doubt, or changed in part."""
    check_name("memory", name)

    def work(unit: UnitOfWork) -> list[Memory]:
        memory = named(unit, scope, name)
        if memory is None:
            raise NotFound("memory", name)
        return unit.memories.resting_on(scope, memory)

    return await store.read(scope, work)
