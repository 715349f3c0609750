"""Entry point of missions: open one, get its board and its bus, run one from query to answer, sweep."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from msgspec.structs import replace

from rememora.domain.check import check_whole
from rememora.domain.event import MissionCreated
from rememora.domain.ids import new_id
from rememora.domain.mission import Mission
from rememora.domain.mission_intake import Classification, CoordinatorCandidate, Intake, Kind
from rememora.domain.scope import Scope
from rememora.language import fold
from rememora.missions.agents import Agent, MissionOutcome, Options
from rememora.missions.board import Board, draft
from rememora.missions.bus import Bus, Ids
from rememora.missions.layers import conduct
from rememora.missions.limits import Terms
from rememora.missions.mission_run import MissionRun, Team
from rememora.missions.run import play
from rememora.missions.sweep import Swept, sweep
from rememora.ports.missions import MissionStore
from rememora.ports.outside import Clock
from rememora.settings import MissionSettings

# Shorter ones tell no mission from another.
_WORD = re.compile(r"\w{3,}")


PAGE_LIMIT = 1000


class Missions:
    """Missions of one process over one store."""

    def __init__(
        self,
        store: MissionStore,
        *,
        clock: Clock,
        ids: Ids = new_id,
        settings: MissionSettings | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._ids = ids
        self._settings = settings or MissionSettings()

    @property
    def store(self) -> MissionStore:
        """Return the store of the missions."""
        return self._store

    async def create(
        self,
        scope: Scope,
        query: str,
        *,
        intake: Intake | None = None,
        terms: Terms | None = None,
        fallbacks: Mapping[str, str] | None = None,
    ) -> Mission:
        """Open a mission for a query, with limits and fallbacks."""
        mission = draft(
            scope,
            replace(intake, query=query) if intake else Intake(query=query),
            id=self._ids(),
            now=self._clock(),
            terms=terms or Terms(),
            ttl_s=self._settings.ttl_seconds,
        )
        mission = replace(mission, bus=replace(mission.bus, fallbacks=dict(fallbacks or {})))
        return await self._store.create(scope, mission, events=(MissionCreated(mission_id=mission.id),))

    def board(self, scope: Scope, mission_id: str) -> Board:
        """Return the board of one mission."""
        return Board(self._store, scope, mission_id=mission_id, clock=self._clock)

    def bus(self, scope: Scope, mission_id: str) -> Bus:
        """Return the bus of one mission."""
        return Bus(
            self._store,
            scope,
            mission_id=mission_id,
            clock=self._clock,
            ids=self._ids,
            settings=self._settings,
        )

    async def find_active(self, scope: Scope, *, limit: int = 50) -> list[Mission]:
        """Return this scope's active missions, newest first."""
        check_whole("limit", limit, 1, PAGE_LIMIT)
        return await self._store.find_active(scope, limit=limit)

    async def find_active_of(self, tenant: str, *, limit: int = 50) -> list[Mission]:
        """List a tenant's active missions of all users, newest first; for overseers."""
        check_whole("limit", limit, 1, PAGE_LIMIT)
        missions = await self._store.find_active_everywhere(limit=PAGE_LIMIT)
        return [mission for mission in missions if mission.tenant == tenant][:limit]

    async def sweep(self) -> Swept:
        """Sweep once over everything that is due, of every tenant; called by the worker each minute."""
        return await sweep(self._store, now=self._clock(), settings=self._settings)

    async def run(
        self,
        scope: Scope,
        query: str,
        *,
        coordinators: Mapping[str, Agent],
        executors: Mapping[str, Agent],
        options: Options | None = None,
    ) -> MissionOutcome:
        """Run a query through intake, orchestrator, bus, coordinators and executors to its answer."""
        options = options or Options()
        team = Team(coordinators=coordinators, executors=executors)
        intake = read_intake(query, coordinators)
        mission = await self.create(scope, query, intake=intake, terms=options.terms, fallbacks=options.fallbacks)
        board, bus = self.board(mission.scope, mission.id), self.bus(mission.scope, mission.id)
        stage = MissionRun(mission, board=board, bus=bus, clock=self._clock, team=team, options=options)
        stage.conduct = partial(conduct, stage)
        return await play(stage, self._settings)


def read_intake(query: str, coordinators: Mapping[str, Callable[..., Any]]) -> Intake:
    """Score each coordinator by the query's words found in its name and docstring."""
    words = _words(query)
    scored = [_candidate(name, agent, words) for name, agent in coordinators.items()]
    # Sorting is stable: equals stay in the order they were given.
    candidates = tuple(sorted(scored, key=lambda candidate: -candidate.score))
    best = candidates[0] if candidates else None
    return Intake(
        query=query,
        classification=Classification(kind=_kind(words, best), domain=best.coordinator if best else None),
        candidates=candidates,
    )


def _candidate(name: str, agent: Callable[..., Any], words: frozenset[str]) -> CoordinatorCandidate:
    purpose = _words(f"{name.replace('_', ' ')} {inspect.getdoc(agent) or ''}")
    shared = sorted(words & purpose)
    score = len(shared) * 100 // max(1, len(words))
    return CoordinatorCandidate(coordinator=name, score=score, reason=f"knows {len(shared)} of {len(words)} words")


def _kind(words: frozenset[str], best: CoordinatorCandidate | None) -> Kind:
    if best is None or not words:
        return "entry"
    if len(words) <= 2:
        return "trivial" if best.score == 0 else "simple"
    return "complex"


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(fold(text)))
