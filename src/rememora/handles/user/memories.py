"""Memories of one user: their values, earlier values, and reasons."""

from __future__ import annotations

import builtins
from collections.abc import Collection
from datetime import datetime
from typing import Any, Unpack

from rememora.domain.audit import AuditEntry
from rememora.domain.explanation import Explanation
from rememora.domain.hit import Hit, SearchRequest
from rememora.domain.memory import Memory, MemoryFilter, MemoryFilterOptions, Outcome, TimelineValue
from rememora.domain.message import Message, Page
from rememora.handles.deprecated import OldCall
from rememora.handles.user.noun import UserNoun
from rememora.knowledge import audit, control, evolve, keep, timeline, trace
from rememora.telemetry import DELETE, UPDATE, spanned

NEAREST = 100
"""Number of hits among which the nearest are searched."""


class UserMemories(OldCall, UserNoun):
    """The memories of one user, by id or key: read them, change them, and see where they come from."""

    async def list(
        self, *, limit: int = 100, after: str | None = None, **filters: Unpack[MemoryFilterOptions]
    ) -> Page[Memory]:
        """List memories by key, page by page; active ones unless another status is asked for."""
        narrowed = MemoryFilter(**filters)
        await self._look()
        return await keep.memories(self._parts.store, self._scope, narrowed, limit=limit, after=after)

    async def get(self, name: str) -> Memory:
        """Return one memory by its id, or the active one under a key."""
        await self._look()
        return await keep.memory(self._parts.store, self._scope, name)

    async def as_of(self, moment: datetime) -> builtins.list[Memory]:
        """List the memories that were active at a moment."""
        await self._look()
        return await keep.as_of(self._parts.store, self._scope, moment)

    async def nearest(self, query: str, *, limit: int = 10) -> builtins.list[Hit]:
        """Rank items by vector similarity alone, as plain vector search does, for comparison."""
        await self._look()
        await self._parts.tally.take(self._scope, "searches")
        nearest_hits = await self._parts.searcher().nearest(self._scope, query, limit=limit)
        if nearest_hits is not None:
            return nearest_hits
        search = SearchRequest(query=query, limit=NEAREST, min_similarity=0.0, floor=0.0)
        hits = await self._parts.searcher().recall(self._scope, search)
        return sorted(hits, key=lambda hit: -hit.similarity)[:limit]

    @spanned(UPDATE)
    async def correct(
        self, target: str, value: Any, *, why: str = "corrected", seen: Collection[str] | None = None
    ) -> Outcome:
        """Replace a wrong value with the correct one; the memory is found by id, key, topic, category or words.

        `seen` are the editions (`edition_of`) that the memory may have; otherwise `ChangedMeanwhile` is raised.
        """
        return await control.correct(
            self._parts.desk, self._scope, target, value, actor=self._actor, why=why, seen=seen
        )

    @spanned(DELETE)
    async def forget(self, target: str, *, why: str = "", seen: Collection[str] | None = None) -> Outcome:
        """Forget what `target` refers to, `all` for everything; it can be restored."""
        return await control.forget(self._parts.desk, self._scope, target, actor=self._actor, why=why, seen=seen)

    async def suppress(self, target: str, *, why: str = "", seen: Collection[str] | None = None) -> Outcome:
        """Keep what `target` refers to, but never mention it."""
        return await control.suppress(self._parts.desk, self._scope, target, actor=self._actor, why=why, seen=seen)

    async def restore(self, target: str, *, why: str = "", seen: Collection[str] | None = None) -> Memory:
        """Restore a forgotten, replaced or suppressed memory, by id or key."""
        await self._look()
        return await control.restore(self._parts.desk, self._scope, target, actor=self._actor, why=why, seen=seen)

    async def confirm(self, memory: str) -> Memory:
        """Confirm that a memory in doubt, by id or key, still holds."""
        await self._look()
        return await evolve.confirm(self._parts.desk, self._scope, memory, actor=self._actor)

    async def history(self, memory: str) -> builtins.list[AuditEntry]:
        """List everything that happened to one memory, or to all memories under a key, oldest first."""
        await self._look()
        return await audit.history(self._parts.store, self._scope, memory)

    async def timeline(self, memory: str, attribute: str | None = None) -> builtins.list[TimelineValue]:
        """List every value that a memory, by id or key, has had, oldest first; or an `attribute` of a subject."""
        await self._look()
        if attribute is not None:
            return await timeline.timeline_of(self._parts.store, self._scope, memory, attribute)
        return await timeline.timeline(self._parts.store, self._scope, memory)

    async def explain(self, memory: str) -> Explanation:
        """Explain a memory, by id or key: its timeline, what it is based on, its dependents, and its history."""
        await self._look()
        return await trace.explain(self._parts.store, self._scope, memory)

    async def dependents(self, memory: str) -> builtins.list[Memory]:
        """List the active memories that depend on this one: set by a rule, put in doubt, or changed in part."""
        await self._look()
        return await timeline.dependents(self._parts.store, self._scope, memory)

    async def sources(self, memory: str) -> builtins.list[Message]:
        """List the messages that a memory was learned from and the answers that stated it, oldest first."""
        await self._look()
        return await trace.sources(self._parts.store, self._scope, memory)
