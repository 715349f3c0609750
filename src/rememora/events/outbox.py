"""The outbox for its readers: subscribe, list events, and list dead letters."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec

from rememora.domain.check import check_name, check_whole
from rememora.domain.event import PAYLOADS, SCHEMA, Event
from rememora.domain.event_versions import as_version, check_schema
from rememora.domain.scope import Scope
from rememora.errors import EventsMissed, InvalidInput, NotFound
from rememora.events.relay import Listener, Subscriber
from rememora.ports.outbox import Parked, Relay
from rememora.ports.outside import Clock
from rememora.ports.store import Store

logger = logging.getLogger(__name__)
PAGE_LIMIT = 1000
LAST_POSITION = 2**62
"""A position after every event of an outbox."""


async def subscribe(
    store: Store, subscriber: Subscriber, *, from_start: bool, resume: bool = False, clock: Clock
) -> None:
    """Register a subscriber under its name; a new one receives events from now on, or all that are stored.

    A subscriber that was away while events it had not received were removed gets an error, unless it passes
    `resume`.
    """
    now, name = clock(), subscriber.name
    missed = await store.relay(lambda view: _enter(view, name, from_start=from_start, resume=resume, now=now))
    if missed:
        logger.warning("subscriber %s was away and resumes without %d events", name, missed)


def _enter(view: Relay, name: str, *, from_start: bool, resume: bool, now: datetime) -> int:
    view.subscribe(name, from_start=from_start, at=now)
    state = view.standing(name)
    missed = 0 if state is None else state.missed
    if state is not None and missed and not resume:
        raise EventsMissed(name, missed, state.seen_at)
    view.see(name, at=now)
    return missed


def subscriber_of(name: str, listener: Listener, types: Iterable[str] | None, schema: int = SCHEMA) -> Subscriber:
    """Validate a subscriber."""
    check_name("name", name)
    if not callable(listener):
        raise InvalidInput("listener", f"must be a function that takes an event, not {type(listener).__name__}")
    chosen = None if types is None else frozenset(types)
    check_types(chosen)
    return Subscriber(name=name, listener=listener, types=chosen, schema=check_schema(schema))


async def replay(store: Store, name: str, *, tenant: str, after: int) -> None:
    """Deliver a tenant's events to a subscriber again, after a position, dead letters included."""
    check_name("tenant", tenant)
    check_whole("after", after, 0, 2**62)
    if not await store.relay(lambda view: view.rewind(name, tenant=tenant, position=after)):
        raise NotFound("subscriber", name)


class EventFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Selection of a tenant's events, and the version of the schema."""

    after: int = 0
    limit: int = 100
    types: Sequence[str] | None = None
    schema: int = SCHEMA


async def page(store: Store, scope: Scope, chosen: EventFilter) -> list[Event]:
    """List a tenant's events after a position, oldest first."""
    after, limit, types = chosen.after, chosen.limit, chosen.types
    check_whole("after", after, 0, 2**62)
    check_whole("limit", limit, 1, PAGE_LIMIT)
    check_types(types)
    version = check_schema(chosen.schema)
    events = await store.read(scope, lambda work: work.outbox.page(scope, after=after, limit=limit, types=types))
    return [as_version(event, version) for event in events]


async def newest(store: Store, scope: Scope, *, before: int | None, limit: int, schema: int) -> list[Event]:
    """List a tenant's events before a position, newest first."""
    end = LAST_POSITION if before is None else before
    check_whole("before", end, 1, LAST_POSITION)
    check_whole("limit", limit, 1, PAGE_LIMIT)
    version = check_schema(schema)
    events = await store.read(scope, lambda work: work.outbox.newest(scope, before=end, limit=limit))
    return [as_version(event, version) for event in events]


async def dead_letters(store: Store, scope: Scope, *, limit: int) -> list[Parked]:
    """List a tenant's dead letters, newest first."""
    check_whole("limit", limit, 1, PAGE_LIMIT)
    deliveries = await store.read(scope, lambda work: work.outbox.dead(scope, limit=limit))
    return [msgspec.structs.replace(delivery, event=as_version(delivery.event, SCHEMA)) for delivery in deliveries]


async def retry_dead_letters(store: Store, scope: Scope, *, subscriber: str | None, clock: Clock) -> int:
    """Retry a tenant's dead letters, of one subscriber or of all; returns how many there were."""
    if subscriber is not None:
        check_name("subscriber", subscriber)
    now = clock()
    return await store.write(scope, lambda work: work.outbox.revive(scope, subscriber=subscriber, at=now))


def check_types(types: Iterable[str] | None) -> None:
    """Refuse an unknown event type: a filter that matches nothing is a mistake."""
    unknown = sorted(set(types or ()) - {payload.type for payload in PAYLOADS})
    if unknown:
        raise InvalidInput("types", f"no such event type: {unknown[0]!r}")
