"""What is truly outside: the clock, the signing key, the language model."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time, always in UTC."""

    def __call__(self) -> datetime: ...


class Signer(Protocol):
    """Signs what must not be forged, with a key that never leaves it."""

    @property
    def public_key(self) -> bytes: ...

    def sign(self, content: bytes) -> bytes: ...

    def verify(self, content: bytes, signature: bytes) -> bool: ...

    def seal(self, content: bytes) -> bytes:
        """A fingerprint that only this key's holder can compute, so that guesses cannot be checked against it."""
        ...


class Model(Protocol):
    """A language model that answers a prompt with text."""

    async def complete(self, *, instructions: str, text: str, max_tokens: int) -> str:
        """The model's answer; `ModelUnavailable` when there is none."""
        ...
