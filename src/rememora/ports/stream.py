"""Port of the event stream: events in order, read by groups whose consumers share them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from rememora.domain.event import Event
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope


class Delivery(msgspec.Struct, frozen=True):
    """An event at its position in the stream; None if the stream has already dropped it."""

    place: str
    event: Event | None


class EventStream(Protocol):
    """An operator's view: the events of every tenant, as read by one consumer group."""

    @property
    def claim_seconds(self) -> float:
        """Time after which the events of a silent consumer go to another."""

    async def begin(self, group: str, *, from_start: bool) -> None:
        """Create a group if needed; a new one reads new events, or everything still in the stream."""

    async def claim(self, group: str, consumer: str, *, limit: int) -> None:
        """Take over unfinished deliveries of consumers that have been silent for too long."""

    async def taken(self, group: str, consumer: str, *, limit: int) -> list[Delivery]:
        """List deliveries this consumer has taken and not finished, oldest first."""

    async def take(self, group: str, consumer: str, *, limit: int, wait_seconds: float) -> list[Delivery]:
        """Take deliveries that no consumer of the group has taken yet, oldest first."""

    async def keep(self, group: str, consumer: str, places: Sequence[str]) -> None:
        """Show that this consumer is still working on its deliveries."""

    async def done(self, group: str, places: Sequence[str]) -> None: ...

    async def bury(self, group: str, delivery: Delivery, *, error: str) -> None:
        """Acknowledge an event that no consumer could process, as a dead letter."""


class PublishedEvents(Protocol):
    """Published events, as far as they are still stored somewhere."""

    @property
    def length(self) -> int:
        """Approximate number of events it keeps before the oldest are dropped."""

    async def erase(self, scope: Scope, plan: ErasurePlan, *, before: datetime) -> int:
        """Remove events about what is erased, of one user or a whole tenant, and keep late ones out.

        Late events happened `before` the erasure and are added after it.
        """
