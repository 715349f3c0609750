"""What is truly outside: the clock, and what else a test may have to stand in for."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time, always in UTC."""

    def __call__(self) -> datetime: ...


class Model(Protocol):
    """A language model: text in, text out; it raises when it cannot, or not in time."""

    async def complete(self, prompt: str, *, max_tokens: int, timeout: float) -> str: ...
