"""One running mission: its agents, which are only reached through the bus."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeVar

import msgspec
from msgspec.structs import replace

from rememora.domain.mission import Mission
from rememora.domain.mission_bus import BusMessage
from rememora.domain.mission_work import Decision, MissionWarning
from rememora.errors import InvalidInput, MissionRefused
from rememora.missions.agents import Agent, AgentQuestion, CallContext, Options, perform
from rememora.missions.board import Board
from rememora.missions.bus import AgentAnswer, Bus, Work
from rememora.missions.guards import CallRequest
from rememora.missions.record import with_notes
from rememora.ports.outside import Clock

T = TypeVar("T")

ORCHESTRATOR: Final = "orchestrator"
ANSWER: Final = "answer"


class Team(msgspec.Struct, frozen=True, kw_only=True):
    """The agents of a mission by name."""

    coordinators: Mapping[str, Agent]
    executors: Mapping[str, Agent]

    def __post_init__(self) -> None:
        names = [*self.coordinators, *self.executors]
        taken = {ORCHESTRATOR, ANSWER, *(name for name in names if names.count(name) > 1)}
        if not self.coordinators:
            raise InvalidInput("coordinators", "a mission needs one")
        if clash := sorted(taken.intersection(names)):
            raise InvalidInput("executors", f"names used twice: {', '.join(clash)}")


class MissionRun:
    """One running mission: who asks whom, with everything recorded."""

    def __init__(
        self, mission: Mission, *, board: Board, bus: Bus, clock: Clock, team: Team, options: Options
    ) -> None:
        self.mission_id = mission.id
        self.query = mission.intake.query
        self.intake = mission.intake
        self.deadline = mission.orchestrator.deadline
        self.board = board
        self.bus = bus
        self.clock = clock
        self.team = team
        self.options = options
        self.warnings: list[str] = []
        self.conduct: Callable[[str, str, Any], Awaitable[Any]] | None = None

    def worker(self, name: str, collected: Mapping[str, Any], *, cycle: int | None = None) -> Work:
        """Return the work of an agent, for the bus to carry out; a coordinator's is done in cycles."""
        agent = self.team.coordinators.get(name) or self.team.executors.get(name)

        async def work(message: BusMessage) -> AgentAnswer:
            if agent is None:
                raise MissionRefused(self.mission_id, f"no such agent: {name}")
            call = CallContext(
                message, query=self.query, collected=collected, ask=self._ask, extend=self.bus.extend
            )
            try:
                return await perform(agent, call)
            finally:
                await self._note(name, call, cycle)

        return work

    async def _ask(self, message: BusMessage, question: AgentQuestion) -> AgentAnswer:
        """Let an agent ask another: a coordinator runs in cycles, an executor is called."""
        if question.to in self.team.coordinators and self.conduct is not None:
            return AgentAnswer(value=await self.conduct(question.to, message.to, question.payload))
        send = CallRequest(
            sender=message.to,
            to=question.to,
            reserve=question.reserve,
            priority=question.priority,
            timeout_s=question.timeout_s,
            payload=question.payload,
        )
        return await self.bus.call(send, self.worker(question.to, {}))

    async def _note(self, name: str, call: CallContext, cycle: int | None) -> None:
        self.warnings += [warning.text for warning in call.warnings]
        # Only coordinators have a section of their own to note them in.
        if name not in self.team.coordinators or not (call.warnings or call.decisions):
            return
        now = self.clock()
        decisions = tuple(
            Decision(what=decision.what, reason=decision.reason, at=now, cycle=cycle, operation=decision.operation)
            for decision in call.decisions
        )
        warnings: tuple[MissionWarning, ...] = tuple(replace(noted, at=now) for noted in call.warnings)
        await self.board.amend(lambda mission: with_notes(mission, name, warnings=warnings, decisions=decisions))


async def attempt(work: Awaitable[T]) -> T | Exception:
    """Await foreign code and return what it raises as a value; cancellation is still raised."""
    (result,) = await asyncio.gather(work, return_exceptions=True)
    if isinstance(result, BaseException) and not isinstance(result, Exception):
        raise result
    return result
