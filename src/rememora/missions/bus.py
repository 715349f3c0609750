"""The message bus of a mission: a forbidden call is refused before it happens (W5, W10)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, TypeVar

import msgspec
from msgspec.structs import replace

from rememora.cancellation import run_to_end
from rememora.domain.check import check_whole
from rememora.domain.ids import new_id
from rememora.domain.mission import Mission, MissionChange
from rememora.domain.mission_bus import BusMessage, Callback, Refused
from rememora.domain.mission_intake import Spend
from rememora.domain.scope import Scope
from rememora.errors import (
    BreakerOpen,
    BudgetExceeded,
    DeadlinePassed,
    DepthExceeded,
    FloodRefused,
    LoopRefused,
    MissionRefused,
)
from rememora.missions.guards import CallRefusal, CallRequest
from rememora.missions.settlement import Checkup, Report, at_worst, plan_check, plan_settle
from rememora.missions.traffic import TakenMessage, plan_collect, plan_extend, plan_send, plan_take
from rememora.ports.missions import MissionStore
from rememora.ports.outside import Clock
from rememora.settings import MissionSettings

T = TypeVar("T")
Ids = Callable[[], str]
Also = Callable[[Mission], Mission]
Starting = Callable[[Mission, BusMessage], Mission]
Work = Callable[[BusMessage], Awaitable["AgentAnswer"]]

# Callers match on the class: each reason that a host may handle differently has its own.
REFUSALS: Final[dict[Refused, type[MissionRefused]]] = {
    "closed": MissionRefused,
    "deadline": DeadlinePassed,
    "flood": FloodRefused,
    "loop": LoopRefused,
    "depth": DepthExceeded,
    "budget": BudgetExceeded,
}


class AgentAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An agent's answer, its sources, and its usage."""

    value: object
    spent: Spend = Spend()
    source: str | None = None
    reliability: int | None = None
    """Reliability of the source, 0 to 100."""
    request_id: str | None = None
    """The agent's own id of the request."""

    def __post_init__(self) -> None:
        # Checked when made: refused at the settlement, it would leave the call's reservation behind.
        if self.reliability is not None:
            check_whole("reliability", self.reliability, 0, 100)


class Bus:
    """Carries the calls of one mission, each decided in one atomic change."""

    def __init__(
        self,
        store: MissionStore,
        scope: Scope,
        *,
        mission_id: str,
        clock: Clock,
        ids: Ids = new_id,
        settings: MissionSettings | None = None,
    ) -> None:
        self._store = store
        self._scope = scope
        self._mission_id = mission_id
        self._clock = clock
        self._ids = ids
        self._settings = settings or MissionSettings()

    async def send(self, send: CallRequest) -> BusMessage:
        """Admit a call and reserve its budget, or raise the `MissionRefused` with the reason."""
        plan = partial(plan_send, send=send, message_id=self._ids(), now=self._clock(), settings=self._settings)
        return self._admitted(await self._change(plan))

    async def take(self, *, sender: str | None = None, also: Starting | None = None) -> TakenMessage | None:
        """Start the next waiting message: critical before high before normal before low, in order within each."""
        take = partial(plan_take, sender=sender, now=self._clock(), settings=self._settings)
        return await self._change(partial(_started, take=take, also=also))

    async def extend(self, message_id: str, more: Spend) -> BusMessage:
        """Reserve more budget for a running call, or raise `BudgetExceeded`."""
        return self._admitted(await self._change(partial(plan_extend, message_id=message_id, more=more)))

    async def settle(self, message_id: str, report: Report, *, also: Also | None = None) -> bool:
        """End a call with its actual usage; `also` records its result in the same change."""
        settle = partial(
            plan_settle, message_id=message_id, report=report, now=self._clock(), settings=self._settings
        )
        return await self._change(partial(_both, settle=settle, also=also))

    async def check(self) -> Checkup:
        """End overdue calls, and look for a stall."""
        return await self._change(partial(plan_check, now=self._clock(), settings=self._settings))

    async def collect(self, agent: str) -> tuple[Callback, ...]:
        """Collect the finished calls that `agent` asked to be notified of; each is returned once."""
        return await self._change(partial(plan_collect, agent=agent))

    async def call(self, send: CallRequest, work: Work) -> AgentAnswer:
        """Send a message, do its work within its time limit, and always settle it."""
        return await self.carry(await self.send(replace(send, start=True)), work)

    async def carry(
        self, message: BusMessage, work: Work, *, also: Callable[[AgentAnswer | None], Also] | None = None
    ) -> AgentAnswer:
        """Do the work of a started message within its time limit, and always settle it."""
        report = Report(ok=False, spent=at_worst(message))
        answer: AgentAnswer | None = None
        try:
            async with asyncio.timeout((message.expires_at - self._clock()).total_seconds()):
                answer = await work(message)
            report = Report(spent=answer.spent, result=answer.value if message.callback else None)
        except TimeoutError:
            report = replace(report, timed_out=True)
            raise DeadlinePassed(self._mission_id, f"{message.to} did not answer in time") from None
        except asyncio.CancelledError:
            report = replace(report, ok=None)
            raise
        finally:
            record = also(answer) if also else None
            # A reservation must not outlive its call.
            await run_to_end(self.settle(message.id, report, also=record))
        return answer

    async def _change(self, plan: Callable[[Mission], MissionChange[T]]) -> T:
        return await self._store.change(self._scope, self._mission_id, plan=plan)

    def _admitted(self, outcome: BusMessage | CallRefusal) -> BusMessage:
        if isinstance(outcome, CallRefusal):
            raise as_error(self._mission_id, outcome)
        return outcome


def as_error(mission_id: str, refusal: CallRefusal) -> MissionRefused:
    """Return the typed error of a refusal."""
    if refusal.reason == "breaker":
        return BreakerOpen(mission_id, refusal.agent, refusal.fallback)
    return REFUSALS[refusal.reason](mission_id, refusal.detail)


def _both(
    mission: Mission, *, settle: Callable[[Mission], MissionChange[bool]], also: Also | None
) -> MissionChange[bool]:
    step = settle(mission)
    if also is None or not step.outcome:
        return step
    return replace(step, mission=also(step.mission or mission))


def _started(
    mission: Mission,
    *,
    take: Callable[[Mission], MissionChange[TakenMessage | None]],
    also: Starting | None,
) -> MissionChange[TakenMessage | None]:
    step = take(mission)
    if also is None or step.outcome is None or step.outcome.refusal:
        return step
    return replace(step, mission=also(step.mission or mission, step.outcome.message))
