"""The seam of knowledge: memories, their audit chain, questions, quarantine and entities, in a unit of work."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from rememora.domain.audit import Head, Link
from rememora.domain.entity import Entity, Mention
from rememora.domain.memory import Attempt, Memory, MemoryFilter, Proposal, Quarantined, Status
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope
from rememora.domain.visibility import Reason
from rememora.ports.erasable import Erasable


class ActivePeriod(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of time in which a memory was active; without an end it still is."""

    since: datetime
    until: datetime | None = None


class Memories(Erasable, Protocol):
    """Memories: a user's own, and those their tenant shares."""

    def add(self, scope: Scope, memory: Memory, *, spans: Sequence[ActivePeriod] | None = None) -> None:
        """Store a memory; an active one is known from now on, unless `spans` say when it was."""
        ...

    def get(self, scope: Scope, id: str) -> Memory | None: ...

    def with_ids(self, scope: Scope, ids: Sequence[str]) -> dict[str, Memory]: ...

    def active(self, scope: Scope, key: str, *, shared: bool) -> Memory | None: ...

    def page(
        self, scope: Scope, filters: MemoryFilter, *, limit: int, after: tuple[str, str] | None = None
    ) -> list[Memory]:
        """Memories by key, then by id, from after the given place on."""
        ...

    def are_more(self, scope: Scope, *, than: int) -> bool:
        """Return whether there are more active, visible memories than a number."""
        ...

    def as_of(self, scope: Scope, moment: datetime) -> list[Memory]:
        """List the memories that were active at a moment."""
        ...

    def mark(self, scope: Scope, memory: Memory, status: Status, *, at: datetime) -> Memory:
        """Change the status of a memory; returns it in its new state."""
        ...

    def suppress(self, scope: Scope, memory: Memory, suppressed: bool, *, at: datetime) -> Memory: ...

    def doubt(self, scope: Scope, memory: Memory, by: str | None, *, at: datetime) -> Memory:
        """Note which change puts a memory in doubt, or that none does any more."""
        ...

    def successors(self, scope: Scope, memory: Memory) -> list[Memory]:
        """The memories that took the place of one, or of a part of it, the oldest first."""
        ...

    def resting_on(self, scope: Scope, memory: Memory) -> list[Memory]:
        """The active memories that a change put in doubt, and those that a rule made."""
        ...

    def spans(self, scope: Scope, memory: Memory) -> list[ActivePeriod]: ...

    def spans_of_key(self, scope: Scope, key: str) -> list[ActivePeriod]:
        """List the periods in which the user had any memory active under a key, by start."""
        ...

    def of_key(self, scope: Scope, key: str, *, shared: bool) -> list[Memory]:
        """List every memory there ever was under a key, in any status."""
        ...

    def agents(self, scope: Scope) -> list[str]:
        """List the agents that hold anything about the user in a memory of their own, by name."""
        ...


class Attempts(Erasable, Protocol):
    """Every try at keeping something."""

    def add(self, scope: Scope, attempt: Attempt) -> None: ...

    def newest(self, scope: Scope, *, limit: int) -> list[Attempt]: ...

    def counts(self, scope: Scope) -> dict[tuple[str, str], int]:
        """Count each verdict and reason in the whole tenant."""
        ...


class Audit(Protocol):
    """The tenant's chain of changes; nothing in it can be edited, and content can only be taken out."""

    def head(self, scope: Scope) -> Head | None: ...

    def follow(self, scope: Scope) -> tuple[int, bytes]:
        """Take the next place, held against other writers; returns it and the hash it follows."""
        ...

    def add(self, scope: Scope, link: Link, *, signature: bytes) -> None:
        """Store a link at the place taken, and sign the new end."""
        ...

    def after(self, scope: Scope, *, position: int, limit: int) -> list[Link]: ...

    def newest(self, scope: Scope, *, before: int, limit: int) -> list[Link]:
        """The tenant's entries before a place, the newest first."""
        ...

    def of_memory(self, scope: Scope, memory: str) -> list[Link]: ...

    def of_owner(self, scope: Scope, *, position: int, limit: int) -> list[Link]: ...

    def newest_of_owner(self, scope: Scope, *, before: int, limit: int) -> list[Link]:
        """List changes to the user's memories before a position, newest first."""
        ...

    def newest_requests(self, scope: Scope, *, limit: int) -> list[Link]:
        """Erasures and looks of others, among the last entries, the newest first."""
        ...

    def redact(self, scope: Scope, plan: ErasurePlan) -> list[int]:
        """Take the content out of every entry that speaks of what is doomed; returns their places."""
        ...

    def unaudited(self, scope: Scope) -> int:
        """Memories of the tenant that no entry speaks of."""
        ...


class Proposals(Erasable, Protocol):
    """Questions to the person that wait for an answer."""

    def add(self, scope: Scope, proposal: Proposal) -> None: ...

    def get(self, scope: Scope, id: str) -> Proposal | None: ...

    def all(self, scope: Scope, *, status: str | None) -> list[Proposal]: ...

    def close(self, scope: Scope, id: str, *, status: str) -> bool:
        """Give an open question its answer; False when it was not open."""
        ...

    def expire(self, scope: Scope, *, now: datetime) -> int: ...


class QuarantinedTexts(Erasable, Protocol):
    """Text that tried to give orders."""

    def add(self, scope: Scope, held: Quarantined) -> None: ...

    def get(self, scope: Scope, id: str) -> Quarantined | None:
        """Return one of the tenant's quarantined texts, from any user."""
        ...

    def page(self, scope: Scope, *, status: str | None, limit: int, after: str) -> list[Quarantined]: ...

    def of_user(self, scope: Scope) -> list[Quarantined]: ...

    def review(self, scope: Scope, id: str, *, status: str, at: datetime) -> bool:
        """The word of the scope's user on a held text; False when there was one already."""
        ...


class Entities(Erasable, Protocol):
    """The structured things a user mentions."""

    def get(self, scope: Scope, key: str) -> Entity | None: ...

    def mention(self, scope: Scope, mention: Mention, *, at: datetime, hidden: Reason | None = None) -> Entity:
        """Count a mention atomically; `hidden` is what is judged of it alone."""
        ...

    def judged(self, scope: Scope, id: str) -> Reason | None:
        """Reason for which an entity is hidden by itself."""
        ...

    def hide(self, scope: Scope, id: str, *, judged: Reason | None, hidden: Reason | None) -> None:
        """Note what is judged of an entity alone, and why it is hidden."""
        ...

    def evict(self, scope: Scope, *, keep: str, cap: int) -> list[str]:
        """Let the least mentioned and oldest beyond the cap leave, never `keep`; returns their ids."""
        ...

    def add(self, scope: Scope, entity: Entity) -> bool:
        """An entity as another store had it; False when its key is taken."""
        ...

    def top(self, scope: Scope, *, limit: int, type: str | None = None) -> list[Entity]: ...

    def every(self, scope: Scope) -> list[Entity]:
        """All of the user's, the most mentioned first, forgotten and hidden ones too."""
        ...

    def forget(self, scope: Scope, target: str | None = None) -> list[Entity]:
        """Let all of the user's, or the one of this key or id, be known no longer; returns them."""
        ...

    def restore(self, scope: Scope, target: str | None = None) -> list[Entity]:
        """Let all that were forgotten, or the one of this key or id, be known again, with their counts."""
        ...
