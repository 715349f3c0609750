"""What is truly outside: the clock, and what else a test may have to stand in for."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time, always in UTC."""

    def __call__(self) -> datetime: ...
