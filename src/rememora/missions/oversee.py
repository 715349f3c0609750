"""A mission as an overseer sees it: agents, calls, budgets and breakers, without its content."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from rememora.domain.mission import Mission, Status
from rememora.domain.mission_bus import Breaker, BreakerState


class Meter(msgspec.Struct, frozen=True, kw_only=True):
    """Used share of a limit."""

    name: str
    used: float
    limit: float


class CallEdge(msgspec.Struct, frozen=True, kw_only=True):
    """An edge of the call graph: who called whom how often, and whether a call is running."""

    caller: str
    called: str
    times: int
    running: bool


class AgentBreaker(msgspec.Struct, frozen=True, kw_only=True):
    """The breaker of an agent, and its last outcomes."""

    agent: str
    state: BreakerState
    outcomes: tuple[bool, ...]
    trips: int
    fallback: str = ""


class OperationView(msgspec.Struct, frozen=True, kw_only=True):
    """State of one operation of a plan."""

    name: str
    state: str
    fallback: str = ""


class CoordinatorView(msgspec.Struct, frozen=True, kw_only=True):
    """Progress of a coordinator."""

    name: str
    cycle: int
    completeness: int
    warnings: int
    operations: tuple[OperationView, ...]


class MissionView(msgspec.Struct, frozen=True, kw_only=True):
    """One mission without its query, its results and its answer."""

    id: str
    user: str
    status: Status
    created_at: datetime
    deadline: datetime
    layer: str
    meters: tuple[Meter, ...]
    calls: tuple[CallEdge, ...]
    breakers: tuple[AgentBreaker, ...]
    coordinators: tuple[CoordinatorView, ...]
    sent: int
    refused: int
    executions: int


def view_of(mission: Mission, *, now: datetime) -> MissionView:
    """Copy from a mission what may be shown."""
    return MissionView(
        id=mission.id,
        user=mission.user,
        status=mission.status,
        created_at=mission.created_at,
        deadline=mission.orchestrator.deadline,
        layer=_layer(mission),
        meters=_meters(mission, now),
        calls=_calls(mission),
        breakers=tuple(
            _breaker(mission, agent, breaker) for agent, breaker in sorted(mission.bus.breakers.items())
        ),
        coordinators=tuple(_coordinator(mission, name) for name in mission.coordinators),
        sent=mission.bus.totals.sent,
        refused=sum(mission.bus.totals.refused.values()),
        executions=len(mission.executors.tracks),
    )


def _layer(mission: Mission) -> str:
    """Return the deepest layer that has any content."""
    # From the end backwards: layers fill in order, and the last one filled is where the work is.
    if mission.final.attempts or mission.final.answer is not None:
        return "final"
    if mission.executors.tracks:
        return "executors"
    if mission.coordinators:
        return "coordinators"
    if mission.bus.totals.sent:
        return "bus"
    return "orchestrator" if mission.orchestrator.coordinator or mission.orchestrator.objective else "intake"


def _meters(mission: Mission, now: datetime) -> tuple[Meter, ...]:
    plan = mission.orchestrator
    elapsed = max(0.0, (now - mission.created_at).total_seconds())
    return (
        Meter(name="tokens", used=plan.spent.tokens, limit=plan.budget.tokens),
        Meter(name="calls", used=plan.spent.calls, limit=plan.budget.calls),
        Meter(name="seconds", used=round(min(elapsed, plan.timeout_s)), limit=plan.timeout_s),
    )


def _calls(mission: Mission) -> tuple[CallEdge, ...]:
    busy = {
        (message.sender, message.to) for message in mission.bus.messages.values() if message.started_at is not None
    }
    return tuple(
        CallEdge(caller=caller, called=called, times=times, running=(caller, called) in busy)
        for caller, all_called in sorted(mission.bus.graph.items())
        for called, times in sorted(all_called.items())
    )


def _breaker(mission: Mission, agent: str, breaker: Breaker) -> AgentBreaker:
    return AgentBreaker(
        agent=agent,
        state=breaker.state,
        outcomes=breaker.outcomes,
        trips=breaker.trips,
        fallback=mission.bus.fallbacks.get(agent, ""),
    )


def _coordinator(mission: Mission, name: str) -> CoordinatorView:
    held = mission.coordinators[name]
    planned: Sequence[str] = [operation.id for operation in held.plan.operations]
    # In the order of the plan; an operation that ran without being planned comes last.
    names = [*planned, *(run for run in held.runs if run not in planned)]
    return CoordinatorView(
        name=name,
        cycle=held.cycle,
        completeness=held.completeness,
        warnings=len(held.warnings),
        operations=tuple(
            OperationView(name=name, state=run.state, fallback=run.fallback or "")
            if (run := held.runs.get(name)) is not None
            else OperationView(name=name, state="pending")
            for name in names
        ),
    )
