"""Missions in MongoDB: one document each, changed by compare and swap, its events kept with it until published."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar

from rememora.adapters.mongo.documents import (
    Document,
    document_of,
    due_of,
    events_of,
    mission_of,
    scope_of,
    untold_of,
)
from rememora.adapters.mongo.server import MissionCollection, asking
from rememora.adapters.mongo.swap import OptimisticUpdates, Place
from rememora.domain.event import Payload, event_of
from rememora.domain.ids import new_id
from rememora.domain.mission import Due, Mission, MissionChange
from rememora.domain.mission_codec import dump
from rememora.domain.mission_limits import Cutoffs
from rememora.domain.moment import to_micros
from rememora.domain.scope import SHARED, Scope
from rememora.errors import NotFound, StoreUnavailable
from rememora.ports.missions import Tell
from rememora.ports.outside import Clock

logger = logging.getLogger(__name__)
T = TypeVar("T")

TELLING_SECONDS: Final = 30.0
"""After how long another process tells what a dead one was telling."""
SWEPT_AT_ONCE: Final = 200
_HEAD: Final = {"sections": 0}
_THERE: Final = {"gone": {"$exists": False}}
_GONE: Final = {"gone": True, "untold.id": {"$exists": False}}


class MongoMissions:
    """The mission store over one collection."""

    def __init__(self, server: MissionCollection, *, clock: Clock, tell: Tell) -> None:
        self._server = server
        self._clock = clock
        self._tell = tell
        self._swaps = OptimisticUpdates(server, clock=clock, committed=self._pass_on)

    async def create(self, scope: Scope, mission: Mission, *, events: Sequence[Payload] = ()) -> Mission:
        now = self._clock()
        document = document_of(mission, dump(mission))
        if events:
            document["untold"] = untold_of([event_of(mission.scope, event, at=now) for event in events])
        expired = {"tenant": scope.tenant, "remove_at": {"$lte": now}, "untold.id": {"$exists": False}}
        missions = await self._server.missions()
        with asking():
            # The backstop, should the server's own clock be late.
            await missions.delete_many(expired)
            await missions.insert_one(document)
        if events:
            await self._pass_on(_place(scope, mission.id))
        return mission

    async def get(self, scope: Scope, mission_id: str) -> Mission:
        missions = await self._server.missions()
        condition = {**_place(scope, mission_id), **_within(scope), **self._living()}
        with asking():
            document = await missions.find_one(condition)
        if document is None:
            raise NotFound("mission", mission_id)
        return mission_of(document)

    async def change(self, scope: Scope, mission_id: str, *, plan: Callable[[Mission], MissionChange[T]]) -> T:
        return await self._swaps.change(scope, _place(scope, mission_id), plan)

    async def delete(self, scope: Scope, mission_id: str, *, events: Sequence[Payload] = ()) -> bool:
        missions = await self._server.missions()
        place = _place(scope, mission_id)
        with asking():
            head = await missions.find_one({**place, **_within(scope), **_THERE}, _HEAD)
            if head is None:
                return False
            mark = _emptied(head, events, self._clock())
            marked = await missions.update_one({"_id": head["_id"], "tenant": scope.tenant, **_THERE}, mark)
        if marked.matched_count:
            await self._pass_on(place)
        return bool(marked.matched_count)

    async def erase(self, scope: Scope) -> int:
        missions = await self._server.missions()
        person = {} if scope.user == SHARED else {"user": scope.user}
        whose = {"tenant": scope.tenant, **person, **_within(scope)}
        with asking():
            erased = await missions.delete_many({**whose, **_THERE})
            await missions.delete_many(whose)
        return erased.deleted_count

    async def find_active(self, scope: Scope, *, limit: int = 50) -> list[Mission]:
        return await self._active({"tenant": scope.tenant, "user": scope.user, **_within(scope)}, limit)

    async def find_active_everywhere(self, *, limit: int = 50) -> list[Mission]:
        return await self._active({}, limit)

    async def find_expired_everywhere(self, due: Cutoffs, *, limit: int = 200) -> list[Due]:
        missions = await self._server.missions()
        ends = [
            {"expires_at": {"$lte": to_micros(due.now)}},
            {"status": "active", "created_at": {"$lte": to_micros(due.active_before)}},
            {"status": "completed", "closed_at": {"$lte": to_micros(due.completed_before)}},
            {"status": {"$in": ["timeout", "failed"]}, "closed_at": {"$lte": to_micros(due.closed_before)}},
        ]
        order = [("created_at", 1), ("mission", 1)]
        with asking():
            documents = await missions.find({"$or": ends, **_THERE}, _HEAD).sort(order).limit(limit).to_list()
        return [due_of(document, due.now) for document in documents]

    async def scrub_everywhere(self) -> None:
        """Publish events of a dead process, and delete its empty documents; files are the server's own."""
        missions = await self._server.missions()
        with asking():
            documents = await missions.find({"untold.id": {"$exists": True}}, _HEAD).limit(SWEPT_AT_ONCE).to_list()
        for document in documents:
            await self._pass_on(_place(scope_of(document), document["mission"]))
        with asking():
            await missions.delete_many(_GONE)

    async def close(self) -> None:
        await self._swaps.close()
        await self._server.close()

    async def _active(self, whose: dict[str, Any], limit: int) -> list[Mission]:
        missions = await self._server.missions()
        condition = {**whose, "status": "active", **self._living()}
        order = [("created_at", -1), ("mission", -1)]
        with asking():
            documents = await missions.find(condition).sort(order).limit(limit).to_list()
        return [mission_of(document) for document in documents]

    def _living(self) -> Document:
        return {**_THERE, "expires_at": {"$gt": to_micros(self._clock())}}

    async def _pass_on(self, place: Place) -> None:
        """Put the events that wait with a mission into the outbox; what fails here the sweep makes good."""
        try:
            while await self._tell_once(place):
                pass
        except StoreUnavailable:
            logger.warning("events of a mission wait for the next sweep")

    async def _tell_once(self, place: Place) -> bool:
        """Tell once, unless another process is at it; an emptied document goes with its last event."""
        missions = await self._server.missions()
        now, teller = self._clock(), new_id()
        until = now + timedelta(seconds=TELLING_SECONDS)
        free = {"$or": [{"teller": None}, {"telling_until": {"$lte": to_micros(now)}}]}
        claim = {"$set": {"teller": teller, "telling_until": to_micros(until)}}
        with asking():
            held = await missions.find_one_and_update(
                {**place, "untold.id": {"$exists": True}, **free}, claim, projection=_HEAD
            )
        if held is None:
            with asking():
                await missions.delete_one({**place, **_GONE})
            return False
        events = events_of(held)
        await self._tell(scope_of(held), events)
        taken = {
            "$pull": {"untold": {"id": {"$in": [event.id for event in events]}}},
            "$unset": {"teller": ""},
        }
        with asking():
            await missions.update_one({"_id": held["_id"], "tenant": held["tenant"], "teller": teller}, taken)
        return True


def open_missions(url: str, *, collection: str, clock: Clock, tell: Tell) -> MongoMissions:
    """The mission store at a `mongodb://` URL; the server is asked for when it is first needed."""
    return MongoMissions(MissionCollection(url, collection=collection), clock=clock, tell=tell)


def _place(scope: Scope, mission_id: str) -> Place:
    return {"tenant": scope.tenant, "user": scope.user, "mission": str(mission_id)}


def _within(scope: Scope) -> Document:
    return {} if scope.conversation is None else {"session": scope.conversation}


def _emptied(head: Document, events: Sequence[Payload], now: datetime) -> Document:
    """Nothing of the mission stays but what is still to be told of its end; a change under way loses the race."""
    update: Document = {
        "$set": {"gone": True},
        "$unset": {"sections": "", "status": "", "closed_at": ""},
        "$inc": {"revision": 1},
    }
    if events:
        published = [event_of(scope_of(head), event, at=now) for event in events]
        update["$push"] = {"untold": {"$each": untold_of(published)}}
    return update
