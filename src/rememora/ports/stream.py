"""The seam of the event stream: events added in order, read by groups whose consumers share them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from rememora.domain.event import Event
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope


class Delivery(msgspec.Struct, frozen=True):
    """An event at its place in the stream; without one where the stream has let go of it."""

    place: str
    event: Event | None


class EventStream(Protocol):
    """An operator's view: the events of every tenant, as one group of consumers reads them."""

    @property
    def claim_seconds(self) -> float:
        """After how long a silent consumer's events go to another."""
        ...

    async def begin(self, group: str, *, from_start: bool) -> None:
        """Know a group; a new one reads what comes, or everything still in the stream."""
        ...

    async def claim(self, group: str, consumer: str, *, limit: int) -> None:
        """Take over what consumers that are long silent have taken and not done."""
        ...

    async def taken(self, group: str, consumer: str, *, limit: int) -> list[Delivery]:
        """List deliveries this consumer has taken and not finished, oldest first."""
        ...

    async def take(self, group: str, consumer: str, *, limit: int, wait_seconds: float) -> list[Delivery]:
        """Take deliveries that nobody of the group has taken yet, oldest first."""
        ...

    async def keep(self, group: str, consumer: str, places: Sequence[str]) -> None:
        """Show that this consumer is still at work on what it has taken."""
        ...

    async def done(self, group: str, places: Sequence[str]) -> None: ...

    async def bury(self, group: str, delivery: Delivery, *, error: str) -> None:
        """Put what nobody could take aside, and be done with it."""
        ...


class PublishedEvents(Protocol):
    """Events that were published already, as far as they are still stored somewhere."""

    @property
    def length(self) -> int:
        """About how many events it keeps before the oldest go by themselves."""
        ...

    async def erase(self, scope: Scope, plan: ErasurePlan, *, before: datetime) -> int:
        """Take away what speaks of the doomed, of one user or of a whole tenant, and let none of it come late.

        Late is what happened `before` and is added only now.
        """
        ...
