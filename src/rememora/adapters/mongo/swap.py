"""Compare and swap: the changes that wait for one mission are planned one after another and kept in one write."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final, TypeVar

from rememora.adapters.mission_queue import AppliedChanges, MissionQueue, QueuedChange, apply_changes
from rememora.adapters.mongo.documents import Document, mission_of, sections_of, standing_of, untold_of
from rememora.adapters.mongo.operators import plan_update
from rememora.adapters.mongo.server import MissionCollection, asking
from rememora.domain.mission import Mission, MissionChange
from rememora.domain.mission_codec import dump
from rememora.domain.moment import to_micros
from rememora.domain.scope import Scope
from rememora.errors import NotFound, StoreUnavailable
from rememora.ports.outside import Clock

T = TypeVar("T")
Place = dict[str, str]

ATTEMPTS: Final = 200
PAUSE_SECONDS: Final = 0.002


class OptimisticUpdates:
    """Per mission one line of changes in this process; other processes are met by comparing the revision."""

    def __init__(
        self, server: MissionCollection, *, clock: Clock, committed: Callable[[Place], Awaitable[None]]
    ) -> None:
        self._server = server
        self._clock = clock
        self._committed = committed
        self._line_up = MissionQueue()

    async def change(self, scope: Scope, place: Place, plan: Callable[[Mission], MissionChange[T]]) -> T:
        """Wait in line, and return what the plan answered once it is kept."""
        return await self._line_up.change(tuple(place.values()), scope, plan, partial(self._kept, place))

    async def close(self) -> None:
        """Finish what was asked for."""
        await self._line_up.close()

    async def _kept(self, place: Place, batch: Sequence[QueuedChange]) -> AppliedChanges:
        missions = await self._server.missions()
        for attempt in range(ATTEMPTS):
            now = self._clock()
            there = {**place, "gone": {"$exists": False}, "expires_at": {"$gt": to_micros(now)}}
            with asking():
                document = await missions.find_one(there)
            if document is None:
                raise NotFound("mission", place["mission"])
            drawn = apply_changes(mission_of(document), batch, at=now)
            update = _update(document, drawn)
            if not update:
                return drawn
            # Compare and swap: the revision that was read must still be there. Another process may have changed
            # it.
            same = {"_id": document["_id"], "tenant": place["tenant"], "revision": document["revision"], **there}
            with asking():
                swapped = await missions.update_one(same, update)
            if swapped.matched_count:
                if drawn.events:
                    await self._committed(place)
                return drawn
            await asyncio.sleep(random.uniform(0, PAUSE_SECONDS * min(attempt + 1, 16)))
        raise StoreUnavailable("too many processes change this mission at once")


def _update(document: Document, drawn: AppliedChanges) -> Document:
    update: Document = {}
    if drawn.changes:
        update = plan_update(document["sections"], sections_of(dump(drawn.mission, before=drawn.before)))
        update.setdefault("$set", {}).update(standing_of(drawn.mission))
        update.setdefault("$inc", {})["revision"] = drawn.changes
    if drawn.events:
        update.setdefault("$push", {})["untold"] = {"$each": untold_of(drawn.events)}
    return update
