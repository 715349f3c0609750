"""`TenantEvents` without `await`; `make sync` writes this file from `handles/tenant/events.py`."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from rememora.domain.event import Event
from rememora.handles.deprecated import OldCall
from rememora.handles.tenant import events as wrapped
from rememora.portal import Portal
from rememora.ports.outbox import DeliveryState, Parked


class SyncTenantEvents(OldCall):
    """The events of one tenant: what happened, who was told, and what nobody took."""

    def __init__(self, portal: Portal, inner: wrapped.TenantEvents) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    def list(
        self, *, after: int = 0, limit: int = 100, types: Sequence[str] | None = None, schema: int | None = None
    ) -> builtins.list[Event]:
        """The tenant's events after a position, oldest first, in a version of the event schema."""
        return self._portal.run(self._inner.list(after=after, limit=limit, types=types, schema=schema))

    def newest(self, *, before: int | None = None, limit: int = 100) -> builtins.list[Event]:
        """The tenant's events before a position, newest first."""
        return self._portal.run(self._inner.newest(before=before, limit=limit))

    def deliveries(self) -> builtins.list[DeliveryState]:
        """Return the delivery state of each subscriber for this tenant's events."""
        return self._portal.run(self._inner.deliveries())

    def dead_letters(self, *, limit: int = 100) -> builtins.list[Parked]:
        """The tenant's events that a subscriber never took, newest first."""
        return self._portal.run(self._inner.dead_letters(limit=limit))

    def retry_dead_letters(self, *, subscriber: str | None = None) -> int:
        """Redeliver dead letters of one subscriber or of all, after the events it has received since."""
        return self._portal.run(self._inner.retry_dead_letters(subscriber=subscriber))
