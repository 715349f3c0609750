"""What happened in a tenant: listed, or told as it happens."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from rememora.domain.event import PAYLOADS, SCHEMA, Event
from rememora.domain.event_versions import OLDEST, events_schema
from rememora.ports.outbox import Parked
from rememora.server.auth import Ask, admit
from rememora.server.route import Routes
from rememora.server.sse import Sent, Stream
from rememora.server.words import Limit, Listed, Name

routes = Routes("events", right="audit")
TAIL_SECONDS = 0.25
BATCH = 100
EVERY = 2**62
Position = Annotated[int, Meta(ge=0, le=2**62)]
Type = Annotated[str, Meta(pattern=f"^({'|'.join(payload.type for payload in PAYLOADS)})$".replace(".", r"\."))]


Version = Annotated[int, Meta(ge=OLDEST, le=SCHEMA, description="A version of the event schema.")]


class Published(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which version of the schema."""

    version: Version = SCHEMA


class EventsAfter(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which events."""

    after: Position = 0
    limit: Limit = 100
    types: list[Type] | None = None
    schema: Version | None = None


class From(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """From where to tell, which `Last-Event-ID` beats, and when to end."""

    after: Position = 0
    types: list[Type] | None = None
    schema: Version | None = None
    limit: Annotated[int, Meta(ge=1, le=1_000_000, description="End after so many events.")] | None = None
    quiet_seconds: (
        Annotated[float, Meta(ge=0, le=3600, description="End after so long without one; 0 tells what is there.")]
        | None
    ) = None


class Dead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many dead letters."""

    limit: Limit = 100


class Revived(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whose dead letters; everybody's where nobody is named."""

    subscriber: Name | None = None


class Retried(msgspec.Struct, frozen=True, kw_only=True):
    """How many will be tried again."""

    retried: int


@routes.get("/events")
async def list_events(ask: Ask, query: EventsAfter) -> Listed[Event]:
    """The tenant's events after a position, oldest first."""
    found = await ask.company.events(after=query.after, limit=query.limit, types=query.types, schema=query.schema)
    return Listed(items=found)


@routes.get("/events/tail", streams=True, answer="text/event-stream")
async def tail_events(ask: Ask, query: From) -> Stream:
    """The tenant's events as they happen, as server-sent events; the id of each is its position.

    It goes on until the client leaves, `limit` or `quiet_seconds` is reached, or it has lasted as long as the
    setting `server.stream_seconds` lets it; a client that comes back with `Last-Event-ID` misses nothing.
    """
    last = ask.headers.get("last-event-id", "")
    after = int(last) if last.isascii() and last.isdigit() and len(last) < 19 else query.after
    await ask.company.events(after=after, limit=1, types=query.types)
    return Stream(_tail(ask, after, query))


@routes.get("/events/dead")
async def list_dead_letters(ask: Ask, query: Dead) -> Listed[Parked]:
    """Events that a subscriber never took, newest first."""
    return Listed(items=await ask.company.dead_letters(limit=query.limit))


@routes.post("/events/dead/retry", right="tenant")
async def retry_dead_letters(ask: Ask, body: Revived) -> Retried:
    """Have dead letters told again, of one subscriber or of all; they come behind what was told since."""
    return Retried(retried=await ask.company.retry_dead_letters(subscriber=body.subscriber))


@routes.get("/events/schema", right=None)
async def get_events_schema(query: Published) -> dict[str, Any]:
    """The JSON Schema that every event of a version follows."""
    return events_schema(query.version)


async def _tail(ask: Ask, after: int, wanted: From) -> AsyncIterator[Sent]:
    end = Ending(wanted, longest=ask.rememora.settings.server.stream_seconds)
    while not ask.closing.is_set():
        # A key that is revoked meanwhile, or a tenant that is suspended, hears nothing more.
        await admit(ask.rememora, ask.headers, "audit", reads=True)
        events = await ask.company.events(
            after=after, limit=min(BATCH, end.left), types=wanted.types, schema=wanted.schema
        )
        for event in events:
            after = event.position
            yield Sent(event=event.type, value=event, id=str(event.position))
        if end.after(len(events)):
            return
        if not events:
            await asyncio.sleep(min(TAIL_SECONDS, end.patience))


class Ending:
    """When a stream of events is over: so many told, so long quiet, or so long altogether."""

    def __init__(self, wanted: From, *, longest: float) -> None:
        now = time.monotonic()
        self.left = EVERY if wanted.limit is None else wanted.limit
        self._quiet = math.inf if wanted.quiet_seconds is None else wanted.quiet_seconds
        self._heard, self._last = now, now + longest

    @property
    def patience(self) -> float:
        """How long nothing may come before it is over."""
        return max(0.0, min(self._heard + self._quiet, self._last) - time.monotonic())

    def after(self, told: int) -> bool:
        """Whether it is over, now that so many more were told."""
        now = time.monotonic()
        self.left -= told
        if told:
            self._heard = now
        silent = not told and now >= self._heard + self._quiet
        return self.left <= 0 or silent or now >= self._last
