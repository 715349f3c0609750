"""What happened in a tenant: listed, or told as it happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from rememora.domain.event import PAYLOADS, Event, events_schema
from rememora.ports.outbox import Parked
from rememora.server.auth import Ask, admit
from rememora.server.route import Routes
from rememora.server.sse import Sent, Stream
from rememora.server.words import Limit, Listed

routes = Routes("events", right="audit")
TAIL_SECONDS = 0.25
BATCH = 100
Position = Annotated[int, Meta(ge=0, le=2**62)]
Type = Annotated[str, Meta(pattern=f"^({'|'.join(payload.type for payload in PAYLOADS)})$".replace(".", r"\."))]


class EventsAfter(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which events."""

    after: Position = 0
    limit: Limit = 100
    types: list[Type] | None = None


class From(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """From where to tell; `Last-Event-ID` beats it."""

    after: Position = 0
    types: list[Type] | None = None


class Dead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many dead letters."""

    limit: Limit = 100


@routes.get("/events")
async def list_events(ask: Ask, query: EventsAfter) -> Listed[Event]:
    """The tenant's events after a position, oldest first."""
    return Listed(items=await ask.company.events(after=query.after, limit=query.limit, types=query.types))


@routes.get("/events/tail", streams=True, answer="text/event-stream")
async def tail_events(ask: Ask, query: From) -> Stream:
    """The tenant's events as they happen, as server-sent events; the id of each is its position."""
    last = ask.headers.get("last-event-id", "")
    after = int(last) if last.isascii() and last.isdigit() and len(last) < 19 else query.after
    await ask.company.events(after=after, limit=1, types=query.types)
    return Stream(_tail(ask, after, query.types))


@routes.get("/events/dead")
async def list_dead_letters(ask: Ask, query: Dead) -> Listed[Parked]:
    """Events that a subscriber never took, newest first."""
    return Listed(items=await ask.company.dead_letters(limit=query.limit))


@routes.get("/events/schema", right=None)
async def get_events_schema() -> dict[str, Any]:
    """The JSON Schema that every event follows."""
    return events_schema()


async def _tail(ask: Ask, after: int, types: list[str] | None) -> AsyncIterator[Sent]:
    while not ask.closing.is_set():
        # A key that is revoked meanwhile, or a tenant that is suspended, hears nothing more.
        await admit(ask.rememora, ask.headers, "audit")
        events = await ask.company.events(after=after, limit=BATCH, types=types)
        for event in events:
            after = event.position
            yield Sent(event=event.type, value=event, id=str(event.position))
        if not events:
            await asyncio.sleep(TAIL_SECONDS)
