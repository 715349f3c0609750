"""Missions in Redis: a hash each with its own time to live, changed by compare and swap, listed in sorted sets."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, TypeVar

import msgspec
from msgspec.structs import replace

from rememora.adapters.mission_queue import AppliedChanges, MissionQueue, QueuedChange, apply_changes
from rememora.adapters.redis import mission_scripts as scripts
from rememora.adapters.redis.client import RedisClient, Word
from rememora.adapters.redis.keys import member_parts, mission_member, missions_key, quoted, tenants_key
from rememora.domain.event import Event, Payload, event_of
from rememora.domain.ids import new_id
from rememora.domain.mission import Due, Mission, MissionChange, Status
from rememora.domain.mission_codec import SECTIONS, dump, load
from rememora.domain.mission_limits import Cutoffs
from rememora.domain.moment import to_micros, to_moment
from rememora.domain.scope import SHARED, Scope
from rememora.errors import Conflict, NotFound, StoreUnavailable
from rememora.ports.missions import Tell
from rememora.ports.outside import Clock

logger = logging.getLogger(__name__)
T = TypeVar("T")

ATTEMPTS: Final = 200
PAUSE_SECONDS: Final = 0.002
TELLING_MS: Final = 30_000
HUSH_SECONDS: Final = 0.02
TOGETHER: Final = 200
FIRST_STATUS: Final = 6
REMEMBERED: Final = timedelta(days=1)
_events = msgspec.json.Decoder(Event).decode


class RedisMissions:
    """The mission store over one Redis; it fails closed: what Redis has lost is lost, and nothing is guessed."""

    def __init__(self, line: RedisClient, *, prefix: str, clock: Clock, tell: Tell) -> None:
        self._line = line
        self._prefix = prefix
        self._clock = clock
        self._tell = tell
        self._line_up = MissionQueue()

    async def create(self, scope: Scope, mission: Mission, *, events: Sequence[Payload] = ()) -> Mission:
        now = self._clock()
        sections = dump(mission)
        await self._remove_expired(scope.tenant, now)
        await self._line.call("ZADD", tenants_key(self._prefix), to_micros(now), scope.tenant)
        letters = [_letter(event_of(mission.scope, event, at=now)) for event in events]
        left_ms = max(1, (mission.expires_at - now) // timedelta(milliseconds=1))
        created, expires = to_micros(mission.created_at), to_micros(mission.expires_at)
        about = msgspec.json.encode([mission.session, created])
        member = mission_member(scope.user, mission.id)
        listed = _listed(mission)
        words: tuple[Word, ...] = (
            member,
            quoted(mission.id),
            about,
            created,
            expires,
            left_ms,
            *listed,
            len(letters),
            *letters,
        )
        fields = _fields({**_standing(mission), "created_at": created, "expires_at": expires}, sections)
        if not await self._line.run(scripts.CREATE, self._keys(scope, mission.id), *words, *fields):
            raise Conflict(f"mission {mission.id} already exists")
        await self._pass_on(scope.tenant, letters)
        return mission

    async def get(self, scope: Scope, mission_id: str) -> Mission:
        mission = await self._find(scope, mission_id)
        if mission is None or scope.conversation not in (None, mission.session):
            raise NotFound("mission", mission_id)
        return mission

    async def change(self, scope: Scope, mission_id: str, *, plan: Callable[[Mission], MissionChange[T]]) -> T:
        whose = scope.person()
        key = self._keys(whose, mission_id)[0]
        return await self._line_up.change(key, scope, plan, partial(self._swap, whose, mission_id))

    async def delete(self, scope: Scope, mission_id: str, *, events: Sequence[Payload] = ()) -> bool:
        keys, member = self._keys(scope, mission_id), mission_member(scope.user, mission_id)
        about = await self._line.ask("HGET", keys[2], member)
        session = msgspec.json.decode(about)[0] if about else None
        if about is None or scope.conversation not in (None, session):
            return False
        place, now = Scope(scope.tenant, scope.user, session), self._clock()
        letters = [_letter(event_of(place, event, at=now)) for event in events]
        gone = await self._line.run(scripts.DELETE, keys, member, quoted(mission_id), len(letters), *letters)
        await self._pass_on(scope.tenant, letters)
        return bool(gone)

    async def erase(self, scope: Scope) -> int:
        if scope.user == SHARED:
            return await self._erase_tenant(scope.tenant)
        gone = sum([await self.delete(scope, mission_id) for mission_id in await self._of_user(scope)])
        await self._stop_telling(scope.tenant, scope.user, scope.conversation or "")
        return gone

    async def find_active(self, scope: Scope, *, limit: int = 50) -> list[Mission]:
        whose = scope.person()
        active: list[Mission] = []
        for mission_id in await self._of_user(scope):
            mission = await self._find(whose, mission_id)
            if mission and mission.status == "active" and scope.conversation in (None, mission.session):
                active.append(mission)
            if len(active) == limit:
                break
        return active

    async def find_active_everywhere(self, *, limit: int = 50) -> list[Mission]:
        missions: list[Mission] = []
        for tenant in await self._tenants():
            active = self._list(tenant, "active")
            for member in await self._line.ask("ZREVRANGE", active, 0, limit - 1):
                user, mission_id = member_parts(member.decode())
                mission = await self._find(Scope(tenant, user), mission_id)
                missions += [mission] if mission else []
        return sorted(missions, key=lambda mission: (mission.created_at, mission.id), reverse=True)[:limit]

    async def find_expired_everywhere(self, due: Cutoffs, *, limit: int = 200) -> list[Due]:
        ends = (due.now, due.active_before, due.completed_before, due.closed_before, due.closed_before)
        # One end per list, in the order of the keys: lifetimes first, then the statuses as `STATUSES` has them.
        moments = [to_micros(end) for end in ends]
        expired: list[tuple[int, str, Due]] = []
        for tenant in await self._tenants():
            keys = [self._list(tenant, name) for name in ("where", "lives", *scripts.STATUSES)]
            rows = await self._line.run(scripts.DUE, keys, *moments, limit, reading=True)
            expired += [_due(tenant, *row) for row in rows]
        # Each tenant answered with its own oldest; together they may be more than `limit`.
        oldest = [mission for *_, mission in sorted(expired, key=lambda row: row[:2])][:limit]
        return [mission if await self._stands(mission) else replace(mission, expired=True) for mission in oldest]

    async def scrub_everywhere(self) -> None:
        """Publish events of a dead process, and forget tenants without missions; memory keeps no trace."""
        for tenant in await self._tenants():
            await self._pass_on(tenant, ["whatever is left"])
        old = to_micros(self._clock() - REMEMBERED)
        await self._line.call("ZREMRANGEBYSCORE", tenants_key(self._prefix), "-inf", old)

    async def close(self) -> None:
        await self._line_up.close()
        await self._line.close()

    async def _stands(self, due: Due) -> bool:
        """Return whether there is still something to time out; a mission that Redis has lost is only forgotten."""
        whose = Scope(due.scope.tenant, due.scope.user)
        return due.expired or due.status != "active" or await self._find(whose, due.mission_id) is not None

    async def _find(self, scope: Scope, mission_id: str) -> Mission | None:
        pairs = await self._line.run(scripts.GET, self._keys(scope, mission_id)[:1], reading=True)
        if not pairs:
            return None
        mission = _mission(scope, mission_id, dict(zip(pairs[::2], pairs[1::2], strict=True)))
        return mission if mission.expires_at > self._clock() else None

    async def _swap(self, scope: Scope, mission_id: str, batch: Sequence[QueuedChange]) -> AppliedChanges:
        keys, member = self._keys(scope, mission_id), mission_member(scope.user, mission_id)
        for attempt in range(ATTEMPTS):
            before = await self._find(scope, mission_id)
            if before is None:
                raise NotFound("mission", mission_id)
            # Changes are planned on what was read, and the script takes them only if the revision is unchanged.
            drawn = apply_changes(before, batch, at=self._clock())
            after, letters = drawn.mission, [_letter(event) for event in drawn.events]
            fields = _fields(_standing(after), dump(after, before=before)) if after is not before else []
            if not fields and not letters:
                return drawn
            words: tuple[Word, ...] = (member, before.revision, *_listed(after), len(letters), *letters)
            swapped = await self._line.run(scripts.SWAP, keys, *words, *fields)
            if swapped < 0:
                raise NotFound("mission", mission_id)
            if swapped:
                await self._pass_on(scope.tenant, letters)
                return drawn
            await asyncio.sleep(random.uniform(0, PAUSE_SECONDS * min(attempt + 1, 16)))
        raise StoreUnavailable("too many processes change this mission at once")

    async def _remove_expired(self, tenant: str, now: datetime) -> None:
        """The lists' part of the time to live, which Redis does for the missions themselves."""
        lives = self._list(tenant, "lives")
        for member in await self._line.ask("ZRANGEBYSCORE", lives, "-inf", to_micros(now), "LIMIT", 0, TOGETHER):
            user, mission_id = member_parts(member.decode())
            keys = self._keys(Scope(tenant, user), mission_id)
            await self._line.run(scripts.DELETE, keys, member, quoted(mission_id), 0)

    async def _pass_on(self, tenant: str, waiting: Sequence[object]) -> None:
        """Put the events that wait with a tenant's missions into the outbox; what fails here the sweep does."""
        keys, left = [self._list(tenant, name) for name in ("untold", "telling")], len(waiting)
        try:
            while left:
                # One process at a time, under a lock that ends by itself. Events leave the list only once they are
                # in the outbox, so that a process that dies here loses none.
                who = new_id()
                letters = await self._line.run(scripts.TAKE, keys, who, TELLING_MS, TOGETHER)
                count, error = await self._tell_some([_events(letter) for letter in letters])
                left = await self._line.run(scripts.TOLD, keys, who, count) if letters else 0
                if error is not None:
                    raise error
        except StoreUnavailable:
            logger.warning("events of missions wait for the next sweep")

    async def _tell_some(self, events: Sequence[Event]) -> tuple[int, StoreUnavailable | None]:
        """Return how many events were published before they expired, or the outbox failed."""
        until = time.monotonic() + TELLING_MS / 2000
        for number, event in enumerate(events):
            if time.monotonic() > until:
                # Soon somebody else may be at it, or may erase it.
                return number, None
            try:
                await self._tell(Scope(event.tenant, event.user, event.conversation), [event])
            except StoreUnavailable as error:
                return number, error
        return len(events), None

    async def _stop_telling(self, tenant: str, user: str = "", conversation: str = "") -> None:
        """Let no more be told of the erased; what is told just now is waited for, and the store erases it."""
        keys = [self._list(tenant, name) for name in ("untold", "telling")]
        give_up_at = time.monotonic() + 2 * TELLING_MS / 1000
        while await self._line.run(scripts.HUSH, keys, new_id(), TELLING_MS, user, conversation) < 0:
            if time.monotonic() > give_up_at:
                raise StoreUnavailable("events of missions are published without end")
            await asyncio.sleep(HUSH_SECONDS)

    async def _erase_tenant(self, tenant: str) -> int:
        """Every user's missions, what waits to be told of them, and that there was such a tenant."""
        members = await self._line.ask("HKEYS", self._list(tenant, "where"))
        whose = [member_parts(member.decode()) for member in members]
        gone = sum([await self.delete(Scope(tenant, user), mission_id) for user, mission_id in whose])
        await self._stop_telling(tenant)
        await self._line.call("ZREM", tenants_key(self._prefix), tenant)
        return gone

    async def _of_user(self, scope: Scope) -> list[str]:
        ids = await self._line.ask("ZREVRANGE", self._list(scope.tenant, f"user:{quoted(scope.user)}"), 0, -1)
        return [member_parts(f"/{id_.decode()}")[1] for id_ in ids]

    async def _tenants(self) -> list[str]:
        return [tenant.decode() for tenant in await self._line.ask("ZRANGE", tenants_key(self._prefix), 0, -1)]

    def _keys(self, scope: Scope, mission_id: str) -> list[str]:
        member = mission_member(scope.user, mission_id)
        names = (f"of:{member}", f"user:{quoted(scope.user)}", "where", "lives", "untold", *scripts.STATUSES)
        return [self._list(scope.tenant, name) for name in names]

    def _list(self, tenant: str, what: str) -> str:
        return missions_key(self._prefix, tenant, what)


def _letter(event: Event) -> bytes:
    return msgspec.json.encode(event)


def _listed(mission: Mission) -> tuple[int, int]:
    """In which list a mission stands by its status, and as what."""
    place = FIRST_STATUS + scripts.STATUSES.index(mission.status)
    return place, to_micros(mission.closed_at or mission.created_at)


def _standing(mission: Mission) -> dict[str, Word]:
    closed = "" if mission.closed_at is None else to_micros(mission.closed_at)
    about: dict[str, Word] = {"status": mission.status, "revision": mission.revision, "closed_at": closed}
    return about | {"session": mission.session or ""}


def _fields(current: dict[str, Word], sections: dict[str, bytes]) -> list[Word]:
    return [word for pair in (*current.items(), *sections.items()) for word in pair]


def _mission(scope: Scope, mission_id: str, fields: dict[bytes, bytes]) -> Mission:
    closed_at = fields[b"closed_at"]
    head: dict[str, Any] = {
        "id": mission_id,
        "tenant": scope.tenant,
        "user": scope.user,
        "session": fields[b"session"].decode() or None,
        "status": fields[b"status"].decode(),
        "revision": int(fields[b"revision"]),
        "created_at": to_moment(int(fields[b"created_at"])),
        "expires_at": to_moment(int(fields[b"expires_at"])),
        "closed_at": to_moment(int(closed_at)) if closed_at else None,
    }
    return load(head, {name: fields[name.encode()] for name in SECTIONS})


def _due(tenant: str, member: bytes, place: int, about: bytes) -> tuple[int, str, Due]:
    """Place 0 are the expired, however they stood; the others are listed by status."""
    user, mission_id = member_parts(member.decode())
    session, created = msgspec.json.decode(about) if about else (None, 0)
    status: Status = "active" if place == 0 else scripts.STATUSES[place - 1]
    scope = Scope(tenant, user, session)
    return created, mission_id, Due(scope=scope, mission_id=mission_id, status=status, expired=place == 0)
