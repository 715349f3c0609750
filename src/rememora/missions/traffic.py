"""Decisions of the bus about a message, as pure plans over a mission (W5, W10)."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec
from msgspec.structs import replace

from rememora.domain.event import MissionRefusal
from rememora.domain.mission import Mission, MissionChange
from rememora.domain.mission_bus import Breaker, BusMessage, Callback, MessageBus
from rememora.domain.mission_intake import Spend
from rememora.missions.breaker import on_sent
from rememora.missions.flow import next_message, recent
from rememora.missions.graph import with_call, with_edge
from rememora.missions.guards import CallRefusal, CallRequest, find_late_refusal, find_refusal
from rememora.missions.limits import overdraft
from rememora.missions.settlement import ended
from rememora.settings import MissionSettings


class TakenMessage(msgspec.Struct, frozen=True, kw_only=True):
    """The next message; with a refusal it may not run any more."""

    message: BusMessage
    refusal: CallRefusal | None = None


def plan_send(
    mission: Mission, send: CallRequest, *, message_id: str, now: datetime, settings: MissionSettings
) -> MissionChange[BusMessage | CallRefusal]:
    """Admit the call with its reservation and its edge, or refuse it before it happens."""
    # Decided on the mission as it is in this transaction: parallel calls cannot both take the last budget.
    if refusal := find_refusal(mission, send, now=now, settings=settings):
        return _refused(mission, refusal)
    bus = mission.bus
    message = BusMessage(
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
    return MissionChange(outcome=message, mission=replace(mission, bus=admitted))


def plan_take(
    mission: Mission, *, sender: str | None, now: datetime, settings: MissionSettings
) -> MissionChange[TakenMessage | None]:
    """Start the next message, or end it unstarted if its time is over or its breaker is open."""
    message = next_message(mission.bus, sender=sender)
    if message is None or mission.status != "active":
        return MissionChange(outcome=None)
    if refusal := find_late_refusal(mission, message, now=now, settings=settings):
        after = ended(mission, message, ok=None, spent=Spend(), now=now, settings=settings)
        refused = _refused(after.mission, refusal)
        events = after.events + refused.events
        return MissionChange(
            outcome=TakenMessage(message=message, refusal=refusal), mission=refused.mission, events=events
        )
    started = replace(message, started_at=now)
    bus = replace(
        mission.bus,
        messages={**mission.bus.messages, message.id: started},
        breakers=_with_probe(mission.bus, message),
        progress_at=now,
    )
    return MissionChange(outcome=TakenMessage(message=started), mission=replace(mission, bus=bus))


def plan_extend(mission: Mission, message_id: str, more: Spend) -> MissionChange[BusMessage | CallRefusal]:
    """Reserve more budget for a running call, if there is any left."""
    message = mission.bus.messages.get(message_id)
    if message is None:
        return MissionChange(outcome=CallRefusal(reason="closed", detail="the call has ended", agent=message_id))
    if detail := overdraft(mission, more, sender=message.sender):
        return _refused(mission, CallRefusal(reason="budget", detail=detail, agent=message.to))
    grown = replace(message, reserved=message.reserved + more)
    bus = replace(mission.bus, messages={**mission.bus.messages, message_id: grown})
    return MissionChange(outcome=grown, mission=replace(mission, bus=bus))


def plan_collect(mission: Mission, agent: str) -> MissionChange[tuple[Callback, ...]]:
    """Return the finished calls that an agent asked to be notified of, each once."""
    mine = tuple(callback for callback in mission.bus.callbacks if callback.agent == agent)
    if not mine:
        return MissionChange(outcome=())
    rest = tuple(callback for callback in mission.bus.callbacks if callback.agent != agent)
    return MissionChange(outcome=mine, mission=replace(mission, bus=replace(mission.bus, callbacks=rest)))


def _refused(mission: Mission, refusal: CallRefusal) -> MissionChange[BusMessage | CallRefusal]:
    """Count the refusal, and publish only the first of its kind: a flood must not flood the outbox."""
    if refusal.reason == "closed":
        return MissionChange(outcome=refusal)
    counts = mission.bus.totals.refused
    totals = replace(mission.bus.totals, refused={**counts, refusal.reason: counts.get(refusal.reason, 0) + 1})
    first = MissionRefusal(mission_id=mission.id, reason=refusal.reason, agent=refusal.agent)
    return MissionChange(
        outcome=refusal,
        mission=replace(mission, bus=replace(mission.bus, totals=totals)),
        events=() if refusal.reason in counts else (first,),
    )


def _with_probe(bus: MessageBus, message: BusMessage) -> dict[str, Breaker]:
    breaker = bus.breakers.get(message.to)
    if breaker is None or breaker.state == "closed":
        return bus.breakers
    return {**bus.breakers, message.to: on_sent(breaker, message.id)}


def _expiry(mission: Mission, send: CallRequest, now: datetime, settings: MissionSettings) -> datetime:
    seconds = settings.message_seconds if send.timeout_s is None else send.timeout_s
    return min(now + timedelta(seconds=seconds), mission.orchestrator.deadline)
