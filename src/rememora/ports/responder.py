"""Port of the responder: a model, or the built-in one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from rememora.domain.context import ContextPack
from rememora.domain.prompt import Prompt


class Responder(Protocol):
    """Answers a prompt; raises `ModelUnavailable` when it cannot."""

    @property
    def name(self) -> str:
        """Name of the model, for the record."""
        ...

    async def ready(self) -> None:
        """Load what takes time to load, once, before any answer is waited for."""
        ...

    async def answer(self, prompt: Prompt, pack: ContextPack) -> str:
        """The whole answer."""
        ...

    def stream(self, prompt: Prompt, pack: ContextPack) -> AsyncIterator[str]:
        """The answer piece by piece; closing the iterator ends the call."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...
