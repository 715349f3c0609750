"""Port of the outbox: events stored with their cause, and the position of each subscriber."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from rememora.domain.event import Event
from rememora.domain.scope import Scope
from rememora.ports.erasable import Erasable

Place = tuple[str, int]
"""Place of an event: its tenant, and its position there."""


class Parked(msgspec.Struct, frozen=True, kw_only=True):
    """An event that a subscriber has not taken yet, and the reason."""

    subscriber: str
    event: Event
    attempts: int
    retry_at: datetime
    dead: bool = False
    error: str | None = None


class SubscriberState(msgspec.Struct, frozen=True, kw_only=True):
    """Time of a subscriber's last visit, and the number of events removed before it received them."""

    seen_at: datetime
    missed: int


class Subscribed(msgspec.Struct, frozen=True, kw_only=True):
    """A subscriber as an operator sees it: its last visit, what it missed, and the relaying process."""

    name: str
    seen_at: datetime
    missed: int
    relayed_until: datetime | None = None


class DeliveryState(msgspec.Struct, frozen=True, kw_only=True):
    """Delivery state of a subscriber for a tenant's events: received, waiting for a retry, and given up."""

    subscriber: str
    position: int
    newest: int
    waiting: int
    dead: int

    @property
    def behind(self) -> int:
        """Return the number of events that were not offered yet."""
        return max(0, self.newest - self.position)


class Outbox(Erasable, Protocol):
    """Queue of events, written in the transaction that caused them."""

    def add(self, scope: Scope, event: Event) -> Event:
        """Store the event at the tenant's next position."""

    def add_all(self, scope: Scope, events: Sequence[Event]) -> list[Event]:
        """Store events, in this order, at the tenant's next positions."""

    def page(self, scope: Scope, *, after: int, limit: int, types: Sequence[str] | None) -> list[Event]:
        """List the tenant's events after a position, oldest first."""

    def newest(self, scope: Scope, *, before: int, limit: int) -> list[Event]:
        """List the tenant's events before a position, newest first."""

    def dead(self, scope: Scope, *, limit: int) -> list[Parked]:
        """List the tenant's dead letters, newest first."""

    def deliveries(self, scope: Scope) -> list[DeliveryState]:
        """Return the delivery state of each subscriber for the tenant's events."""

    def revive(self, scope: Scope, *, subscriber: str | None, at: datetime) -> int:
        """Retry the tenant's dead letters, of one subscriber or of all; returns how many."""


class Relay(Protocol):
    """An operator's view of the outbox, over every tenant."""

    def subscribe(self, name: str, *, from_start: bool, at: datetime) -> None:
        """Register a subscriber; a new one receives new events, or everything still stored."""

    def subscribers(self) -> list[Subscribed]:
        """List the subscribers, by name."""

    def standing(self, name: str) -> SubscriberState | None:
        """Return a subscriber's last visit and the events it missed; None for an unknown name."""

    def see(self, name: str, *, at: datetime) -> None:
        """Record a visit of a subscriber, who knows what it missed."""

    def rewind(self, name: str, *, tenant: str, position: int) -> bool:
        """Redeliver a tenant's events after a position to a subscriber; False for an unknown name.

        Revokes the current relay lease: positions that its holder still reports are ignored.
        """

    def claim(self, name: str, *, owner: str, now: datetime, until: datetime) -> bool:
        """Take the lease to relay to a subscriber, unless another process holds it."""

    def renew(self, name: str, *, owner: str, until: datetime) -> bool:
        """Renew the lease; False if it was lost, even if nobody holds it now."""

    def release(self, name: str, *, owner: str) -> None: ...

    def unheard(self, name: str, *, limit: int) -> list[Event]:
        """List events after the subscriber's cursors, in order within each tenant; waiting tenants get an equal
        share, the longest waiting first."""

    def delivered_before(self, *, before: datetime, away: datetime, limit: int) -> list[Place]:
        """List events from before a moment that every subscriber has taken, except those `away` since."""

    def prune(self, places: Sequence[Place], *, away: datetime) -> int:
        """Remove events permanently, recording what subscribers who are `away` miss; returns how many."""

    def due(self, name: str, *, now: datetime, limit: int) -> list[Parked]:
        """Return the oldest due parked event of each stream."""

    def parked_streams(self, name: str) -> set[tuple[str, str, str]]:
        """List streams (tenant, user, conversation) with parked events: newer events queue behind them."""

    def park(self, parked: Parked) -> None:
        """Insert or update a parked event."""

    def unpark(self, name: str, event: Event) -> None: ...

    def advance(self, name: str, *, tenant: str, position: int) -> None: ...

    def lag(self, name: str) -> int:
        """Count the events that the subscriber has neither taken nor given up."""
