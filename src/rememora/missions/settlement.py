"""End of a call: its reservation released, its cost booked, its outcome recorded (W5; pure)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
from msgspec.structs import replace

from rememora.domain.event import MissionBreakerOpened, MissionStalled, Payload
from rememora.domain.mission import Mission, MissionChange
from rememora.domain.mission_bus import Breaker, BusMessage, Callback, MessageBus, Totals
from rememora.domain.mission_intake import Spend
from rememora.missions.breaker import on_dropped, on_outcome
from rememora.missions.flow import Stall, find_stall, overdue
from rememora.settings import MissionSettings


class Report(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Result and actual usage of a call; `ok` is None when it was cancelled."""

    ok: bool | None = True
    spent: Spend = Spend()
    timed_out: bool = False
    result: Any = None
    """Message to the agent that asked to be notified."""


class Checkup(msgspec.Struct, frozen=True, kw_only=True):
    """Result of checking the bus: overdue calls, which it ended, and a stall."""

    overdue: tuple[BusMessage, ...] = ()
    stall: Stall | None = None


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """A mission after one of its calls ended, and the events to publish."""

    mission: Mission
    events: tuple[Payload, ...] = ()


def plan_settle(
    mission: Mission, message_id: str, report: Report, *, now: datetime, settings: MissionSettings
) -> MissionChange[bool]:
    """End a call once; return whether it was still running."""
    message = mission.bus.messages.get(message_id)
    if message is None:
        return MissionChange(outcome=False)
    after = ended(
        mission, message, ok=report.ok, spent=report.spent, now=now, settings=settings, late=report.timed_out
    )
    settled = _with_result(after.mission, message, report.result)
    return MissionChange(outcome=True, mission=settled, events=after.events)


def plan_check(mission: Mission, *, now: datetime, settings: MissionSettings) -> MissionChange[Checkup]:
    """End overdue calls, and report whether the mission has stalled."""
    late = tuple(overdue(mission.bus, now))
    stall = find_stall(mission, now, settings)
    if not late and stall is None:
        return MissionChange(outcome=Checkup())
    events: tuple[Payload, ...] = ()
    after = mission
    for message in late:
        # A call that nobody began says nothing about the agent, so it does not count for its breaker.
        ok = False if message.started_at else None
        done = ended(after, message, ok=ok, spent=at_worst(message), now=now, settings=settings, late=True)
        after, events = done.mission, events + done.events
    if stall:
        events += (MissionStalled(mission_id=mission.id),)
    return MissionChange(outcome=Checkup(overdue=late, stall=stall), mission=after, events=events)


def at_worst(message: BusMessage) -> Spend:
    """Return the usage to assume for a call that never reported: all of its reservation, once it had started."""
    return message.reserved if message.started_at else Spend()


def ended(
    mission: Mission,
    message: BusMessage,
    *,
    ok: bool | None,
    spent: Spend,
    now: datetime,
    settings: MissionSettings,
    late: bool = False,
) -> Ended:
    """Return the mission without `message` on the bus, with its usage and outcome recorded."""
    bus = mission.bus
    before = bus.breakers.get(message.to, Breaker())
    breaker = (
        # A cancelled call says nothing about the agent: it must neither open nor close the breaker.
        on_dropped(before, message.id)
        if ok is None
        else on_outcome(before, message.id, ok=ok, now=now, settings=settings)
    )
    overran = not spent.fits(message.reserved)
    booked = replace(
        bus,
        messages={key: other for key, other in bus.messages.items() if key != message.id},
        totals=_counted(bus.totals, ok=ok, late=late, overran=overran),
        breakers={**bus.breakers, message.to: breaker},
        spent_by={**bus.spent_by, message.sender: bus.spent_by.get(message.sender, Spend()) + spent},
        callbacks=_called_back(bus, message, ok=ok, now=now),
        progress_at=now,
    )
    orchestrator = replace(mission.orchestrator, spent=mission.orchestrator.spent + spent)
    opened = MissionBreakerOpened(mission_id=mission.id, agent=message.to)
    return Ended(
        mission=replace(mission, bus=booked, orchestrator=orchestrator),
        # Only when it opens: every further failure of an open breaker would publish it again.
        events=(opened,) if breaker.trips > before.trips else (),
    )


def _called_back(bus: MessageBus, message: BusMessage, *, ok: bool | None, now: datetime) -> tuple[Callback, ...]:
    if message.callback is None:
        return bus.callbacks
    ended_call = Callback(
        message=message.id,
        agent=message.callback,
        called=message.to,
        at=now,
        ok=ok,
        operation=message.operation,
    )
    return (*bus.callbacks, ended_call)


def _with_result(mission: Mission, message: BusMessage, result: Any) -> Mission:
    if message.callback is None or result is None:
        return mission
    *others, last = mission.bus.callbacks
    callbacks = (*others, replace(last, result=result))
    return replace(mission, bus=replace(mission.bus, callbacks=callbacks))


def _counted(totals: Totals, *, ok: bool | None, late: bool, overran: bool) -> Totals:
    field = "timed_out" if late else {True: "done", False: "failed", None: "withdrawn"}[ok]
    return replace(totals, **{field: getattr(totals, field) + 1}, overruns=totals.overruns + (1 if overran else 0))
