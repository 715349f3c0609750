"""Events over a Redis stream: added by the relay, read by consumer groups, taken over from consumers that died."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from rememora.adapters.redis.client import RedisClient, Script
from rememora.adapters.redis.keys import erased_event_keys, stream_key
from rememora.domain.event import Event
from rememora.domain.moment import to_micros
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import SHARED, Scope
from rememora.errors import StoreUnavailable
from rememora.ports.stream import Delivery
from rememora.settings import RedisSettings

# As a script, for the package reads the bare places that come back as if they were events.
_KEEP = Script("return #redis.call('XCLAIM', KEYS[1], unpack(ARGV))")
GONE_SECONDS = 60 * 60
"""For how long nothing is added of what was erased: longer than any relay has an event in hand."""

PAGE = 500

# What was erased while a relay had it in hand is not added any more.
_ADD = Script("""
for place = 2, #KEYS do
  local gone = redis.call('GET', KEYS[place])
  if gone and tonumber(ARGV[1]) < tonumber(gone) then return 0 end
end
redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], '*', unpack(ARGV, 3))
return 1
""")

# One page from a place on: which place was the last, and how many entries were taken away.
_ERASE = Script("""
local doomed, gone, last = cjson.decode(ARGV[5]), 0, ''
local memories, keys = {}, {}
for _, id in ipairs(doomed.memories) do memories[id] = true end
for _, key in ipairs(doomed.keys) do keys[key] = true end
local function speaks(told)
  if ARGV[4] ~= '' and told.user ~= ARGV[4] then return false end
  if doomed.person or (ARGV[6] ~= '' and told.conversation == ARGV[6]) then return true end
  local payload = told.payload or {}
  return memories[payload.memory or ''] or keys[payload.key or '']
end
for _, entry in ipairs(redis.call('XRANGE', KEYS[1], ARGV[1], '+', 'COUNT', ARGV[2])) do
  last = entry[1]
  local fields = {}
  for place = 1, #entry[2], 2 do fields[entry[2][place]] = entry[2][place + 1] end
  if fields.tenant == ARGV[3] and fields.event and speaks(cjson.decode(fields.event)) then
    gone = gone + redis.call('XDEL', KEYS[1], last)
  end
end
return {last, gone}
""")
_event = msgspec.json.Decoder(Event).decode


class RedisStream:
    """One stream of every tenant's events; as a listener it adds, as a stream it is read."""

    def __init__(self, line: RedisClient, settings: RedisSettings) -> None:
        self._line = line
        self._key = stream_key(settings.prefix, settings.stream)
        self._dead = stream_key(settings.prefix, f"{settings.stream}.dead")
        self._prefix = settings.prefix
        self.length = settings.stream_length
        self.claim_seconds = settings.claim_seconds

    async def __call__(self, event: Event) -> None:
        await self._add(self._key, event)

    async def ready(self) -> bool:
        """Return whether events can be added: an outage is waited out and costs no event a try."""
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

    async def erase(self, scope: Scope, plan: ErasurePlan, *, before: datetime) -> int:
        whole = scope.user == SHARED
        if plan.person or plan.conversation is not None:
            # A mark that consumers check: events of the erased that are already in their hands are dropped
            # there. The width says whether tenant, user or conversation.
            width = 0 if whole else 1 if plan.person else 2
            place = Scope(scope.tenant, scope.user, plan.conversation)
            key = erased_event_keys(self._prefix, place)[width]
            await self._line.call("SET", key, to_micros(before), "EX", GONE_SECONDS)
        reach = msgspec.json.encode(plan)
        who = "" if whole else scope.user
        return sum([await self._erase(key, scope.tenant, who, reach, plan) for key in (self._key, self._dead)])

    async def _erase(self, key: str, tenant: str, user: str, reach: bytes, plan: ErasurePlan) -> int:
        """Page by page, so that nobody waits for long."""
        gone, start = 0, "-"
        while True:
            words = (start, PAGE, tenant, user, reach, plan.conversation or "")
            last, some = await self._line.run(_ERASE, [key], *words)
            gone += int(some)
            if not last:
                return gone
            start = f"({last.decode()}"

    async def _add(self, key: str, event: Event, *more: str) -> None:
        body = msgspec.json.encode(event)
        about = ("id", event.id, "type", event.type, "tenant", event.tenant)
        keys = [key, *erased_event_keys(self._prefix, Scope(event.tenant, event.user, event.conversation))]
        happened = to_micros(event.occurred_at)
        await self._line.run(_ADD, keys, happened, self.length, *about, *more, "event", body)

    async def _read(self, group: str, consumer: str, *how: str | int) -> list[Delivery]:
        answer = await self._known(group, "XREADGROUP", "GROUP", group, consumer, *how)
        entries = answer[0][1] if answer else []
        return [Delivery(place.decode(), _event_of(fields)) for place, fields in entries]

    async def _known(self, group: str, *command: str | int) -> Any:
        """A command of a group; one that Redis has forgotten reads all that was added since."""
        try:
            return await self._line.call(*command)
        except StoreUnavailable as error:
            if not _says(error, "NOGROUP"):
                raise
            await self.begin(group, from_start=True)
            return None


def _event_of(fields: dict[bytes, bytes] | None) -> Event | None:
    body = (fields or {}).get(b"event")
    return None if body is None else _event(body)


def _says(error: StoreUnavailable, word: str) -> bool:
    return str(error.__cause__).startswith(word)
