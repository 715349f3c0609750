"""`Tenant` without `await`; `make sync` writes this file from `handles/tenant.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from rememora.domain.audit import AuditEntry, ChainReport
from rememora.domain.event import Event
from rememora.domain.masked import MaskedMemory
from rememora.domain.memory import Memory, MemoryFilterOptions, Quarantined, Review
from rememora.domain.message import Page
from rememora.domain.quality import VerdictCount
from rememora.domain.receipt import Receipt, ReceiptReport
from rememora.domain.task import HeldTask, Task, TaskFilterOptions
from rememora.domain.trend import Trend
from rememora.handles import tenant
from rememora.missions.oversee import MissionView
from rememora.portal import Portal
from rememora.ports.outbox import DeliveryState, Parked
from rememora.sync.access import SyncAccess


class SyncTenant:
    """Operations on a whole tenant, each recorded under the actor's name."""

    def __init__(self, portal: Portal, inner: tenant.Tenant) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    @property
    def access(self) -> SyncAccess:
        """Return the tenant's access control and usage."""
        return SyncAccess(self._portal, self._inner.access)

    def events(
        self, *, after: int = 0, limit: int = 100, types: Sequence[str] | None = None, schema: int | None = None
    ) -> list[Event]:
        """The tenant's events after a position, oldest first, in a version of the event schema."""
        return self._portal.run(self._inner.events(after=after, limit=limit, types=types, schema=schema))

    def newest_events(self, *, before: int | None = None, limit: int = 100) -> list[Event]:
        """The tenant's events before a position, newest first."""
        return self._portal.run(self._inner.newest_events(before=before, limit=limit))

    def dead_letters(self, *, limit: int = 100) -> list[Parked]:
        """The tenant's events that a subscriber never took, newest first."""
        return self._portal.run(self._inner.dead_letters(limit=limit))

    def deliveries(self) -> list[DeliveryState]:
        """Return the delivery state of each subscriber for this tenant's events."""
        return self._portal.run(self._inner.deliveries())

    def trend(self, *, days: int = 30) -> Trend:
        """The tenant's last days: turns, recalls, verdicts, corrections, and what waited in the whole store."""
        return self._portal.run(self._inner.trend(days=days))

    def missions(self, *, limit: int = 50) -> list[MissionView]:
        """List the current missions of all users, newest first, without their content."""
        return self._portal.run(self._inner.missions(limit=limit))

    def stop_mission(self, user: str, mission: str) -> bool:
        """End a mission as failed; False where it had ended."""
        return self._portal.run(self._inner.stop_mission(user, mission))

    def retry_dead_letters(self, *, subscriber: str | None = None) -> int:
        """Redeliver dead letters of one subscriber or of all, after the events it has received since."""
        return self._portal.run(self._inner.retry_dead_letters(subscriber=subscriber))

    def tasks(
        self, *, limit: int = 50, after: str | None = None, **wanted: Unpack[TaskFilterOptions]
    ) -> Page[Task]:
        """List the tasks of all users, newest first, without their content; `failed` tasks are final."""
        return self._portal.run(self._inner.tasks(limit=limit, after=after, **wanted))

    def claim_task(self, module: str, *, seconds: float | None = None) -> HeldTask | None:
        """Take the work that has waited longest for a module, under a lease; None where nothing is due."""
        return self._portal.run(self._inner.claim_task(module, seconds=seconds))

    def renew_task(self, id: str, *, lease: str, seconds: float | None = None) -> HeldTask:
        """Keep a task that is being worked on for longer."""
        return self._portal.run(self._inner.renew_task(id, lease=lease, seconds=seconds))

    def complete_task(self, id: str, *, lease: str, summary: str = "", result: Any = None) -> Task:
        """Complete a task; events may carry the one-line summary, the result stays with the task."""
        return self._portal.run(self._inner.complete_task(id, lease=lease, summary=summary, result=result))

    def fail_task(self, id: str, *, lease: str, error: str, retry: bool = False) -> Task:
        """A module did not do its work; `error` is a code, and `retry` lets it be tried again."""
        return self._portal.run(self._inner.fail_task(id, lease=lease, error=error, retry=retry))

    def release_task(self, id: str, *, lease: str) -> Task:
        """Give a task back untried."""
        return self._portal.run(self._inner.release_task(id, lease=lease))

    def memories(
        self, user: str, *, reason: str, limit: int = 100, **wanted: Unpack[MemoryFilterOptions]
    ) -> list[Memory]:
        """A person's memory, read under a reason that goes on record."""
        return self._portal.run(self._inner.memories(user, reason=reason, limit=limit, **wanted))

    def masked_memories(self, user: str, *, limit: int = 100) -> list[MaskedMemory]:
        """A person's memory with dots in place of its words, for support."""
        return self._portal.run(self._inner.masked_memories(user, limit=limit))

    def note_access(self, *, reason: str) -> None:
        """Put on record that somebody looks at content of this tenant's people."""
        return self._portal.run(self._inner.note_access(reason=reason))

    def quarantined(
        self, *, status: Review | None = "held", limit: int = 100, after: str = ""
    ) -> list[Quarantined]:
        """Text that tried to give orders, oldest first."""
        return self._portal.run(self._inner.quarantined(status=status, limit=limit, after=after))

    def approve(self, quarantined: str, *, key: str | None = None, value: Any = None) -> Memory | None:
        """Let a held text go; under a key it becomes a memory."""
        return self._portal.run(self._inner.approve(quarantined, key=key, value=value))

    def reject(self, quarantined: str, *, why: str = "") -> None:
        """Reject a quarantined text permanently."""
        return self._portal.run(self._inner.reject(quarantined, why=why))

    def verdicts(self) -> list[VerdictCount]:
        """Count the gate's verdicts and reasons for this tenant's people, the most frequent first."""
        return self._portal.run(self._inner.verdicts())

    def audit(self, *, after: int = 0, limit: int = 100, reason: str | None = None) -> list[AuditEntry]:
        """The tenant's chain of changes, oldest first; what it says of people only under a `reason` on record."""
        return self._portal.run(self._inner.audit(after=after, limit=limit, reason=reason))

    def newest_audit(self, *, before: int | None = None, limit: int = 100) -> list[AuditEntry]:
        """The tenant's chain of changes before a place, newest first, without what it says of people."""
        return self._portal.run(self._inner.newest_audit(before=before, limit=limit))

    def requests(self, *, limit: int = 50) -> list[AuditEntry]:
        """Erasures with their receipts and looks of others with their reasons, newest first."""
        return self._portal.run(self._inner.requests(limit=limit))

    def verify_audit(self, *, anchor: str | None = None) -> ChainReport:
        """Check the whole chain; `anchor` is an end noted earlier, which must be in it."""
        return self._portal.run(self._inner.verify_audit(anchor=anchor))

    def verify_receipt(self, receipt: Receipt, *, suspects: Sequence[str] = ()) -> ReceiptReport:
        """Verify an erasure's receipt, and search the files for the erased content; suspects are an operator's."""
        return self._portal.run(self._inner.verify_receipt(receipt, suspects=suspects))
