"""What the bus decides about a message, as pure plans over a mission (W5, W10)."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec
from msgspec.structs import replace

from rememora.domain.event import MissionRefusal
from rememora.domain.mission import Mission, Step
from rememora.domain.mission_bus import Breaker, Callback, Message, MessageBus
from rememora.domain.mission_intake import Spend
from rememora.missions.breaker import on_sent
from rememora.missions.flow import next_message, recent
from rememora.missions.graph import with_call, with_edge
from rememora.missions.guards import Refusal, Send, find_late_refusal, find_refusal
from rememora.missions.limits import overdraft
from rememora.missions.settlement import ended
from rememora.settings import Missions as MissionSettings


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """The message whose turn it was; with a refusal, it may not run any more."""

    message: Message
    refusal: Refusal | None = None


def plan_send(
    mission: Mission, send: Send, *, message_id: str, now: datetime, settings: MissionSettings
) -> Step[Message | Refusal]:
    """Admit the call with its reservation and its edge, or refuse it before it happens."""
    if refusal := find_refusal(mission, send, now=now, settings=settings):
        return _refused(mission, refusal)
    bus = mission.bus
    message = Message(
        id=message_id,
        number=bus.totals.sent,
        sender=send.sender,
        to=send.to,
        sent_at=now,
        expires_at=_expiry(mission, send, now, settings),
        reserved=send.reserve,
        priority=send.priority,
        operation=send.operation,
        payload=send.payload,
        started_at=now if send.start else None,
        kind=send.kind,
        callback=send.callback,
    )
    admitted = replace(
        bus,
        graph=with_edge(bus.graph, send.sender, send.to),
        edges=with_call(bus.edges, send.sender, send.to, kind=send.kind, at=now),
        messages={**bus.messages, message_id: message},
        totals=replace(bus.totals, sent=bus.totals.sent + 1),
        breakers=_with_probe(bus, message),
        window=(*recent(bus.window, now, settings), now),
        progress_at=now,
    )
    return Step(outcome=message, mission=replace(mission, bus=admitted))


def plan_take(
    mission: Mission, *, sender: str | None, now: datetime, settings: MissionSettings
) -> Step[Taken | None]:
    """Start the message whose turn it is, or end it unstarted if its time or its agent is gone."""
    message = next_message(mission.bus, sender=sender)
    if message is None or mission.status != "active":
        return Step(outcome=None)
    if refusal := find_late_refusal(mission, message, now=now, settings=settings):
        after = ended(mission, message, ok=None, spent=Spend(), now=now, settings=settings)
        refused = _refused(after.mission, refusal)
        events = after.events + refused.events
        return Step(outcome=Taken(message=message, refusal=refusal), mission=refused.mission, events=events)
    started = replace(message, started_at=now)
    bus = replace(
        mission.bus,
        messages={**mission.bus.messages, message.id: started},
        breakers=_with_probe(mission.bus, message),
        progress_at=now,
    )
    return Step(outcome=Taken(message=started), mission=replace(mission, bus=bus))


def plan_extend(mission: Mission, message_id: str, more: Spend) -> Step[Message | Refusal]:
    """Set more aside for a call under way, if the budget still has it."""
    message = mission.bus.messages.get(message_id)
    if message is None:
        return Step(outcome=Refusal(reason="closed", detail="the call has ended", agent=message_id))
    if detail := overdraft(mission, more, sender=message.sender):
        return _refused(mission, Refusal(reason="budget", detail=detail, agent=message.to))
    grown = replace(message, reserved=message.reserved + more)
    bus = replace(mission.bus, messages={**mission.bus.messages, message_id: grown})
    return Step(outcome=grown, mission=replace(mission, bus=bus))


def plan_collect(mission: Mission, agent: str) -> Step[tuple[Callback, ...]]:
    """Hand an agent the ends of the calls it asked to be told of, each once."""
    mine = tuple(each for each in mission.bus.callbacks if each.agent == agent)
    if not mine:
        return Step(outcome=())
    rest = tuple(each for each in mission.bus.callbacks if each.agent != agent)
    return Step(outcome=mine, mission=replace(mission, bus=replace(mission.bus, callbacks=rest)))


def _refused(mission: Mission, refusal: Refusal) -> Step[Message | Refusal]:
    """Count the refusal, and tell of the first one of its kind: a flood must not flood the outbox too."""
    if refusal.reason == "closed":
        return Step(outcome=refusal)
    counts = mission.bus.totals.refused
    totals = replace(mission.bus.totals, refused={**counts, refusal.reason: counts.get(refusal.reason, 0) + 1})
    first = MissionRefusal(mission_id=mission.id, reason=refusal.reason, agent=refusal.agent)
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


def _expiry(mission: Mission, send: Send, now: datetime, settings: MissionSettings) -> datetime:
    seconds = settings.message_seconds if send.timeout_s is None else send.timeout_s
    return min(now + timedelta(seconds=seconds), mission.orchestrator.deadline)
