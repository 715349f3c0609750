"""What the bus decides about a message, as pure plans over a mission (W5, W10)."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec
from msgspec.structs import replace

from rememora.domain.mission import Mission, Step
from rememora.domain.mission_bus import Breaker, Message, MessageBus, Priority, Refused
from rememora.domain.mission_event import MissionEvent
from rememora.domain.mission_intake import Spend
from rememora.domain.mission_limits import BusLimits
from rememora.missions.breaker import admits, on_sent
from rememora.missions.flow import next_message, recent
from rememora.missions.graph import depth_with, find_loop, with_edge
from rememora.missions.limits import overdraft
from rememora.missions.settlement import ended


class Send(msgspec.Struct, frozen=True, kw_only=True):
    """A call that an agent wants to make, and what it may use at most."""

    sender: str
    to: str
    reserve: Spend = Spend()
    priority: Priority = "normal"
    timeout_s: float | None = None
    operation: str | None = None
    payload: object = None
    start: bool = False


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """Why a message does not go through, and who could stand in for the one it was for."""

    reason: Refused
    detail: str
    agent: str
    fallback: str | None = None


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """The message whose turn it was; with a refusal, it may not run any more."""

    message: Message
    refusal: Refusal | None = None


def plan_send(
    mission: Mission, send: Send, *, message_id: str, now: datetime, limits: BusLimits
) -> Step[Message | Refusal]:
    """Admit the call with its reservation and its edge, or refuse it before it happens."""
    if refusal := find_refusal(mission, send, now=now, limits=limits):
        return _refused(mission, refusal, now)
    bus = mission.bus
    message = Message(
        id=message_id,
        number=bus.totals.sent,
        sender=send.sender,
        to=send.to,
        sent_at=now,
        expires_at=_expiry(mission, send, now, limits),
        reserved=send.reserve,
        priority=send.priority,
        operation=send.operation,
        payload=send.payload,
        started_at=now if send.start else None,
    )
    admitted = replace(
        bus,
        graph=with_edge(bus.graph, send.sender, send.to),
        messages={**bus.messages, message_id: message},
        totals=replace(bus.totals, sent=bus.totals.sent + 1),
        breakers=_with_probe(bus, message),
        window=(*recent(bus.window, now, limits), now),
        progress_at=now,
    )
    return Step(outcome=message, mission=replace(mission, bus=admitted))


def plan_take(
    mission: Mission, *, sender: str | None, now: datetime, limits: BusLimits
) -> Step[Taken | None]:
    """Start the message whose turn it is, or end it unstarted if its time or its agent is gone."""
    message = next_message(mission.bus, sender=sender)
    if message is None or mission.status != "active":
        return Step(outcome=None)
    if refusal := _too_late(mission, message, now, limits):
        after = ended(mission, message, ok=None, spent=Spend(), now=now, limits=limits)
        refused = _refused(after.mission, refusal, now)
        return Step(outcome=Taken(message=message, refusal=refusal), mission=refused.mission)
    started = replace(message, started_at=now)
    bus = replace(
        mission.bus,
        messages={**mission.bus.messages, message.id: started},
        breakers=_with_probe(mission.bus, message),
        progress_at=now,
    )
    return Step(outcome=Taken(message=started), mission=replace(mission, bus=bus))


def plan_extend(mission: Mission, message_id: str, more: Spend, *, now: datetime) -> Step[Message | Refusal]:
    """Set more aside for a call under way, if the budget still has it."""
    message = mission.bus.messages.get(message_id)
    if message is None:
        return Step(outcome=Refusal(reason="closed", detail="the call has ended", agent=message_id))
    if detail := overdraft(mission, more, sender=message.sender):
        return _refused(mission, Refusal(reason="budget", detail=detail, agent=message.to), now)
    grown = replace(message, reserved=message.reserved + more)
    bus = replace(mission.bus, messages={**mission.bus.messages, message_id: grown})
    return Step(outcome=grown, mission=replace(mission, bus=bus))


def find_refusal(mission: Mission, send: Send, *, now: datetime, limits: BusLimits) -> Refusal | None:
    """Return the first reason why the call must not happen, if there is one."""
    bus, edge = mission.bus, (send.sender, send.to)
    if mission.status != "active":
        return _because("closed", f"the mission is {mission.status}", send)
    if now >= mission.orchestrator.deadline:
        return _because("deadline", "the mission's time is over", send)
    if len(recent(bus.window, now, limits)) >= limits.window_messages:
        return _because("flood", f"{limits.window_messages} messages in {limits.window_s:g} s", send)
    # An edge that was taken before was found free of loops then, and still is.
    if send.to not in bus.graph.get(send.sender, ()):
        if loop := find_loop(bus.graph, *edge):
            return _because("loop", " -> ".join(loop), send)
        if (depth := depth_with(bus.graph, *edge)) > limits.depth:
            return _because("depth", f"a chain of {depth} calls, {limits.depth} are allowed", send)
    if not admits(bus.breakers.get(send.to, Breaker()), now=now, live=bus.messages, limits=limits):
        refusal = _because("breaker", f"{send.to} keeps failing", send)
        return replace(refusal, fallback=bus.fallbacks.get(send.to))
    if detail := overdraft(mission, send.reserve, sender=send.sender):
        return _because("budget", detail, send)
    return None


def _because(reason: Refused, detail: str, send: Send) -> Refusal:
    return Refusal(reason=reason, detail=detail, agent=send.to)


def _too_late(mission: Mission, message: Message, now: datetime, limits: BusLimits) -> Refusal | None:
    if message.expires_at <= now:
        return Refusal(reason="deadline", detail="its own time was over before its turn", agent=message.to)
    breaker = mission.bus.breakers.get(message.to, Breaker())
    if breaker.probe == message.id or admits(breaker, now=now, live=mission.bus.messages, limits=limits):
        return None
    fallback = mission.bus.fallbacks.get(message.to)
    return Refusal(
        reason="breaker", detail=f"{message.to} keeps failing", agent=message.to, fallback=fallback
    )


def _refused(mission: Mission, refusal: Refusal, now: datetime) -> Step[Message | Refusal]:
    """Count the refusal, and tell of the first one of its kind: a flood must not flood the outbox too."""
    if refusal.reason == "closed":
        return Step(outcome=refusal)
    counts = mission.bus.totals.refused
    totals = replace(
        mission.bus.totals, refused={**counts, refusal.reason: counts.get(refusal.reason, 0) + 1}
    )
    first = MissionEvent(
        type="mission.refused", mission_id=mission.id, at=now, refused=refusal.reason, agent=refusal.agent
    )
    return Step(
        outcome=refusal,
        mission=replace(mission, bus=replace(mission.bus, totals=totals)),
        events=() if refusal.reason in counts else (first,),
    )


def _with_probe(bus: MessageBus, message: Message) -> dict[str, Breaker]:
    breaker = bus.breakers.get(message.to)
    if breaker is None or breaker.state == "closed":
        return bus.breakers
    return {**bus.breakers, message.to: on_sent(breaker, message.id)}


def _expiry(mission: Mission, send: Send, now: datetime, limits: BusLimits) -> datetime:
    seconds = limits.message_timeout_s if send.timeout_s is None else send.timeout_s
    return min(now + timedelta(seconds=seconds), mission.orchestrator.deadline)
