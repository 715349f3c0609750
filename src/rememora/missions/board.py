"""The board of missions: open one, write to it by path, close it, delete it (W1, W2, W9)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, Literal

from msgspec.structs import replace

from rememora.domain.event import (
    MissionCompleted,
    MissionDeleted,
    MissionFailed,
    MissionTimedOut,
)
from rememora.domain.mission import Mission, MissionChange
from rememora.domain.mission_bus import MessageBus
from rememora.domain.mission_intake import Intake
from rememora.domain.mission_path import increment, pull, push, read, update
from rememora.domain.scope import Scope
from rememora.errors import MissionRefused
from rememora.missions.bus import Also
from rememora.missions.limits import Terms, held_to
from rememora.ports.missions import MissionStore
from rememora.ports.outside import Clock

Closing = Literal["completed", "timeout", "failed"]
# A mission ends with exactly one of these events, in the transaction that closes it.
_CLOSED_AS: Final[Mapping[Closing, type[MissionCompleted | MissionFailed | MissionTimedOut]]] = {
    "completed": MissionCompleted,
    "timeout": MissionTimedOut,
    "failed": MissionFailed,
}


class Board:
    """One mission as a document; every call is atomic, and a write that breaks the schema changes nothing."""

    def __init__(self, store: MissionStore, scope: Scope, *, mission_id: str, clock: Clock) -> None:
        self._store = store
        self._scope = scope
        self._mission_id = mission_id
        self._clock = clock

    async def get(self) -> Mission:
        """Return the current mission."""
        return await self._store.get(self._scope, self._mission_id)

    async def read(self, path: str) -> Any:
        """Return the value at `path`."""
        return read(await self.get(), path)

    async def update(self, changes: Mapping[str, object]) -> Mission:
        """Set values at paths, all or none."""
        return await self.amend(partial(_update_all, changes=changes))

    async def push(self, path: str, item: object) -> int:
        """Append `item` to the list at `path`; return its new length."""
        return len(read(await self.amend(partial(push, path=path, item=item)), path))

    async def increment(self, path: str, by: float = 1) -> float:
        """Add `by` to the number at `path`; return its new value."""
        number: float = read(await self.amend(partial(increment, path=path, by=by)), path)
        return number

    async def pull(self, path: str, match: object) -> int:
        """Remove what matches from the list at `path`; return its new length."""
        return len(read(await self.amend(partial(pull, path=path, match=match)), path) or ())

    async def amend(self, change: Also) -> Mission:
        """Apply a pure change to an active mission and return the result."""
        return await self._store.change(self._scope, self._mission_id, plan=partial(_amend, change=change))

    async def close(self, status: Closing) -> bool:
        """End an active mission; return whether it was still active."""
        plan = partial(plan_close, status=status, now=self._clock())
        return await self._store.change(self._scope, self._mission_id, plan=plan)

    async def delete(self) -> bool:
        """Delete the mission and everything in it; return whether there was one."""
        events = (MissionDeleted(mission_id=self._mission_id),)
        return await self._store.delete(self._scope, self._mission_id, events=events)


def draft(scope: Scope, intake: Intake, *, id: str, now: datetime, terms: Terms, ttl_s: float) -> Mission:
    """Return a mission that begins now, with its limits."""
    return Mission(
        id=id,
        tenant=scope.tenant,
        user=scope.user,
        session=scope.conversation,
        created_at=now,
        expires_at=now + timedelta(seconds=ttl_s),
        intake=intake,
        orchestrator=held_to(terms, since=now),
        bus=MessageBus(progress_at=now),
    )


def plan_close(mission: Mission, *, status: Closing, now: datetime) -> MissionChange[bool]:
    """End a mission once, with its usage."""
    if mission.status != "active":
        return MissionChange(outcome=False)
    closed = replace(mission, status=status, closed_at=now)
    spent = mission.orchestrator.spent
    event = _CLOSED_AS[status](mission_id=mission.id, tokens=spent.tokens, calls=spent.calls)
    return MissionChange(outcome=True, mission=closed, events=(event,))


def _amend(mission: Mission, *, change: Also) -> MissionChange[Mission]:
    if mission.status != "active":
        raise MissionRefused(mission.id, f"the mission is {mission.status}")
    after = change(mission)
    return MissionChange(outcome=after, mission=after)


def _update_all(mission: Mission, *, changes: Mapping[str, object]) -> Mission:
    for path, value in changes.items():
        mission = update(mission, path, value)
    return mission
