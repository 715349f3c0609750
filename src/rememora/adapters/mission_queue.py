"""Changes that wait for one mission in this process: planned one after another, kept in one write."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Sequence
from datetime import datetime
from typing import Any, Final, TypeVar

import msgspec

from rememora.domain.event import Event, event_of
from rememora.domain.mission import Mission, MissionChange
from rememora.domain.mission_codec import dump
from rememora.domain.scope import Scope
from rememora.errors import NotFound

T = TypeVar("T")
TOGETHER: Final = 64


class QueuedChange(msgspec.Struct, frozen=True):
    """A change that somebody waits for."""

    scope: Scope
    plan: Callable[[Mission], MissionChange[Any]]
    outcome: asyncio.Future[Any]


class AppliedChanges(msgspec.Struct):
    """Result of a series of plans: the changed mission, the events to publish, and each plan's answer."""

    before: Mission
    mission: Mission
    events: list[Event]
    answers: list[tuple[QueuedChange, Any, BaseException | None]]

    @property
    def changes(self) -> int:
        """Return the number of plans that changed the mission."""
        return self.mission.revision - self.before.revision


Keep = Callable[[Sequence[QueuedChange]], Awaitable[AppliedChanges]]


class MissionQueue:
    """One queue of changes per mission; the first in it applies the changes of all who join meanwhile."""

    def __init__(self) -> None:
        self._lines: dict[Hashable, deque[QueuedChange]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def change(
        self, key: Hashable, scope: Scope, plan: Callable[[Mission], MissionChange[T]], keep: Keep
    ) -> T:
        """Wait in line, and return what the plan answered once it is kept."""
        outcome: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        waiting = QueuedChange(scope, plan, outcome)
        if (line := self._lines.get(key)) is not None:
            line.append(waiting)
        else:
            self._lines[key] = deque([waiting])
            task = asyncio.create_task(self._serve(key, keep))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return await outcome

    async def close(self) -> None:
        """Finish what was asked for."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, key: Hashable, keep: Keep) -> None:
        line = self._lines[key]
        try:
            while line:
                # Requests that queued up meanwhile share one write; those whose caller has gone are left out.
                batch = [line.popleft() for _ in range(min(TOGETHER, len(line)))]
                await _settle([request for request in batch if not request.outcome.done()], keep)
        finally:
            del self._lines[key]
            for left in line:
                left.outcome.cancel()


async def _settle(batch: Sequence[QueuedChange], keep: Keep) -> None:
    try:
        answers = (await keep(batch)).answers if batch else []
    except Exception as error:
        # Whatever it is, those who wait must learn of it.
        answers = [(queued_change, None, error) for queued_change in batch]
    except asyncio.CancelledError:
        for queued_change in batch:
            queued_change.outcome.cancel()
        raise
    for waiting, answer, fault in answers:
        if waiting.outcome.done():
            continue
        if fault is None:
            waiting.outcome.set_result(answer)
        else:
            waiting.outcome.set_exception(fault)


def apply_changes(before: Mission, batch: Sequence[QueuedChange], *, at: datetime) -> AppliedChanges:
    """Run the plans in their order, each on what the one before it left; one that raises changes nothing."""
    drawn = AppliedChanges(before=before, mission=before, events=[], answers=[])
    for waiting in batch:
        try:
            step = _step(drawn.mission, waiting)
        except Exception as error:
            # A plan is the caller's: whatever it raises is its own, and goes back to it alone.
            drawn.answers.append((waiting, None, error))
            continue
        drawn.answers.append((waiting, step.outcome, None))
        drawn.events += [event_of(before.scope, event, at=at) for event in step.events]
        if step.mission is not None:
            drawn.mission = msgspec.structs.replace(step.mission, revision=drawn.mission.revision + 1)
    return drawn


def _step(mission: Mission, waiting: QueuedChange) -> MissionChange[Any]:
    if waiting.scope.conversation not in (None, mission.session):
        raise NotFound("mission", mission.id)
    step = waiting.plan(mission)
    if step.mission is not None:
        dump(step.mission, before=mission)
    return step
