"""Events of a tenant: listed, or streamed."""

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
from rememora.server.auth import ApiRequest, admit
from rememora.server.routing import Routes
from rememora.server.sse import Sent, Stream
from rememora.server.words import ItemList, Limit, Name

routes = Routes("events", right="audit")
TAIL_SECONDS = 0.25
BATCH = 100
EVERY = 2**62
Position = Annotated[int, Meta(ge=0, le=2**62)]
Type = Annotated[str, Meta(pattern=f"^({'|'.join(payload.type for payload in PAYLOADS)})$".replace(".", r"\."))]


Version = Annotated[int, Meta(ge=OLDEST, le=SCHEMA, description="A version of the event schema.")]


class SchemaQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Version of the schema."""

    version: Version = SCHEMA


class EventQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Filter on events."""

    after: Position = 0
    limit: Limit = 100
    types: list[Type] | None = None
    schema: Version | None = None


class StreamQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Start of a stream, which `Last-Event-ID` overrides, and its end."""

    after: Position = 0
    types: list[Type] | None = None
    schema: Version | None = None
    limit: Annotated[int, Meta(ge=1, le=1_000_000, description="Maximum number of events.")] | None = None
    quiet_seconds: (
        Annotated[float, Meta(ge=0, le=3600, description="End after so long without one; 0 tells what is there.")]
        | None
    ) = None


class DeadLetterQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Number of dead letters to return."""

    limit: Limit = 100


class DeadLetterRetry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Subscriber of the dead letters; by default all."""

    subscriber: Name | None = None


class RetryCount(msgspec.Struct, frozen=True, kw_only=True):
    """Number of events to retry."""

    retried: int


@routes.get("/events")
async def list_events(ask: ApiRequest, query: EventQuery) -> ItemList[Event]:
    """List the tenant's events after a position, oldest first."""
    events = await ask.company.events.list(
        after=query.after, limit=query.limit, types=query.types, schema=query.schema
    )
    return ItemList(items=events)


@routes.get("/events/tail", streams=True, answer="text/event-stream")
async def tail_events(ask: ApiRequest, query: StreamQuery) -> Stream:
    """Stream the tenant's events as they happen, as server-sent events; the id of each is its position.

    The stream ends when the client disconnects, when `limit` or `quiet_seconds` is reached, or after
    `server.stream_seconds`; a client that reconnects with `Last-Event-ID` misses nothing.
    """
    last = ask.headers.get("last-event-id", "")
    after = int(last) if last.isascii() and last.isdigit() and len(last) < 19 else query.after
    await ask.company.events.list(after=after, limit=1, types=query.types)
    return Stream(_tail(ask, after, query))


@routes.get("/events/dead")
async def list_dead_letters(ask: ApiRequest, query: DeadLetterQuery) -> ItemList[Parked]:
    """List the tenant's dead letters, newest first."""
    return ItemList(items=await ask.company.events.dead_letters(limit=query.limit))


@routes.post("/events/dead/retry", right="tenant")
async def retry_dead_letters(ask: ApiRequest, body: DeadLetterRetry) -> RetryCount:
    """Redeliver dead letters of one subscriber or of all, after the events delivered since."""
    return RetryCount(retried=await ask.company.events.retry_dead_letters(subscriber=body.subscriber))


@routes.get("/events/schema", right=None)
async def get_events_schema(query: SchemaQuery) -> dict[str, Any]:
    """Return the JSON Schema that every event of a version follows."""
    return events_schema(query.version)


async def _tail(ask: ApiRequest, after: int, query: StreamQuery) -> AsyncIterator[Sent]:
    end = StreamEnd(query, longest=ask.rememora.settings.server.stream_seconds)
    while not ask.closing.is_set():
        # A key that is revoked meanwhile, or a tenant that is suspended, hears nothing more.
        await admit(ask.rememora, ask.headers, "audit", reads=True)
        events = await ask.company.events.list(
            after=after, limit=min(BATCH, end.left), types=query.types, schema=query.schema
        )
        for event in events:
            after = event.position
            yield Sent(event=event.type, value=event, id=str(event.position))
        if end.after(len(events)):
            return
        if not events:
            await asyncio.sleep(min(TAIL_SECONDS, end.patience))


class StreamEnd:
    """End of a stream of events: after a number of events, a quiet time, or a total time."""

    def __init__(self, query: StreamQuery, *, longest: float) -> None:
        now = time.monotonic()
        self.left = EVERY if query.limit is None else query.limit
        self._quiet = math.inf if query.quiet_seconds is None else query.quiet_seconds
        self._heard, self._last = now, now + longest

    @property
    def patience(self) -> float:
        """Return how long the stream may stay quiet."""
        return max(0.0, min(self._heard + self._quiet, self._last) - time.monotonic())

    def after(self, sent: int) -> bool:
        """Return whether the stream has ended, after that many more events."""
        now = time.monotonic()
        self.left -= sent
        if sent:
            self._heard = now
        silent = not sent and now >= self._heard + self._quiet
        return self.left <= 0 or silent or now >= self._last
