"""Waiting times between retries."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Protocol

DOUBLINGS = 32


class RetryDelays(Protocol):
    """Settings of a retry: the delays and their limit."""

    @property
    def backoff_seconds(self) -> float: ...
    @property
    def backoff_limit_seconds(self) -> float: ...


def retry_at(now: datetime, attempts: int, delays: RetryDelays) -> datetime:
    """Return the time of the next retry: the delay doubles with each failure, up to a limit."""
    wait = min(
        delays.backoff_seconds * 2 ** min(attempts - 1, DOUBLINGS),
        delays.backoff_limit_seconds,
    )
    return now + timedelta(seconds=wait)
