"""The outbox as its readers see it: subscribe, page through, look at what was never taken."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rememora.domain.check import check_name, check_whole
from rememora.domain.event import PAYLOADS, Event
from rememora.domain.scope import Scope
from rememora.errors import InvalidInput, NotFound
from rememora.events.relay import Listener, Subscriber
from rememora.ports.outbox import Parked
from rememora.ports.outside import Clock
from rememora.ports.store import Store

PAGE_LIMIT = 1000


async def subscribe(
    store: Store, name: str, listener: Listener, *, types: Iterable[str] | None, from_start: bool
) -> Subscriber:
    """Remember a subscriber under its name; a new one hears what comes from now on, or all that is stored."""
    subscriber = subscriber_of(name, listener, types)
    await store.relay(lambda view: view.subscribe(name, from_start=from_start))
    return subscriber


def subscriber_of(name: str, listener: Listener, types: Iterable[str] | None) -> Subscriber:
    """Somebody who listens, checked."""
    check_name("name", name)
    if not callable(listener):
        raise InvalidInput("listener", f"must be a function that takes an event, not {type(listener).__name__}")
    wanted = None if types is None else frozenset(types)
    check_types(wanted)
    return Subscriber(name=name, listener=listener, types=wanted)


async def replay(store: Store, name: str, *, tenant: str, after: int) -> None:
    """Have a subscriber hear a tenant's events again, from after a position on, dead letters too."""
    check_name("tenant", tenant)
    check_whole("after", after, 0, 2**62)
    if not await store.relay(lambda view: view.rewind(name, tenant=tenant, position=after)):
        raise NotFound("subscriber", name)


async def page(store: Store, scope: Scope, *, after: int, limit: int, types: Sequence[str] | None) -> list[Event]:
    """A tenant's events after a position, oldest first."""
    check_whole("after", after, 0, 2**62)
    check_whole("limit", limit, 1, PAGE_LIMIT)
    check_types(types)
    return await store.read(scope, lambda work: work.outbox.page(scope, after=after, limit=limit, types=types))


async def dead_letters(store: Store, scope: Scope, *, limit: int) -> list[Parked]:
    """A tenant's events that a subscriber never took, newest first."""
    check_whole("limit", limit, 1, PAGE_LIMIT)
    return await store.read(scope, lambda work: work.outbox.dead(scope, limit=limit))


async def retry_dead_letters(store: Store, scope: Scope, *, subscriber: str | None, clock: Clock) -> int:
    """Have a tenant's dead letters tried again, of one subscriber or of all; returns how many there were."""
    if subscriber is not None:
        check_name("subscriber", subscriber)
    now = clock()
    return await store.write(scope, lambda work: work.outbox.revive(scope, subscriber=subscriber, at=now))


def check_types(types: Iterable[str] | None) -> None:
    """Refuse a type that no event has: a filter that matches nothing is a mistake."""
    unknown = sorted(set(types or ()) - {payload.type for payload in PAYLOADS})
    if unknown:
        raise InvalidInput("types", f"there is no event type {unknown[0]!r}")
