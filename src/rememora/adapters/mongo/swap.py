"""Compare and swap: the changes that wait for one mission are planned one after another and kept in one write."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any, Final, TypeVar

import msgspec

from rememora.adapters.mongo.documents import Document, mission_of, sections_of, standing_of, untold_of
from rememora.adapters.mongo.operators import plan_update
from rememora.adapters.mongo.server import Server, asking
from rememora.domain.event import Event, event_of
from rememora.domain.mission import Mission, Step
from rememora.domain.mission_codec import dump
from rememora.domain.moment import to_micros
from rememora.domain.scope import Scope
from rememora.errors import NotFound, StoreUnavailable
from rememora.ports.outside import Clock

T = TypeVar("T")
Place = dict[str, str]

TOGETHER: Final = 64
ATTEMPTS: Final = 200
PAUSE_SECONDS: Final = 0.002


class Waiting(msgspec.Struct, frozen=True):
    """A change that somebody waits for."""

    scope: Scope
    plan: Callable[[Mission], Step[Any]]
    outcome: asyncio.Future[Any]


class Drawn(msgspec.Struct):
    """What a row of plans came to: the mission after them, what to tell, and what each answered."""

    before: Mission
    mission: Mission
    events: list[Event]
    answers: list[tuple[Waiting, Any, BaseException | None]]
    changes: int = 0


class Swaps:
    """Per mission one line of changes in this process; other processes are met by comparing the revision."""

    def __init__(self, server: Server, *, clock: Clock, committed: Callable[[Place], Awaitable[None]]) -> None:
        self._server = server
        self._clock = clock
        self._committed = committed
        self._lines: dict[tuple[str, ...], deque[Waiting]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def change(self, scope: Scope, place: Place, plan: Callable[[Mission], Step[T]]) -> T:
        """Wait in line, and return what the plan answered once it is kept."""
        outcome: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        key = tuple(place.values())
        waiting = Waiting(scope, plan, outcome)
        if (line := self._lines.get(key)) is not None:
            line.append(waiting)
        else:
            self._lines[key] = deque([waiting])
            task = asyncio.create_task(self._serve(key, place))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return await outcome

    async def close(self) -> None:
        """Finish what was asked for."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, key: tuple[str, ...], place: Place) -> None:
        line = self._lines[key]
        try:
            while line:
                batch = [line.popleft() for _ in range(min(TOGETHER, len(line)))]
                await self._settle(place, [each for each in batch if not each.outcome.done()])
        finally:
            del self._lines[key]
            for left in line:
                left.outcome.cancel()

    async def _settle(self, place: Place, batch: Sequence[Waiting]) -> None:
        try:
            answers = await self._kept(place, batch) if batch else []
        except Exception as error:
            # Whatever it is, those who wait must learn of it.
            answers = [(each, None, error) for each in batch]
        except asyncio.CancelledError:
            for each in batch:
                each.outcome.cancel()
            raise
        for waiting, answer, fault in answers:
            if waiting.outcome.done():
                continue
            if fault is None:
                waiting.outcome.set_result(answer)
            else:
                waiting.outcome.set_exception(fault)

    async def _kept(
        self, place: Place, batch: Sequence[Waiting]
    ) -> list[tuple[Waiting, Any, BaseException | None]]:
        missions = await self._server.missions()
        for attempt in range(ATTEMPTS):
            now = self._clock()
            there = {**place, "gone": {"$exists": False}, "expires_at": {"$gt": to_micros(now)}}
            with asking():
                document = await missions.find_one(there)
            if document is None:
                raise NotFound("mission", place["mission"])
            drawn = draw(document, batch, at=now)
            update = _update(document, drawn)
            if not update:
                return drawn.answers
            same = {"_id": document["_id"], "tenant": place["tenant"], "revision": document["revision"], **there}
            with asking():
                swapped = await missions.update_one(same, update)
            if swapped.matched_count:
                if drawn.events:
                    await self._committed(place)
                return drawn.answers
            await asyncio.sleep(random.uniform(0, PAUSE_SECONDS * min(attempt + 1, 16)))
        raise StoreUnavailable("too many processes change this mission at once")


def draw(document: Document, batch: Sequence[Waiting], *, at: datetime) -> Drawn:
    """Run the plans in their order, each on what the one before it left; one that raises changes nothing."""
    before = mission_of(document)
    drawn = Drawn(before=before, mission=before, events=[], answers=[])
    for waiting in batch:
        try:
            step = _step(drawn.mission, waiting)
        except Exception as error:
            # A plan is the caller's: whatever it raises is its own, and goes back to it alone.
            drawn.answers.append((waiting, None, error))
            continue
        drawn.answers.append((waiting, step.outcome, None))
        drawn.events += [event_of(drawn.mission.scope, each, at=at) for each in step.events]
        if step.mission is not None:
            drawn.changes += 1
            drawn.mission = msgspec.structs.replace(step.mission, revision=drawn.mission.revision + 1)
    return drawn


def _step(mission: Mission, waiting: Waiting) -> Step[Any]:
    if waiting.scope.conversation not in (None, mission.session):
        raise NotFound("mission", mission.id)
    step = waiting.plan(mission)
    if step.mission is not None:
        dump(step.mission, before=mission)
    return step


def _update(document: Document, drawn: Drawn) -> Document:
    update: Document = {}
    if drawn.changes:
        update = plan_update(document["sections"], sections_of(dump(drawn.mission, before=drawn.before)))
        update.setdefault("$set", {}).update(standing_of(drawn.mission))
        update.setdefault("$inc", {})["revision"] = drawn.changes
    if drawn.events:
        update.setdefault("$push", {})["untold"] = {"$each": untold_of(drawn.events)}
    return update
