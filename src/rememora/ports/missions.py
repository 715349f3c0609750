"""The seam of mission stores: few primitives, each atomic, so that any engine can offer them.

Update by path, push, increment and pull are pure functions of a mission (`domain.mission_path`);
`change` commits them, and everything the bus decides, without losing what others wrote meanwhile.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

from rememora.domain.event import Event, Payload
from rememora.domain.mission import Due, Mission, MissionChange
from rememora.domain.mission_limits import Cutoffs
from rememora.domain.scope import Scope

T = TypeVar("T")

Tell = Callable[[Scope, Sequence[Event]], Awaitable[None]]
"""Puts events into the store's outbox: how a mission store on another engine passes on what it kept."""


class MissionStore(Protocol):
    """Keeps missions for the minutes they live; one past its `expires_at` is not there any more."""

    async def create(self, scope: Scope, mission: Mission, *, events: Sequence[Payload] = ()) -> Mission:
        """Keep a new mission and return it; `Conflict` if this user has one of that id.

        Under an idempotency key whose mission was made before, that one is returned.
        """
        ...

    async def get(self, scope: Scope, mission_id: str) -> Mission:
        """Return the mission as it is now; `NotFound` if it is not there or not this scope's."""
        ...

    async def change(self, scope: Scope, mission_id: str, *, plan: Callable[[Mission], MissionChange[T]]) -> T:
        """Run `plan` on the mission as it is and keep what it decided, as if nobody else were writing.

        `plan` is pure: an engine that compares and swaps calls it again when it lost the race.
        What it raises, and a mission that breaks the schema, leaves everything as it was.
        """
        ...

    async def delete(self, scope: Scope, mission_id: str, *, events: Sequence[Payload] = ()) -> bool:
        """Remove the mission so that nothing of it remains; say whether there was one."""
        ...

    async def erase(self, scope: Scope) -> int:
        """Remove every mission of a user, of one conversation, or of a whole tenant (`SHARED`); say how many."""
        ...

    async def find_active(self, scope: Scope, *, limit: int = 50) -> list[Mission]:
        """Return this scope's active missions, newest first."""
        ...

    async def find_active_everywhere(self, *, limit: int = 50) -> list[Mission]:
        """Return active missions of every tenant, newest first: an operator's call."""
        ...

    async def find_expired_everywhere(self, due: Cutoffs, *, limit: int = 200) -> list[Due]:
        """Return missions of every tenant whose time has come, oldest first: the sweep's call."""
        ...

    async def scrub_everywhere(self) -> None:
        """Leave no byte of what was deleted in the engine's files and logs: the sweep's call."""
        ...

    async def close(self) -> None:
        """Let go of the engine, where it is the missions' own."""
        ...
