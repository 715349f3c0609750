"""The handle on missions: open one, write to its board by path, send through its bus, close it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rememora.domain.mission import Mission
from rememora.domain.mission_bus import Message as Call
from rememora.domain.scope import Scope
from rememora.missions import Bus, Report, Send, Terms
from rememora.missions.board import BoardAct, Closing
from rememora.telemetry import MISSION, spanned
from rememora.wiring import Parts


class UserMissions:
    """The missions that work on one user's requests."""

    def __init__(self, parts: Parts, scope: Scope) -> None:
        self._missions = parts.missions
        self._scope = scope

    @spanned(MISSION)
    async def create(self, query: str, *, conversation: str | None = None, terms: Terms | None = None) -> Mission:
        """Open a mission for a query, under terms of time and budget."""
        scope = self._scope if conversation is None else self._scope.within(conversation)
        return await self._missions.create(scope, query, terms=terms)

    async def get(self, mission: str) -> Mission:
        """The mission as it is now."""
        return await self._missions.board(self._scope, mission).get()

    async def active(self, *, limit: int = 50) -> list[Mission]:
        """The active missions, newest first."""
        return await self._missions.find_active(self._scope, limit=limit)

    async def update(self, mission: str, changes: Mapping[str, object]) -> Mission:
        """Put values at paths, all of them or none."""
        return await self._missions.board(self._scope, mission).update(changes)

    async def act(self, mission: str, act: BoardAct, path: str, value: Any = 1) -> float:
        """Push to a list, increment a number or pull from a list; returns what stands there, or how many."""
        board = self._missions.board(self._scope, mission)
        if act == "push":
            return await board.push(path, value)
        if act == "pull":
            return await board.pull(path, value)
        return await board.increment(path, value)

    @spanned(MISSION)
    async def send(self, mission: str, send: Send) -> Call:
        """Admit a call of one agent to another, or refuse it by name."""
        return await self._bus(mission).send(send)

    async def settle(self, mission: str, message: str, report: Report) -> bool:
        """End a call with what it really used."""
        return await self._bus(mission).settle(message, report)

    async def close(self, mission: str, status: Closing = "completed") -> bool:
        """End an active mission; says whether it was still active."""
        return await self._missions.board(self._scope, mission).close(status)

    async def delete(self, mission: str) -> bool:
        """Remove a mission and everything in it; says whether there was one."""
        return await self._missions.board(self._scope, mission).delete()

    def _bus(self, mission: str) -> Bus:
        return self._missions.bus(self._scope, mission)
