"""The circuit breaker of one agent: when to stop calling it, and when to try again (W5; pure)."""

from __future__ import annotations

from collections.abc import Container
from datetime import datetime, timedelta
from typing import Final

from msgspec.structs import replace

from rememora.domain.mission_bus import Breaker
from rememora.settings import MissionSettings

WINDOW: Final = 10
"""Number of last outcomes that count."""


def admits(breaker: Breaker, *, now: datetime, live: Container[str], settings: MissionSettings) -> bool:
    """Return whether a call may pass: always if closed, as the one probe after the pause, else never."""
    if breaker.state == "closed":
        return True
    if breaker.state == "open":
        return breaker.opened_at is None or now >= breaker.opened_at + timedelta(seconds=settings.cooldown_seconds)
    # A probe that vanished with its process decides nothing, and must not lock the agent out for good.
    return breaker.probe is None or breaker.probe not in live


def on_sent(breaker: Breaker, message_id: str) -> Breaker:
    """Return the breaker after a call was admitted: while it is not closed, that call is the probe."""
    if breaker.state == "closed":
        return breaker
    return replace(breaker, state="half_open", probe=message_id)


def on_outcome(
    breaker: Breaker, message_id: str, *, ok: bool, now: datetime, settings: MissionSettings
) -> Breaker:
    """Return the breaker after a call ended; while it is not closed, only the probe counts."""
    if breaker.state == "closed":
        return _on_closed(breaker, ok, now, settings)
    if breaker.state == "open" or breaker.probe != message_id:
        return breaker
    return Breaker(trips=breaker.trips) if ok else _opened(breaker, now)


def on_dropped(breaker: Breaker, message_id: str) -> Breaker:
    """Return the breaker after a call without an outcome: a lost probe allows another."""
    return replace(breaker, probe=None) if breaker.probe == message_id else breaker


def _on_closed(breaker: Breaker, ok: bool, now: datetime, settings: MissionSettings) -> Breaker:
    outcomes = (*breaker.outcomes, ok)[-WINDOW:]
    recorded = replace(breaker, outcomes=outcomes)
    return _opened(recorded, now) if _tripped(outcomes, settings) else recorded


def _tripped(outcomes: tuple[bool, ...], settings: MissionSettings) -> bool:
    row = settings.breaker_row
    if len(outcomes) >= row and not any(outcomes[-row:]):
        return True
    failures = outcomes.count(False)
    return len(outcomes) == WINDOW and failures >= settings.breaker_share * len(outcomes)


def _opened(breaker: Breaker, now: datetime) -> Breaker:
    return replace(breaker, state="open", opened_at=now, probe=None, trips=breaker.trips + 1)
