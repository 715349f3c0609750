"""Missions of one user: a team of agents working on one request, separate from history and knowledge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rememora.domain.memory import MemoryDraft, Outcome
from rememora.domain.mission import Mission
from rememora.domain.mission_intake import Intake
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.domain.verdict import Origin
from rememora.knowledge import keep
from rememora.missions.agents import Agent, Options
from rememora.missions.agents import MissionOutcome as Answered
from rememora.missions.board import Board
from rememora.missions.bus import Bus
from rememora.missions.limits import Terms
from rememora.missions.promote import Promotion, promote
from rememora.telemetry import MISSION, spanned
from rememora.wiring.parts import Parts


class UserMissions:
    """The missions of one user; each is deleted once its answer is sent."""

    def __init__(self, parts: Parts, scope: Scope, actor: Actor) -> None:
        self._parts = parts
        self._scope = scope
        self._actor = actor

    @spanned(MISSION)
    async def run(
        self,
        query: str,
        *,
        coordinators: Mapping[str, Agent],
        executors: Mapping[str, Agent],
        options: Options | None = None,
        session: str | None = None,
    ) -> Answered:
        """Run a query through the layers, with async functions as agents, and return its answer and usage."""
        desk, scope = self._parts.missions, self._within(session)
        return await desk.run(scope, query, coordinators=coordinators, executors=executors, options=options)

    @spanned(MISSION)
    async def create(
        self,
        query: str,
        *,
        intake: Intake | None = None,
        terms: Terms | None = None,
        fallbacks: Mapping[str, str] | None = None,
        session: str | None = None,
    ) -> Mission:
        """Open a mission whose layers you control yourself through its board and its bus."""
        desk, scope = self._parts.missions, self._within(session)
        return await desk.create(scope, query, intake=intake, terms=terms, fallbacks=fallbacks)

    async def get(self, mission: str) -> Mission:
        """Return the whole document of one mission."""
        return await self.board(mission).get()

    async def active(self, *, limit: int = 50, session: str | None = None) -> list[Mission]:
        """List the active missions, newest first, of one session or of all."""
        return await self._parts.missions.find_active(self._within(session), limit=limit)

    async def delete(self, mission: str) -> bool:
        """Delete a mission early; False when there is none."""
        return await self.board(mission).delete()

    async def promote(self, mission: str, *, path: str, key: str) -> Outcome:
        """Keep one result as a memory, if the gate allows it; its source is the agent, not the user."""

        async def gate(scope: Scope, promotion: Promotion) -> Outcome:
            draft = MemoryDraft(
                key=promotion.key,
                value=promotion.value,
                source="inferred",
                source_ref=promotion.source_ref,
                origin=Origin.ASSISTANT,
            )
            return await keep.remember(self._parts.desk, scope, draft, actor=self._actor)

        store = self._parts.missions.store
        return await promote(store, self._scope, mission, path=path, key=key, gate=gate)

    def _within(self, session: str | None) -> Scope:
        return self._scope if session is None else self._scope.within(session)

    def board(self, mission: str) -> Board:
        """Return the board of one mission, for atomic changes by path; async."""
        return self._parts.missions.board(self._scope, mission)

    def bus(self, mission: str) -> Bus:
        """Return the message bus of one mission, which enforces its limits; async."""
        return self._parts.missions.bus(self._scope, mission)

    async def debug(self, mission: str) -> dict[str, Any]:
        """Return the stored document and what is left of its limits; only with `missions.debug`."""
        return await self._parts.debug.mission(self._scope, mission)
