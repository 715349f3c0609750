"""Reads an event stream for one consumer of a group: at least once, in order per conversation.

An event that a listener refuses stays taken and is offered again later, with newer events of its conversation
queued behind it; events of a dead consumer go to another later. After the last attempt it is a dead letter.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime

import msgspec

from rememora.cancellation import wait_for_end
from rememora.domain.event import SCHEMA, Event
from rememora.domain.retry import retry_at
from rememora.errors import StoreUnavailable
from rememora.events.outbox import subscriber_of
from rememora.events.relay import Listener, Stream, Subscriber, offer, stream_of
from rememora.ports.outside import Clock
from rememora.ports.stream import Delivery, EventStream
from rememora.settings import EventSettings

WAIT_SECONDS = 1.0


async def join(
    stream: EventStream,
    group: str,
    listener: Listener,
    *,
    types: Iterable[str] | None,
    from_start: bool,
    schema: int = SCHEMA,
) -> Subscriber:
    """Join a group; a new group receives events from now on, or all that are still in the stream."""
    subscriber = subscriber_of(group, listener, types, schema)
    await stream.begin(group, from_start=from_start)
    return subscriber


class Tries(msgspec.Struct, frozen=True):
    """Number of times an event was refused here, and the time of its next attempt."""

    count: int
    due_at: datetime


class Consumer:
    """One consumer of a group, under a name of its own."""

    def __init__(
        self, stream: EventStream, subscriber: Subscriber, *, name: str, settings: EventSettings, clock: Clock
    ) -> None:
        self._stream = stream
        self._subscriber = subscriber
        self.name = name
        self._settings = settings
        self._clock = clock
        self._tries: dict[str, Tries] = {}

    async def step(self) -> bool:
        """Run a round that waits for events; another may follow at once."""
        await self._round(wait_seconds=WAIT_SECONDS)
        return True

    async def settle(self) -> bool:
        """Run a round that waits for nothing; True if there may be more."""
        return await self._round(wait_seconds=0)

    async def _round(self, *, wait_seconds: float) -> bool:
        group, most = self._subscriber.name, self._settings.batch
        await self._stream.claim(group, self.name, limit=most)
        held = await self._stream.taken(group, self.name, limit=most)
        due = any(self._is_due(delivery) for delivery in held)
        fresh: list[Delivery] = []
        if len(held) < most:
            wait = 0 if due else wait_seconds
            fresh = await self._stream.take(group, self.name, limit=most, wait_seconds=wait)
        async with self._kept([*held, *fresh]):
            done = await self._offer_all([*held, *fresh])
        await self._stream.done(group, done)
        return bool(done)

    @asynccontextmanager
    async def _kept(self, deliveries: Sequence[Delivery]) -> AsyncIterator[None]:
        """Keep other consumers from taking over while a slow listener works."""
        over = asyncio.Event()
        task = asyncio.create_task(self._beat([delivery.place for delivery in deliveries], over))
        try:
            yield
        finally:
            over.set()
            try:
                await wait_for_end(task)
            finally:
                # A cancelled caller must not leave the renewal running.
                task.cancel()

    async def _beat(self, places: Sequence[str], over: asyncio.Event) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._stream.claim_seconds / 3):
                    await over.wait()
            if over.is_set():
                return
            # A stream that is away gives nothing to anybody else either.
            with suppress(StoreUnavailable):
                await self._stream.keep(self._subscriber.name, self.name, places)

    async def _offer_all(self, deliveries: Sequence[Delivery]) -> list[str]:
        """Return the positions of finished events; the others stay taken."""
        done: list[str] = []
        # Order holds within a stream (one user's conversation): after an event that was not taken, later ones
        # of its stream wait, and other streams go on.
        blocked: set[Stream] = set()
        for delivery in deliveries:
            event = delivery.event
            if event is None or not self._subscriber.wants(event):
                done.append(delivery.place)
            elif stream_of(event) in blocked or not self._is_due(delivery):
                blocked.add(stream_of(event))
            elif await self._heard(delivery, event):
                done.append(delivery.place)
            else:
                blocked.add(stream_of(event))
        for place in done:
            self._tries.pop(place, None)
        return done

    async def _heard(self, delivery: Delivery, event: Event) -> bool:
        error = await offer(self._subscriber, event, self._settings)
        if error is None:
            return True
        count = self._count(delivery) + 1
        if count < self._settings.attempts:
            due_at = retry_at(self._clock(), count, self._settings)
            self._tries[delivery.place] = Tries(count, due_at)
            return False
        await self._stream.bury(self._subscriber.name, delivery, error=type(error).__name__)
        return True

    def _count(self, delivery: Delivery) -> int:
        tries = self._tries.get(delivery.place)
        return 0 if tries is None else tries.count

    def _is_due(self, delivery: Delivery) -> bool:
        tries = self._tries.get(delivery.place)
        return tries is None or tries.due_at <= self._clock()
