"""Running a mission: its layers under a deadline, and always an end (W)."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial

from rememora.cancellation import run_to_end
from rememora.domain.mission import Mission
from rememora.errors import MissionRefused, NotFound
from rememora.missions.agents import MissionCost, MissionOutcome
from rememora.missions.board import Closing
from rememora.missions.layers import answer, coordinate, orchestrate, take_in
from rememora.missions.mission_run import MissionRun
from rememora.missions.record import with_error
from rememora.settings import MissionSettings


async def play(stage: MissionRun, settings: MissionSettings) -> MissionOutcome:
    """Run a mission to its end; if it is cancelled, or a host's function fails, it is closed as failed."""
    try:
        work, stalled = await _race(stage, settings)
        return await _end(stage, work, stalled=stalled, keep=settings.delete_delay_seconds > 0)
    except BaseException as error:
        # Whatever it was, nobody works on this mission any more.
        with suppress(NotFound, MissionRefused):
            await run_to_end(_fail(stage, type(error).__name__))
        raise


async def _fail(stage: MissionRun, error: str) -> None:
    await stage.board.amend(partial(with_error, error=error))
    await stage.board.close("failed")


async def _race(stage: MissionRun, settings: MissionSettings) -> tuple[asyncio.Task[str] | None, bool]:
    """Run the layers under the deadline and the watch; return their result if they ended first."""
    work = asyncio.create_task(_layers(stage))
    watch = asyncio.create_task(_watch(stage, settings.stall_seconds / 2))
    try:
        while not work.done() and not watch.done():
            # Asked again each round: choosing a complexity moves the deadline.
            left = (stage.deadline - stage.clock()).total_seconds()
            if left <= 0:
                break
            await asyncio.wait({work, watch}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
    finally:
        ended, stalled = work.done(), watch.done() and not work.done()
        for task in (work, watch):
            task.cancel()
        await asyncio.gather(work, watch, return_exceptions=True)
    return (work if ended else None), stalled


async def _layers(stage: MissionRun) -> str:
    intake = await take_in(stage)
    lead = await orchestrate(stage, intake)
    return await answer(stage, await coordinate(stage, lead))


async def _watch(stage: MissionRun, every_s: float) -> None:
    """End overdue calls; return when the mission has stalled."""
    while True:
        await asyncio.sleep(every_s)
        if (await stage.bus.check()).stall:
            return


async def _end(stage: MissionRun, work: asyncio.Task[str] | None, *, stalled: bool, keep: bool) -> MissionOutcome:
    status, text = _verdict(stage, work, stalled=stalled)
    if status != "completed":
        # Others may have closed or swept it meanwhile; then nobody is left to be told.
        with suppress(NotFound, MissionRefused):
            await stage.board.amend(partial(with_error, error=stage.warnings[-1]))
    await stage.board.close(status)
    mission = await stage.board.get()
    if status == "completed" and not keep:
        await stage.board.delete()
    return MissionOutcome(
        mission_id=mission.id,
        status=mission.status,
        answer=text,
        account=account(mission, (stage.clock() - mission.created_at).total_seconds()),
        warnings=tuple(stage.warnings),
    )


def _verdict(stage: MissionRun, work: asyncio.Task[str] | None, *, stalled: bool) -> tuple[Closing, str | None]:
    # Stall, time and refusal are expected ends of a mission and become its status; anything else is an error of
    # ours.
    if stalled:
        stage.warnings.append("nothing moved any more")
        return "failed", None
    if work is None:
        stage.warnings.append("the mission's time was over")
        return "timeout", None
    error = work.exception()
    if isinstance(error, MissionRefused):
        stage.warnings.append(str(error))
        return ("timeout" if stage.clock() >= stage.deadline else "failed"), None
    if error is not None:
        raise error
    return "completed", work.result()


def account(mission: Mission, elapsed_s: float) -> MissionCost:
    """Return what a mission used, and which fallbacks were used."""
    runs = [run for coordinator in mission.coordinators.values() for run in coordinator.runs.values()]
    return MissionCost(
        tokens=mission.orchestrator.spent.tokens,
        calls=mission.orchestrator.spent.calls,
        messages=mission.bus.totals.sent,
        elapsed_s=elapsed_s,
        fallbacks=tuple(run.fallback for run in runs if run.fallback),
        refused={str(reason): count for reason, count in mission.bus.totals.refused.items()},
    )
