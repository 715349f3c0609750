"""Port of mission stores: few primitives, each atomic, so that any engine can implement them.

Update by path, push, increment and pull are pure functions of a mission (`domain.mission_path`);
`change` commits them, and everything the bus decides, without losing concurrent writes.
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
"""Puts events into the store's outbox, for a mission store on another engine."""


class MissionStore(Protocol):
    """Keeps missions for their few minutes; after its `expires_at` a mission is not found."""

    async def create(self, scope: Scope, mission: Mission, *, events: Sequence[Payload] = ()) -> Mission:
        """Store a new mission and return it; `Conflict` if this user has one with that id.

        If a mission was already created under the idempotency key, that one is returned.
        """

    async def get(self, scope: Scope, mission_id: str) -> Mission:
        """Return the current mission; `NotFound` if it does not exist or belongs to another scope."""

    async def change(self, scope: Scope, mission_id: str, *, plan: Callable[[Mission], MissionChange[T]]) -> T:
        """Run `plan` on the current mission and store its decision, isolated from other writers.

        `plan` is pure: an engine that compares and swaps calls it again after losing a race.
        If it raises, or the mission breaks the schema, nothing changes.
        """

    async def delete(self, scope: Scope, mission_id: str, *, events: Sequence[Payload] = ()) -> bool:
        """Delete the mission completely; return whether there was one."""

    async def erase(self, scope: Scope) -> int:
        """Delete all missions of a user, a conversation, or a whole tenant (`SHARED`); return the count."""

    async def find_active(self, scope: Scope, *, limit: int = 50) -> list[Mission]:
        """Return this scope's active missions, newest first."""

    async def find_active_everywhere(self, *, limit: int = 50) -> list[Mission]:
        """List active missions of every tenant, newest first; for operators."""

    async def find_expired_everywhere(self, due: Cutoffs, *, limit: int = 200) -> list[Due]:
        """List due missions of every tenant, oldest first; for the sweep."""

    async def scrub_everywhere(self) -> None:
        """Remove every byte of deleted missions from the engine's files and logs; for the sweep."""

    async def close(self) -> None:
        """Close the engine, if it belongs to the missions alone."""
