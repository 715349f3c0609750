"""The board of missions: open one, write to it by path, close it, take it away (W1, W2, W9)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, Literal

from msgspec.structs import replace

from rememora.domain.event import (
    MissionCompleted,
    MissionCreated,
    MissionDeleted,
    MissionFailed,
    MissionTimedOut,
)
from rememora.domain.ids import new_id
from rememora.domain.mission import Mission, Step
from rememora.domain.mission_bus import MessageBus
from rememora.domain.mission_intake import Intake
from rememora.domain.mission_path import increment, pull, push, read, update
from rememora.domain.scope import Scope
from rememora.errors import MissionRefused
from rememora.missions.bus import Also, Ids
from rememora.missions.limits import Terms, held_to
from rememora.ports.missions import MissionStore
from rememora.ports.outside import Clock
from rememora.settings import Missions as MissionSettings

Closing = Literal["completed", "timeout", "failed"]
_CLOSED_AS: Final[Mapping[Closing, type[MissionCompleted | MissionFailed | MissionTimedOut]]] = {
    "completed": MissionCompleted,
    "timeout": MissionTimedOut,
    "failed": MissionFailed,
}


class Board:
    """Missions as documents; every call is atomic, and a write that breaks the schema changes nothing."""

    def __init__(
        self, store: MissionStore, *, clock: Clock, ids: Ids = new_id, settings: MissionSettings | None = None
    ) -> None:
        self._store = store
        self._clock = clock
        self._ids = ids
        self._settings = settings or MissionSettings()

    async def create(
        self,
        scope: Scope,
        query: str,
        *,
        intake: Intake | None = None,
        terms: Terms | None = None,
        fallbacks: Mapping[str, str] | None = None,
    ) -> Mission:
        """Open a mission for a query, under terms, with the agents that stand in for others."""
        now = self._clock()
        mission = Mission(
            id=self._ids(),
            tenant=scope.tenant,
            user=scope.user,
            session=scope.conversation,
            created_at=now,
            expires_at=now + timedelta(seconds=self._settings.ttl_seconds),
            intake=replace(intake, query=query) if intake else Intake(query=query),
            orchestrator=held_to(terms or Terms(), since=now),
            bus=MessageBus(fallbacks=dict(fallbacks or {}), progress_at=now),
        )
        await self._store.create(scope, mission, events=(MissionCreated(mission_id=mission.id),))
        return mission

    async def get(self, scope: Scope, mission_id: str) -> Mission:
        """Return the mission as it is now."""
        return await self._store.get(scope, mission_id)

    async def read(self, scope: Scope, mission_id: str, path: str) -> Any:
        """Return what stands at `path`."""
        return read(await self._store.get(scope, mission_id), path)

    async def update(self, scope: Scope, mission_id: str, changes: Mapping[str, object]) -> None:
        """Put values at paths, all of them or none."""
        await self.amend(scope, mission_id, partial(_update_all, changes=changes))

    async def push(self, scope: Scope, mission_id: str, path: str, *, item: object) -> int:
        """Add `item` to the list at `path`; return how many it has now."""
        after = await self.amend(scope, mission_id, partial(push, path=path, item=item))
        return len(read(after, path))

    async def increment(self, scope: Scope, mission_id: str, path: str, *, by: float = 1) -> float:
        """Add `by` to the number at `path`; return what it is now."""
        after = await self.amend(scope, mission_id, partial(increment, path=path, by=by))
        number: float = read(after, path)
        return number

    async def pull(self, scope: Scope, mission_id: str, path: str, *, match: object) -> int:
        """Take what is like `match` out of the list at `path`; return how many it has left."""
        after = await self.amend(scope, mission_id, partial(pull, path=path, match=match))
        return len(read(after, path))

    async def amend(self, scope: Scope, mission_id: str, change: Also) -> Mission:
        """Apply a pure change to an active mission and return it as it became."""
        return await self._store.change(scope, mission_id, partial(_amend, change=change))

    async def close(self, scope: Scope, mission_id: str, status: Closing) -> bool:
        """End an active mission; say whether it was still active."""
        plan = partial(plan_close, status=status, now=self._clock())
        return await self._store.change(scope, mission_id, plan)

    async def delete(self, scope: Scope, mission_id: str) -> bool:
        """Remove the mission and everything in it; say whether there was one."""
        return await self._store.delete(scope, mission_id, events=(MissionDeleted(mission_id=mission_id),))

    async def find_active(self, scope: Scope, *, limit: int = 50) -> list[Mission]:
        """Return this scope's active missions, newest first."""
        return await self._store.find_active(scope, limit=limit)


def plan_close(mission: Mission, *, status: Closing, now: datetime) -> Step[bool]:
    """End a mission once, with its account."""
    if mission.status != "active":
        return Step(outcome=False)
    closed = replace(mission, status=status, closed_at=now)
    spent = mission.orchestrator.spent
    event = _CLOSED_AS[status](mission_id=mission.id, tokens=spent.tokens, calls=spent.calls)
    return Step(outcome=True, mission=closed, events=(event,))


def _amend(mission: Mission, *, change: Also) -> Step[Mission]:
    if mission.status != "active":
        raise MissionRefused(mission.id, f"the mission is {mission.status}")
    after = change(mission)
    return Step(outcome=after, mission=after)


def _update_all(mission: Mission, *, changes: Mapping[str, object]) -> Mission:
    for path, value in changes.items():
        mission = update(mission, path, value)
    return mission
