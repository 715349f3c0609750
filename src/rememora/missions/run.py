"""The small runtime of missions: a query through the five layers to an answer with its account (W)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from functools import partial

from rememora.domain.ids import new_id
from rememora.domain.mission import Mission
from rememora.domain.scope import Scope
from rememora.errors import MissionRefused, NotFound
from rememora.missions.agents import Account, Agent, Options, Outcome
from rememora.missions.board import Board, Closing
from rememora.missions.bus import Bus, Ids, through
from rememora.missions.intake import read_intake
from rememora.missions.layers import answer, conduct, coordinate, orchestrate, take_in
from rememora.missions.stage import Desk, Stage, Team
from rememora.ports.missions import MissionStore
from rememora.ports.outside import Clock
from rememora.settings import Missions as MissionSettings


class Missions:
    """Missions of one process over one store: the board, the bus, and the running of them."""

    def __init__(
        self,
        store: MissionStore,
        *,
        clock: Clock,
        ids: Ids = new_id,
        settings: MissionSettings | None = None,
    ) -> None:
        self.settings = settings or MissionSettings()
        self.board = Board(store, clock=clock, ids=ids, settings=self.settings)
        self.bus = Bus(store, clock=clock, ids=ids, settings=self.settings)
        self._clock = clock

    async def run(
        self,
        scope: Scope,
        query: str,
        *,
        coordinators: Mapping[str, Agent],
        executors: Mapping[str, Agent],
        options: Options | None = None,
    ) -> Outcome:
        """Take a query through intake, orchestrator, bus, coordinators and executors to its answer."""
        options = options or Options()
        team = Team(coordinators=coordinators, executors=executors)
        mission = await self.board.create(
            scope,
            query,
            intake=read_intake(query, coordinators),
            terms=options.terms,
            fallbacks=options.fallbacks,
        )
        desk = Desk(board=self.board, bus=self.bus, clock=self._clock)
        stage = Stage(mission, desk=desk, team=team, options=options)
        stage.conduct = partial(conduct, stage)
        try:
            return await self._run(stage)
        except BaseException:
            # Cancelled, or the fault of a host's function: either way nobody works on it any more.
            with suppress(NotFound):
                await through(self.board.close(stage.scope, stage.mission_id, "failed"))
            raise

    async def _run(self, stage: Stage) -> Outcome:
        work = asyncio.create_task(_layers(stage))
        watch = asyncio.create_task(self._watch(stage))
        try:
            while not work.done() and not watch.done():
                # Asked again each round: choosing a complexity moves the deadline.
                left = (stage.deadline - self._clock()).total_seconds()
                if left <= 0:
                    break
                await asyncio.wait({work, watch}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stalled = watch.done() and not work.done()
            ended = work.done()
            for task in (work, watch):
                task.cancel()
            await asyncio.gather(work, watch, return_exceptions=True)
        return await self._close(stage, work if ended else None, stalled=stalled)

    async def _watch(self, stage: Stage) -> None:
        """End calls that outlived their time; return when the mission has stalled."""
        while True:
            await asyncio.sleep(self.settings.stall_seconds / 2)
            if (await self.bus.check(stage.scope, stage.mission_id)).stall:
                return

    async def _close(self, stage: Stage, work: asyncio.Task[str] | None, *, stalled: bool) -> Outcome:
        late = self._clock() >= stage.deadline
        status, text = _verdict(stage, work, stalled=stalled, late=late)
        await self.board.close(stage.scope, stage.mission_id, status)
        mission = await self.board.get(stage.scope, stage.mission_id)
        if status == "completed" and self.settings.delete_delay_seconds == 0:
            await self.board.delete(stage.scope, stage.mission_id)
        return Outcome(
            mission_id=stage.mission_id,
            status=mission.status,
            answer=text,
            account=account(mission, (self._clock() - mission.created_at).total_seconds()),
            warnings=tuple(stage.warnings),
        )


def account(mission: Mission, elapsed_s: float) -> Account:
    """Return what a mission used, and who stood in for whom."""
    runs = [run for each in mission.coordinators.values() for run in each.runs.values()]
    return Account(
        tokens=mission.orchestrator.spent.tokens,
        calls=mission.orchestrator.spent.calls,
        messages=mission.bus.totals.sent,
        elapsed_s=elapsed_s,
        fallbacks=tuple(run.fallback for run in runs if run.fallback),
        refused={str(reason): count for reason, count in mission.bus.totals.refused.items()},
    )


async def _layers(stage: Stage) -> str:
    intake = await take_in(stage)
    lead = await orchestrate(stage, intake)
    return await answer(stage, await coordinate(stage, lead))


def _verdict(
    stage: Stage, work: asyncio.Task[str] | None, *, stalled: bool, late: bool
) -> tuple[Closing, str | None]:
    if stalled:
        stage.warnings.append("nothing moved any more")
        return "failed", None
    if work is None:
        stage.warnings.append("the mission's time was over")
        return "timeout", None
    error = work.exception()
    if isinstance(error, MissionRefused):
        stage.warnings.append(str(error))
        return "timeout" if late else "failed", None
    if error is not None:
        raise error
    return "completed", work.result()
