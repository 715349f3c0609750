"""Port of knowledge: memories, audit chain, questions, quarantine and entities, in a unit of work."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from rememora.domain.audit import Head, Link
from rememora.domain.entity import Entity, Mention
from rememora.domain.memory import Attempt, Memory, MemoryFilter, MemoryStanding, Proposal, Quarantined, Status
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope
from rememora.domain.visibility import Reason
from rememora.ports.erasable import Erasable


class ActivePeriod(msgspec.Struct, frozen=True, kw_only=True):
    """A period in which a memory was active; without an end it still is."""

    since: datetime
    until: datetime | None = None


class Memories(Erasable, Protocol):
    """Memories: a user's own, and those their tenant shares."""

    def add(self, scope: Scope, memory: Memory, *, spans: Sequence[ActivePeriod] | None = None) -> None:
        """Store a memory; an active one is known from now on, unless `spans` give its periods."""

    def get(self, scope: Scope, id: str) -> Memory | None: ...

    def with_ids(self, scope: Scope, ids: Sequence[str]) -> dict[str, Memory]: ...

    def active(self, scope: Scope, key: str, *, shared: bool) -> Memory | None: ...

    def page(
        self, scope: Scope, filters: MemoryFilter, *, limit: int, after: tuple[str, str] | None = None
    ) -> list[Memory]:
        """List memories by key, then by id, after the given place."""

    def newest(self, scope: Scope, *, shared: bool, limit: int) -> list[Memory]:
        """List the newest active memories of the user, with `shared` also of the tenant, the newest last."""

    def are_more(self, scope: Scope, *, than: int) -> bool:
        """Return whether there are more active, visible memories than a number."""

    def as_of(self, scope: Scope, moment: datetime) -> list[Memory]:
        """List the memories that were active at a moment."""

    def mark(self, scope: Scope, memory: Memory, status: Status, *, at: datetime) -> Memory:
        """Change the status of a memory; returns it in its new state."""

    def suppress(self, scope: Scope, memory: Memory, suppressed: bool, *, at: datetime) -> Memory: ...

    def doubt(self, scope: Scope, memory: Memory, by: str | None, *, at: datetime) -> Memory:
        """Record the change that puts a memory in doubt, or that it is not in doubt any more."""

    def successors(self, scope: Scope, memory: Memory) -> list[Memory]:
        """List the memories that replaced one, or a part of it, oldest first."""

    def succeeded(self, scope: Scope, ids: Sequence[str]) -> set[str]:
        """Return those of these memories that another one replaced, or a part of them."""

    def resting_on(self, scope: Scope, memory: Memory) -> list[Memory]:
        """List the active memories that a change put in doubt, and those that a rule set."""

    def spans(self, scope: Scope, memory: Memory) -> list[ActivePeriod]: ...

    def spans_of_key(self, scope: Scope, key: str) -> list[ActivePeriod]:
        """List the periods in which the user had any memory active under a key, by start."""

    def of_key(self, scope: Scope, key: str, *, shared: bool) -> list[Memory]:
        """List every memory that was ever stored under a key, in any status."""

    def outdated(self, scope: Scope, *, limit: int) -> list[MemoryStanding]:
        """List the states of the user's own memories that were replaced or are in doubt, by key."""

    def learned_from(self, scope: Scope, messages: Sequence[tuple[str, str]]) -> dict[str, list[MemoryStanding]]:
        """List the states of memories by the message that they came from; each is named after its conversation."""

    def agents(self, scope: Scope) -> list[str]:
        """List the agents that keep a memory of their own about the user, by name."""


class Attempts(Erasable, Protocol):
    """Every attempt to save something."""

    def add(self, scope: Scope, attempt: Attempt) -> None: ...

    def newest(self, scope: Scope, *, limit: int) -> list[Attempt]: ...

    def counts(self, scope: Scope) -> dict[tuple[str, str], int]:
        """Count each verdict and reason in the whole tenant."""


class Audit(Protocol):
    """The tenant's audit chain; entries cannot be edited, and content can only be removed."""

    def head(self, scope: Scope) -> Head | None: ...

    def follow(self, scope: Scope) -> tuple[int, bytes]:
        """Reserve the next position, locked against other writers; returns it and the previous hash."""

    def add(self, scope: Scope, link: Link, *, signature: bytes) -> None:
        """Store an entry at the reserved position, and sign the new head."""

    def after(self, scope: Scope, *, position: int, limit: int) -> list[Link]: ...

    def newest(self, scope: Scope, *, before: int, limit: int) -> list[Link]:
        """List the tenant's entries before a position, newest first."""

    def of_memory(self, scope: Scope, memory: str) -> list[Link]: ...

    def of_owner(self, scope: Scope, *, position: int, limit: int) -> list[Link]: ...

    def newest_of_owner(self, scope: Scope, *, before: int, limit: int) -> list[Link]:
        """List changes to the user's memories before a position, newest first."""

    def newest_requests(self, scope: Scope, *, limit: int) -> list[Link]:
        """List erasures and accesses by others among the last entries, newest first."""

    def redact(self, scope: Scope, plan: ErasurePlan) -> list[int]:
        """Remove the content of every entry about what is erased; returns their positions."""

    def unaudited(self, scope: Scope) -> int:
        """List memories of the tenant that no entry mentions."""


class Proposals(Erasable, Protocol):
    """Questions to the person that wait for an answer."""

    def add(self, scope: Scope, proposal: Proposal) -> None: ...

    def get(self, scope: Scope, id: str) -> Proposal | None: ...

    def all(self, scope: Scope, *, status: str | None) -> list[Proposal]: ...

    def close(self, scope: Scope, id: str, *, status: str) -> bool:
        """Answer an open question; False if it was not open."""

    def expire(self, scope: Scope, *, now: datetime) -> int: ...


class QuarantinedTexts(Erasable, Protocol):
    """Quarantined texts."""

    def add(self, scope: Scope, quarantined: Quarantined) -> None: ...

    def get(self, scope: Scope, id: str) -> Quarantined | None:
        """Return one of the tenant's quarantined texts, from any user."""

    def page(self, scope: Scope, *, status: str | None, limit: int, after: str) -> list[Quarantined]: ...

    def of_user(self, scope: Scope) -> list[Quarantined]: ...

    def review(self, scope: Scope, id: str, *, status: str, at: datetime) -> bool:
        """Store the decision on a quarantined text; False if there was one already."""


class Entities(Erasable, Protocol):
    """The entities that a user mentions."""

    def get(self, scope: Scope, key: str) -> Entity | None: ...

    def mention(self, scope: Scope, mention: Mention, *, at: datetime, hidden: Reason | None = None) -> Entity:
        """Count a mention atomically; `hidden` is the verdict on its own text."""

    def judged(self, scope: Scope, id: str) -> Reason | None:
        """Return the reason for which an entity itself is hidden."""

    def hide(self, scope: Scope, id: str, *, judged: Reason | None, hidden: Reason | None) -> None:
        """Store the verdict on an entity itself, and the reason it is hidden."""

    def evict(self, scope: Scope, *, keep: str, cap: int) -> list[str]:
        """Evict the least mentioned and oldest beyond the cap, never `keep`; returns their ids."""

    def add(self, scope: Scope, entity: Entity) -> bool:
        """Store an entity as another store had it; False if its key is taken."""

    def top(self, scope: Scope, *, limit: int, type: str | None = None) -> list[Entity]: ...

    def every(self, scope: Scope) -> list[Entity]:
        """List all entities of the user, the most mentioned first, forgotten and hidden ones included."""

    def forget(self, scope: Scope, target: str | None = None) -> list[Entity]:
        """Forget all entities of the user, or the one with this key or id; returns them."""

    def restore(self, scope: Scope, target: str | None = None) -> list[Entity]:
        """Restore all forgotten entities, or the one with this key or id, with their counts."""
