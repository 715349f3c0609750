"""Operations on a whole tenant, a noun for each kind of thing."""

from __future__ import annotations

import builtins
from collections.abc import Collection, Sequence
from typing import Any, Unpack

from rememora.domain.audit import AuditEntry, ChainReport
from rememora.domain.event import Event
from rememora.domain.masked import MaskedMemory
from rememora.domain.memory import Memory, MemoryFilter, MemoryFilterOptions, Quarantined, Review
from rememora.domain.message import Page
from rememora.domain.quality import VerdictCount
from rememora.domain.receipt import Receipt, ReceiptReport
from rememora.domain.rights import ADMIN, Actor, Rights
from rememora.domain.scope import SHARED, Scope
from rememora.domain.task import HeldTask, Task, TaskDone, TaskFailed, TaskFilter, TaskFilterOptions
from rememora.domain.trend import Trend
from rememora.events import outbox, tasks
from rememora.events.leases import TaskLeases
from rememora.handles.access import Access
from rememora.handles.deprecated import OldCall, OldTenantVerbs
from rememora.knowledge import audit, erase, keep, quality, review
from rememora.knowledge.audit import requests
from rememora.knowledge.keep import read_masked
from rememora.missions.oversee import MissionView, view_of
from rememora.ports.outbox import DeliveryState, Parked
from rememora.wiring.parts import Parts


class TenantNoun:
    """One tenant, and the actor who works on it; `modules` limits the tasks that may be claimed."""

    def __init__(
        self, parts: Parts, scope: Scope, *, rights: Rights = ADMIN, modules: Collection[str] | None = None
    ) -> None:
        self._parts = parts
        self._scope = scope
        self._actor = Actor(scope.user, rights)
        self._modules = None if modules is None else frozenset(modules)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._scope.tenant!r}, acting={self._scope.user!r})"


class TenantAudit(OldCall, TenantNoun):
    """The audit chain of one tenant: read, verify, and record access."""

    async def list(
        self, *, after: int = 0, limit: int = 100, reason: str | None = None
    ) -> builtins.list[AuditEntry]:
        """List the audit chain, oldest first; personal data is included only with a recorded `reason`."""
        if reason is None:
            shown = self._parts.desk.shown(self._scope)
            store, scope = self._parts.store, self._scope
            return await audit.page(store, scope, after=after, limit=limit, owners=self._own, shown=shown)
        return await keep.read_chain(
            self._parts.desk, self._scope, actor=self._actor, reason=reason, after=after, limit=limit
        )

    async def newest(self, *, before: int | None = None, limit: int = 100) -> builtins.list[AuditEntry]:
        """List the audit chain before a position, newest first, without personal data."""
        shown = self._parts.desk.shown(self._scope)
        store, scope = self._parts.store, self._scope
        return await audit.newest_page(store, scope, before=before, limit=limit, owners=self._own, shown=shown)

    async def requests(self, *, limit: int = 50) -> builtins.list[AuditEntry]:
        """List erasures with their receipts and accesses with their reasons, newest first."""
        self._actor.need("review")
        return await requests(self._parts.store, self._scope, limit=limit)

    async def verify(self, *, anchor: str | None = None) -> ChainReport:
        """Verify the whole chain; `anchor` is an earlier head that it must still contain."""
        return await audit.verify(self._parts.store, self._scope, signer=self._parts.desk.signer, anchor=anchor)

    async def verify_receipt(self, receipt: Receipt, *, suspects: Sequence[str] = ()) -> ReceiptReport:
        """Verify an erasure's receipt, and search the files for the content; only operators may pass suspects."""
        return await erase.verify(self._parts.desk, self._scope, receipt, suspects=suspects, actor=self._actor)

    async def note_access(self, *, reason: str) -> None:
        """Record that somebody reads content of this tenant's people."""
        await keep.look_at_people(self._parts.desk, self._scope, actor=self._actor, reason=reason)

    @property
    def _own(self) -> set[str]:
        """Return the owners whose values are shown: the caller, and the tenant for writers of shared memory."""
        return {self._scope.user, SHARED} if self._actor.rights.write_shared else {self._scope.user}


class TenantEvents(OldCall, TenantNoun):
    """The events of one tenant, their deliveries, and their dead letters."""

    async def list(
        self, *, after: int = 0, limit: int = 100, types: Sequence[str] | None = None, schema: int | None = None
    ) -> builtins.list[Event]:
        """List the tenant's events after a position, oldest first, in a version of the event schema."""
        version = self._parts.settings.events.schema_version if schema is None else schema
        filter_ = outbox.EventFilter(after=after, limit=limit, types=types, schema=version)
        return await outbox.page(self._parts.store, self._scope, filter_)

    async def newest(self, *, before: int | None = None, limit: int = 100) -> builtins.list[Event]:
        """List the tenant's events before a position, newest first."""
        version = self._parts.settings.events.schema_version
        return await outbox.newest(self._parts.store, self._scope, before=before, limit=limit, schema=version)

    async def deliveries(self) -> builtins.list[DeliveryState]:
        """Return the delivery state of each subscriber for this tenant's events."""
        return await self._parts.store.read(self._scope, lambda work: work.outbox.deliveries(self._scope))

    async def dead_letters(self, *, limit: int = 100) -> builtins.list[Parked]:
        """List the tenant's dead letters, newest first."""
        return await outbox.dead_letters(self._parts.store, self._scope, limit=limit)

    async def retry_dead_letters(self, *, subscriber: str | None = None) -> int:
        """Redeliver dead letters of one subscriber or of all, after the events it has received since."""
        store, clock = self._parts.store, self._parts.clock
        again = await outbox.retry_dead_letters(store, self._scope, subscriber=subscriber, clock=clock)
        self._parts.worker.nudge()
        return again


class TenantMemories(OldCall, TenantNoun):
    """The memories of a tenant's people, read for a recorded reason, or masked."""

    async def list(
        self, user: str, *, reason: str, limit: int = 100, **filters: Unpack[MemoryFilterOptions]
    ) -> builtins.list[Memory]:
        """List a person's memories, for a recorded reason."""
        scope, narrowed = Scope(self._scope.tenant, user), MemoryFilter(**filters)
        return await keep.read_personal(
            self._parts.desk, scope, narrowed, actor=self._actor, reason=reason, limit=limit
        )

    async def list_masked(self, user: str, *, limit: int = 100) -> builtins.list[MaskedMemory]:
        """List a person's memories with masked content, for support."""
        scope = Scope(self._scope.tenant, user)
        return await read_masked(self._parts.desk, scope, actor=self._actor, limit=limit)


class TenantMissions(OldCall, TenantNoun):
    """The current missions of one tenant's users."""

    async def list(self, *, limit: int = 50) -> builtins.list[MissionView]:
        """List the current missions of all users, newest first, without their content."""
        self._actor.need("read_masked")
        missions = await self._parts.missions.find_active_of(self._scope.tenant, limit=limit)
        return [view_of(mission, now=self._parts.clock()) for mission in missions]

    async def stop(self, user: str, mission: str) -> bool:
        """Stop a mission as failed; False if it had already ended."""
        self._actor.need("review")
        return await self._parts.missions.board(Scope(self._scope.tenant, user), mission).close("failed")


class TenantQuality(TenantNoun):
    """Figures of one tenant: verdicts of the gate, and figures over time."""

    async def verdicts(self) -> list[VerdictCount]:
        """Count the gate's verdicts and reasons for this tenant's people, the most frequent first."""
        return await quality.verdicts(self._parts.store, self._scope)

    async def trend(self, *, days: int = 30) -> Trend:
        """Return the figures of the last days: turns, recalls, verdicts, corrections, and the store's backlog."""
        return await self._parts.trends.read(self._scope, days=days)


class TenantQuarantine(TenantNoun):
    """The quarantined texts of one tenant."""

    async def list(
        self, *, status: Review | None = "held", limit: int = 100, after: str = ""
    ) -> builtins.list[Quarantined]:
        """List quarantined texts, oldest first."""
        return await review.quarantined(
            self._parts.desk, self._scope, actor=self._actor, status=status, limit=limit, after=after
        )

    async def approve(self, quarantined: str, *, key: str | None = None, value: Any = None) -> Memory | None:
        """Release a quarantined text; with a key it becomes a memory."""
        return await review.approve(
            self._parts.desk, self._scope, quarantined, actor=self._actor, key=key, value=value
        )

    async def reject(self, quarantined: str, *, why: str = "") -> None:
        """Reject a quarantined text permanently."""
        await review.reject(self._parts.desk, self._scope, quarantined, actor=self._actor, why=why)


class TenantTasks(OldCall, TenantNoun):
    """The tasks of one tenant's modules: claimed under a lease, then completed, failed or released."""

    async def list(
        self, *, limit: int = 50, after: str | None = None, **filters: Unpack[TaskFilterOptions]
    ) -> Page[Task]:
        """List the tasks of all users, newest first, without their content; `failed` tasks are final."""
        store, narrowed = self._parts.store, TaskFilter(**filters)
        return await tasks.page(store, self._scope, narrowed, limit=limit, after=after, everybody=True)

    async def claim(self, module: str, *, seconds: float | None = None) -> HeldTask | None:
        """Claim the task that has waited longest for a module, under a lease; None if no task is due."""
        return await self._hold.claim(module, seconds=seconds)

    async def renew(self, id: str, *, lease: str, seconds: float | None = None) -> HeldTask:
        """Extend the lease of a task."""
        return await self._hold.renew(id, lease, seconds=seconds)

    async def complete(self, id: str, *, lease: str, summary: str = "", result: Any = None) -> Task:
        """Complete a task; events may carry the one-line summary, the result stays with the task."""
        return await self._hold.complete(id, lease, TaskDone(summary=summary, result=result))

    async def fail(self, id: str, *, lease: str, error: str, retry: bool = False) -> Task:
        """Report that a task failed; `error` is a code, and `retry` lets it be tried again."""
        return await self._hold.fail(id, lease, TaskFailed(error=error), retry=retry)

    async def release(self, id: str, *, lease: str) -> Task:
        """Release a task without counting an attempt."""
        return await self._hold.give_back(id, lease)

    @property
    def _hold(self) -> TaskLeases:
        parts = self._parts
        return TaskLeases(
            store=parts.store,
            scope=self._scope,
            settings=parts.settings.tasks,
            clock=parts.clock,
            modules=self._modules,
        )


class Tenant(OldTenantVerbs, TenantNoun):
    """Operations on a whole tenant, each recorded under the actor's name and grouped by noun."""

    @property
    def access(self) -> Access:
        """Return the tenant's access control and usage."""
        return Access(self._parts, self._scope)

    @property
    def events(self) -> TenantEvents:
        """Events: list, newest, deliveries, dead letters."""
        return TenantEvents(self._parts, self._scope, rights=self._actor.rights, modules=self._modules)

    @property
    def tasks(self) -> TenantTasks:
        """Tasks of all users, for modules: list, claim, renew, complete, fail, release."""
        return TenantTasks(self._parts, self._scope, rights=self._actor.rights, modules=self._modules)

    @property
    def missions(self) -> TenantMissions:
        """Current missions of all users, without their content: list, stop."""
        return TenantMissions(self._parts, self._scope, rights=self._actor.rights, modules=self._modules)

    @property
    def memories(self) -> TenantMemories:
        """Memories of this tenant's people: list under a reason, list_masked."""
        return TenantMemories(self._parts, self._scope, rights=self._actor.rights, modules=self._modules)

    @property
    def quarantine(self) -> TenantQuarantine:
        """Quarantined texts: list, approve, reject."""
        return TenantQuarantine(self._parts, self._scope, rights=self._actor.rights, modules=self._modules)

    @property
    def audit(self) -> TenantAudit:
        """The audit chain: list, newest, requests, verify, verify_receipt, note_access."""
        return TenantAudit(self._parts, self._scope, rights=self._actor.rights, modules=self._modules)

    @property
    def quality(self) -> TenantQuality:
        """Figures: verdicts of the gate, trend."""
        return TenantQuality(self._parts, self._scope, rights=self._actor.rights, modules=self._modules)
