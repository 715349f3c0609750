"""A clock that stands still until a test moves it, for laws that speak of time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

MIDDAY = datetime(2025, 3, 1, 12, tzinfo=UTC)


class SetClock:
    """Tells the time it was set to."""

    def __init__(self, now: datetime = MIDDAY) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> datetime:
        """Move on; returns the new time."""
        self.now += timedelta(seconds=seconds)
        return self.now
