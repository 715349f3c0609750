"""Events over a Redis stream: added by the relay, read by consumer groups, taken over from consumers that died."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from rememora.adapters.redis.client import Line, Script
from rememora.adapters.redis.keys import stream_key
from rememora.domain.event import Event
from rememora.errors import StoreUnavailable
from rememora.ports.stream import Delivery
from rememora.settings import Redis as RedisSettings

# As a script, for the package reads the bare places that come back as if they were events.
_KEEP = Script("return #redis.call('XCLAIM', KEYS[1], unpack(ARGV))")
_event = msgspec.json.Decoder(Event).decode


class RedisStream:
    """One stream of every tenant's events; as a listener it adds, as a stream it is read."""

    def __init__(self, line: Line, settings: RedisSettings) -> None:
        self._line = line
        self._key = stream_key(settings.prefix, settings.stream)
        self._dead = stream_key(settings.prefix, f"{settings.stream}.dead")
        self._length = settings.stream_length
        self.claim_seconds = settings.claim_seconds

    async def __call__(self, event: Event) -> None:
        await self._add(self._key, event)

    async def ready(self) -> bool:
        """Whether events can be added: an outage is waited out and costs no event a try."""
        try:
            await self._line.ask("EXISTS", self._key)
        except StoreUnavailable:
            return False
        return True

    async def begin(self, group: str, *, from_start: bool) -> None:
        try:
            await self._line.call("XGROUP", "CREATE", self._key, group, "0" if from_start else "$", "MKSTREAM")
        except StoreUnavailable as error:
            if not _says(error, "BUSYGROUP"):
                raise

    async def claim(self, group: str, consumer: str, *, limit: int) -> None:
        idle = max(1, int(self.claim_seconds * 1000))
        await self._known(group, "XAUTOCLAIM", self._key, group, consumer, idle, "0-0", "COUNT", limit)

    async def taken(self, group: str, consumer: str, *, limit: int) -> list[Delivery]:
        return await self._read(group, consumer, "COUNT", limit, "STREAMS", self._key, "0")

    async def take(self, group: str, consumer: str, *, limit: int, wait_seconds: float) -> list[Delivery]:
        wait = ("BLOCK", int(wait_seconds * 1000)) if wait_seconds else ()
        return await self._read(group, consumer, "COUNT", limit, *wait, "STREAMS", self._key, ">")

    async def keep(self, group: str, consumer: str, places: Sequence[str]) -> None:
        if places:
            await self._line.run(_KEEP, [self._key], group, consumer, 0, *places, "JUSTID")

    async def done(self, group: str, places: Sequence[str]) -> None:
        if places:
            await self._known(group, "XACK", self._key, group, *places)

    async def bury(self, group: str, delivery: Delivery, *, error: str) -> None:
        if delivery.event is not None:
            await self._add(self._dead, delivery.event, "group", group, "error", error)
        await self.done(group, [delivery.place])

    async def close(self) -> None:
        """Let go of the connections."""
        await self._line.close()

    async def _add(self, key: str, event: Event, *more: str) -> None:
        body = msgspec.json.encode(event)
        about = ("id", event.id, "type", event.type, "tenant", event.tenant)
        await self._line.call("XADD", key, "MAXLEN", "~", self._length, "*", *about, *more, "event", body)

    async def _read(self, group: str, consumer: str, *how: str | int) -> list[Delivery]:
        found = await self._known(group, "XREADGROUP", "GROUP", group, consumer, *how)
        entries = found[0][1] if found else []
        return [Delivery(place.decode(), _told(fields)) for place, fields in entries]

    async def _known(self, group: str, *command: str | int) -> Any:
        """A command of a group; one that Redis has forgotten reads all that was added since."""
        try:
            return await self._line.call(*command)
        except StoreUnavailable as error:
            if not _says(error, "NOGROUP"):
                raise
            await self.begin(group, from_start=True)
            return None


def _told(fields: dict[bytes, bytes] | None) -> Event | None:
    body = (fields or {}).get(b"event")
    return None if body is None else _event(body)


def _says(error: StoreUnavailable, word: str) -> bool:
    return str(error.__cause__).startswith(word)
