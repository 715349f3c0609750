"""The guards that a call must pass, one function each, in the order of evaluation (W10; pure)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

import msgspec

from rememora.domain.mission import Mission
from rememora.domain.mission_bus import Breaker, BusMessage, CallKind, Priority, Refused
from rememora.domain.mission_intake import Spend
from rememora.missions.breaker import admits
from rememora.missions.flow import recent
from rememora.missions.graph import depth_with, find_loop
from rememora.missions.limits import overdraft
from rememora.settings import MissionSettings


class CallRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A call that an agent wants to make, and the most it may use."""

    sender: str
    to: str
    reserve: Spend = Spend()
    priority: Priority = "normal"
    timeout_s: float | None = None
    operation: str | None = None
    payload: object = None
    start: bool = False
    kind: CallKind = "call"
    callback: str | None = None
    """The agent that is notified when the call has ended."""


class CallRefusal(msgspec.Struct, frozen=True, kw_only=True):
    """Reason for refusing a message, and the agent that could replace its addressee."""

    reason: Refused
    detail: str
    agent: str
    fallback: str | None = None


def find_refusal(
    mission: Mission, send: CallRequest, *, now: datetime, settings: MissionSettings
) -> CallRefusal | None:
    """Return the first reason to refuse the call, if any."""
    refusals = (guard(mission, send, now, settings) for guard in GUARDS)
    return next((refusal for refusal in refusals if refusal), None)


def find_late_refusal(
    mission: Mission, message: BusMessage, *, now: datetime, settings: MissionSettings
) -> CallRefusal | None:
    """Return the reason why an admitted message may not start any more, if any."""
    if message.expires_at <= now:
        return CallRefusal(reason="deadline", detail="its own time was over before its turn", agent=message.to)
    breaker = mission.bus.breakers.get(message.to, Breaker())
    if breaker.probe == message.id or admits(breaker, now=now, live=mission.bus.messages, settings=settings):
        return None
    return _left_alone(mission, message.to)


def _is_open(
    mission: Mission, send: CallRequest, _now: datetime, _settings: MissionSettings
) -> CallRefusal | None:
    if mission.status == "active":
        return None
    return CallRefusal(reason="closed", detail=f"the mission is {mission.status}", agent=send.to)


def _in_time(mission: Mission, send: CallRequest, now: datetime, _settings: MissionSettings) -> CallRefusal | None:
    if now < mission.orchestrator.deadline:
        return None
    return CallRefusal(reason="deadline", detail="the mission's time is over", agent=send.to)


def _no_flood(mission: Mission, send: CallRequest, now: datetime, settings: MissionSettings) -> CallRefusal | None:
    if len(recent(mission.bus.window, now, settings)) < settings.window_messages:
        return None
    detail = f"{settings.window_messages} messages in {settings.window_seconds:g} s"
    return CallRefusal(reason="flood", detail=detail, agent=send.to)


def _no_runaway(
    mission: Mission, send: CallRequest, _now: datetime, settings: MissionSettings
) -> CallRefusal | None:
    graph, edge = mission.bus.graph, (send.sender, send.to)
    # An edge that was taken before was found free of loops then, and still is.
    if send.to in graph.get(send.sender, ()):
        return None
    if loop := find_loop(graph, *edge):
        return CallRefusal(reason="loop", detail=" -> ".join(loop), agent=send.to)
    if (depth := depth_with(graph, *edge)) <= settings.depth:
        return None
    detail = f"a chain of {depth} calls, {settings.depth} are allowed"
    return CallRefusal(reason="depth", detail=detail, agent=send.to)


def _is_well(mission: Mission, send: CallRequest, now: datetime, settings: MissionSettings) -> CallRefusal | None:
    breaker = mission.bus.breakers.get(send.to)
    if breaker is None or admits(breaker, now=now, live=mission.bus.messages, settings=settings):
        return None
    return _left_alone(mission, send.to)


def _affordable(
    mission: Mission, send: CallRequest, _now: datetime, _settings: MissionSettings
) -> CallRefusal | None:
    detail = overdraft(mission, send.reserve, sender=send.sender)
    return CallRefusal(reason="budget", detail=detail, agent=send.to) if detail else None


def _left_alone(mission: Mission, agent: str) -> CallRefusal:
    fallback = mission.bus.fallbacks.get(agent)
    return CallRefusal(reason="breaker", detail=f"{agent} keeps failing", agent=agent, fallback=fallback)


Guard = Callable[[Mission, CallRequest, datetime, MissionSettings], CallRefusal | None]
GUARDS: Final[tuple[Guard, ...]] = (_is_open, _in_time, _no_flood, _no_runaway, _is_well, _affordable)
