"""Events of one tenant, and their way to subscribers."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from rememora.domain.event import Event
from rememora.events import outbox
from rememora.handles.deprecated import OldCall
from rememora.handles.tenant.noun import TenantNoun
from rememora.ports.outbox import DeliveryState, Parked


class TenantEvents(OldCall, TenantNoun):
    """The events of one tenant: what happened, who was told, and what nobody took."""

    async def list(
        self, *, after: int = 0, limit: int = 100, types: Sequence[str] | None = None, schema: int | None = None
    ) -> builtins.list[Event]:
        """The tenant's events after a position, oldest first, in a version of the event schema."""
        version = self._parts.settings.events.schema_version if schema is None else schema
        wanted = outbox.EventFilter(after=after, limit=limit, types=types, schema=version)
        return await outbox.page(self._parts.store, self._scope, wanted)

    async def newest(self, *, before: int | None = None, limit: int = 100) -> builtins.list[Event]:
        """The tenant's events before a position, newest first."""
        version = self._parts.settings.events.schema_version
        return await outbox.newest(self._parts.store, self._scope, before=before, limit=limit, schema=version)

    async def deliveries(self) -> builtins.list[DeliveryState]:
        """Return the delivery state of each subscriber for this tenant's events."""
        return await self._parts.store.read(self._scope, lambda work: work.outbox.deliveries(self._scope))

    async def dead_letters(self, *, limit: int = 100) -> builtins.list[Parked]:
        """The tenant's events that a subscriber never took, newest first."""
        return await outbox.dead_letters(self._parts.store, self._scope, limit=limit)

    async def retry_dead_letters(self, *, subscriber: str | None = None) -> int:
        """Redeliver dead letters of one subscriber or of all, after the events it has received since."""
        store, clock = self._parts.store, self._parts.clock
        again = await outbox.retry_dead_letters(store, self._scope, subscriber=subscriber, clock=clock)
        self._parts.worker.nudge()
        return again
