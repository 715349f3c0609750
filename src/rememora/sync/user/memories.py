"""`UserMemories` without `await`; `make sync` writes this file from `handles/user/memories.py`."""

from __future__ import annotations

import builtins
from collections.abc import Collection
from datetime import datetime
from typing import Any, Unpack

from rememora.domain.audit import AuditEntry
from rememora.domain.explanation import Explanation
from rememora.domain.hit import Hit
from rememora.domain.memory import Memory, MemoryFilterOptions, Outcome, TimelineValue
from rememora.domain.message import Message, Page
from rememora.handles.deprecated import OldCall
from rememora.handles.user import memories as wrapped
from rememora.portal import Portal


class SyncUserMemories(OldCall):
    """The memories of one user, by id or key: read them, change them, and see where they come from."""

    def __init__(self, portal: Portal, inner: wrapped.UserMemories) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    def list(
        self, *, limit: int = 100, after: str | None = None, **wanted: Unpack[MemoryFilterOptions]
    ) -> Page[Memory]:
        """List memories by key, page by page; active ones unless another status is asked for."""
        return self._portal.run(self._inner.list(limit=limit, after=after, **wanted))

    def get(self, name: str) -> Memory:
        """One memory by its id, or the active one under a key."""
        return self._portal.run(self._inner.get(name))

    def as_of(self, moment: datetime) -> builtins.list[Memory]:
        """List the memories that were active at a moment."""
        return self._portal.run(self._inner.as_of(moment))

    def nearest(self, query: str, *, limit: int = 10) -> builtins.list[Hit]:
        """Items by the likeness of their vectors alone, as plain vector search orders them: to compare with."""
        return self._portal.run(self._inner.nearest(query, limit=limit))

    def correct(
        self, target: str, value: Any, *, why: str = "corrected", seen: Collection[str] | None = None
    ) -> Outcome:
        """Replace a wrong value with the right one, found by id, key, topic, category or words.

        `seen` are the editions (`edition_of`) that the one memory may be in; otherwise `ChangedMeanwhile`."""
        return self._portal.run(self._inner.correct(target, value, why=why, seen=seen))

    def forget(self, target: str, *, why: str = "", seen: Collection[str] | None = None) -> Outcome:
        """Delete softly what `target` means, `all` for everything; it can be restored."""
        return self._portal.run(self._inner.forget(target, why=why, seen=seen))

    def suppress(self, target: str, *, why: str = "", seen: Collection[str] | None = None) -> Outcome:
        """Keep what `target` means, and never mention it."""
        return self._portal.run(self._inner.suppress(target, why=why, seen=seen))

    def restore(self, target: str, *, why: str = "", seen: Collection[str] | None = None) -> Memory:
        """Let a forgotten, replaced or suppressed memory, by id or key, be known and mentioned again."""
        return self._portal.run(self._inner.restore(target, why=why, seen=seen))

    def confirm(self, memory: str) -> Memory:
        """Say that a memory in doubt, by id or key, still holds."""
        return self._portal.run(self._inner.confirm(memory))

    def history(self, memory: str) -> builtins.list[AuditEntry]:
        """All that happened to one memory, or to all that stood under a key, oldest first."""
        return self._portal.run(self._inner.history(memory))

    def timeline(self, memory: str, attribute: str | None = None) -> builtins.list[TimelineValue]:
        """Every value that a memory, by id or key, has had, oldest first; or an `attribute` of a subject."""
        return self._portal.run(self._inner.timeline(memory, attribute))

    def explain(self, memory: str) -> Explanation:
        """Explain a memory, by id or key: its timeline, what it rests on, what rests on it, and its history."""
        return self._portal.run(self._inner.explain(memory))

    def dependents(self, memory: str) -> builtins.list[Memory]:
        """The active memories that a rule made, that a change put in doubt, or that changed a part of this one."""
        return self._portal.run(self._inner.dependents(memory))

    def sources(self, memory: str) -> builtins.list[Message]:
        """List the messages that a memory was learned from and the answers that stated it, oldest first."""
        return self._portal.run(self._inner.sources(memory))
