"""How long to wait before something that failed is tried again."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Protocol

DOUBLINGS = 32


class Patience(Protocol):
    """The part of some settings that says how long to wait."""

    @property
    def backoff_seconds(self) -> float: ...
    @property
    def backoff_limit_seconds(self) -> float: ...


def retry_at(now: datetime, attempts: int, patience: Patience) -> datetime:
    """When to try again after so many failures: twice as long each time, up to a limit."""
    wait = min(
        patience.backoff_seconds * 2 ** min(attempts - 1, DOUBLINGS),
        patience.backoff_limit_seconds,
    )
    return now + timedelta(seconds=wait)
