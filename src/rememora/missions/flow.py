"""The flow of messages: rate limit, stalls, and the next message (W5; pure)."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

from rememora.domain.mission import Mission
from rememora.domain.mission_bus import PRIORITIES, BusMessage, MessageBus
from rememora.settings import MissionSettings


class Stall(msgspec.Struct, frozen=True, kw_only=True):
    """A mission without progress for too long, and without a running call."""

    idle_s: float
    waiting: int


def recent(window: tuple[datetime, ...], now: datetime, settings: MissionSettings) -> tuple[datetime, ...]:
    """Return the moments of the window that still count."""
    since = now - timedelta(seconds=settings.window_seconds)
    return tuple(moment for moment in window if moment > since)


def next_message(bus: MessageBus, *, sender: str | None = None) -> BusMessage | None:
    """Return the next waiting message: by priority, then in the order sent."""
    waiting = (
        message
        for message in bus.messages.values()
        if message.started_at is None and sender in (None, message.sender)
    )
    return min(waiting, key=_turn, default=None)


def overdue(bus: MessageBus, now: datetime) -> list[BusMessage]:
    """Return the overdue messages, waiting or running."""
    return [message for message in bus.messages.values() if message.expires_at <= now]


def find_stall(mission: Mission, now: datetime, settings: MissionSettings) -> Stall | None:
    """Return the stall of an active mission, if any."""
    moved = mission.bus.progress_at or mission.created_at
    idle_s = (now - moved).total_seconds()
    if mission.status != "active" or idle_s < settings.stall_seconds:
        return None
    messages = mission.bus.messages.values()
    # A call that runs within its time is progress, however long nothing else happens.
    if any(message.started_at and message.expires_at > now for message in messages):
        return None
    return Stall(idle_s=idle_s, waiting=len(mission.bus.messages))


def _turn(message: BusMessage) -> tuple[int, int]:
    return PRIORITIES.index(message.priority), message.number
