"""Delivers events to subscribers: at least once, in order per conversation, and independently of each other.

An event that a subscriber refuses is parked and retried later, with newer events of the same conversation
queued behind it; other conversations and other subscribers continue. After the last attempt it is a dead letter.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

import msgspec

from rememora.cancellation import cancel_and_wait, is_cancelled
from rememora.domain.event import SCHEMA, Event
from rememora.domain.event_versions import as_version
from rememora.domain.ids import new_id
from rememora.domain.retry import retry_at
from rememora.ports.outbox import Parked, Relay
from rememora.ports.outside import Clock
from rememora.ports.store import Store
from rememora.settings import EventSettings

logger = logging.getLogger(__name__)

Stream = tuple[str, str, str]
Listener = Callable[[Event], Awaitable[None] | None]
"""Async or plain; a plain one runs on a thread of its own."""


class Subscriber(msgspec.Struct, frozen=True, kw_only=True):
    """A listener with a name that survives restarts."""

    name: str
    listener: Listener
    types: frozenset[str] | None = None
    schema: int = SCHEMA
    """Version of the event schema that it receives."""

    def wants(self, event: Event) -> bool:
        return self.types is None or event.type in self.types


class PendingDeliveries(msgspec.Struct, frozen=True, kw_only=True):
    """Pending deliveries of a subscriber: retries that are due, new events, and blocked streams."""

    due: tuple[Parked, ...]
    fresh: tuple[Event, ...]
    streams: frozenset[Stream]


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """Result of one delivery round: the state of each event."""

    taken: tuple[Event, ...] = ()
    parked: tuple[Parked, ...] = ()
    heard: tuple[Event, ...] = ()


async def relay(store: Store, subscriber: Subscriber, *, settings: EventSettings, clock: Clock) -> bool:
    """Run one round for one subscriber; True if there may be more to do at once."""
    if not await store.relay(lambda view: _anything(view, subscriber, clock()), reading=True):
        return False
    owner = new_id()
    lease = Lease(store=store, subscriber=subscriber, owner=owner, settings=settings, clock=clock)
    waiting = await lease.begin()
    if waiting is None:
        return False
    try:
        async with lease.renewed():
            outcome = await _deliver(subscriber, waiting, settings=settings, clock=clock)
            await store.relay(lambda view: lease.keep(view) and _record(view, subscriber, outcome))
    finally:
        await store.relay(lambda view: view.release(subscriber.name, owner=owner))
    # What stood behind an event that was taken or died is due now.
    freed = bool(outcome.taken) or any(parked.dead for parked in outcome.parked)
    return freed or bool(waiting.fresh)


def stream_of(event: Event) -> Stream:
    """Return the stream that an event is ordered within."""
    return event.tenant, event.user, event.conversation or ""


def refused(parked: Parked, error: BaseException, *, now: datetime, settings: EventSettings) -> Parked:
    """Return the parked event after another failure; its error is a type name, as messages may hold content."""
    attempts = parked.attempts + 1
    return msgspec.structs.replace(
        parked,
        attempts=attempts,
        retry_at=retry_at(now, attempts, settings),
        dead=attempts >= settings.attempts,
        error=type(error).__name__,
    )


def _anything(view: Relay, subscriber: Subscriber, now: datetime) -> bool:
    return bool(view.due(subscriber.name, now=now, limit=1) or view.unheard(subscriber.name, limit=1))


async def _deliver(
    subscriber: Subscriber, waiting: PendingDeliveries, *, settings: EventSettings, clock: Clock
) -> Round:
    # Streams in which an earlier event is still parked: what follows in them is parked too, so that a
    # subscriber never gets a later event before an earlier one.
    blocked = set(waiting.streams)
    taken: list[Event] = []
    parked: list[Parked] = []
    # Parked events whose pause is over, before anything new.
    for due in waiting.due:
        error = await offer(subscriber, due.event, settings)
        if error is None:
            taken.append(due.event)
        else:
            parked.append(refused(due, error, now=clock(), settings=settings))
    for event in filter(subscriber.wants, waiting.fresh):
        new = Parked(subscriber=subscriber.name, event=event, attempts=0, retry_at=clock())
        if stream_of(event) in blocked:
            parked.append(new)
        elif (error := await offer(subscriber, event, settings)) is not None:
            parked.append(refused(new, error, now=clock(), settings=settings))
            blocked.add(stream_of(event))
    return Round(taken=tuple(taken), parked=tuple(parked), heard=waiting.fresh)


async def offer(subscriber: Subscriber, event: Event, settings: EventSettings) -> BaseException | None:
    """Deliver one event; return the reason it was refused, or None."""
    try:
        async with asyncio.timeout(settings.delivery_seconds):
            await _call(subscriber.listener, as_version(event, subscriber.schema))
    except (Exception, asyncio.CancelledError) as error:
        if is_cancelled(error):
            raise
        # A listener is somebody else's code: whatever it raises is its refusal, never the relay's end.
        logger.warning("subscriber %s refused event %s: %s", subscriber.name, event.id, type(error).__name__)
        return error
    return None


async def _call(listener: Listener, event: Event) -> None:
    if inspect.iscoroutinefunction(listener):
        await listener(event)
        return
    answer = await asyncio.to_thread(listener, event)
    if answer is not None:
        await answer


def _record(view: Relay, subscriber: Subscriber, outcome: Round) -> bool:
    for event in outcome.taken:
        view.unpark(subscriber.name, event)
    for parked in outcome.parked:
        view.park(parked)
    last = {event.tenant: event.position for event in outcome.heard}
    for tenant, position in last.items():
        view.advance(subscriber.name, tenant=tenant, position=position)
    return True


class Lease(msgspec.Struct, frozen=True, kw_only=True):
    """The lease to relay to a subscriber: one process at a time, to keep the order."""

    store: Store
    subscriber: Subscriber
    owner: str
    settings: EventSettings
    clock: Clock

    async def begin(self) -> PendingDeliveries | None:
        """Take the lease and read what is pending; None while another process holds it."""
        return await self.store.relay(lambda view: self._waiting(view) if self._claim(view) else None)

    @asynccontextmanager
    async def renewed(self) -> AsyncIterator[None]:
        """Renew the lease while listeners work."""
        task = asyncio.create_task(self._renew())
        try:
            yield
        finally:
            await cancel_and_wait(task)

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(self.settings.lease_seconds / 3)
            await self.store.relay(self.keep)

    def keep(self, view: Relay) -> bool:
        """Renew the lease; False if another process has held it since, whose record then counts."""
        return view.renew(self.subscriber.name, owner=self.owner, until=self._until())

    def _claim(self, view: Relay) -> bool:
        return view.claim(self.subscriber.name, owner=self.owner, now=self.clock(), until=self._until())

    def _until(self) -> datetime:
        return self.clock() + timedelta(seconds=self.settings.lease_seconds)

    def _waiting(self, view: Relay) -> PendingDeliveries:
        name, limit = self.subscriber.name, self.settings.batch
        return PendingDeliveries(
            due=tuple(view.due(name, now=self.clock(), limit=limit)),
            fresh=tuple(view.unheard(name, limit=limit)),
            streams=frozenset(view.parked_streams(name)),
        )
