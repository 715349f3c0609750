"""Port of the responder: a language model, or the built-in one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from rememora.domain.context import ContextPack
from rememora.domain.prompt import Prompt


class Responder(Protocol):
    """Answers a prompt; raises `ModelUnavailable` when it cannot."""

    @property
    def name(self) -> str:
        """Name of the model, as it is recorded."""

    async def ready(self) -> None:
        """Load what is slow to load, once, before the first answer."""

    async def answer(self, prompt: Prompt, pack: ContextPack) -> str:
        """Return the whole answer."""

    def stream(self, prompt: Prompt, pack: ContextPack) -> AsyncIterator[str]:
        """Yield the answer in chunks; closing the iterator ends the call."""

    async def close(self) -> None:
        """Close connections."""
