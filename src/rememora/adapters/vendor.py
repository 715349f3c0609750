"""Shared base of model vendors' adapters: one call, and one error of ours, which quotes nothing of theirs."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

from rememora.domain.context import ContextPack
from rememora.domain.prompt import TOOL, TOOL_PURPOSE, Prompt, PromptMessage
from rememora.errors import ModelUnavailable, RememoraError
from rememora.settings import ModelSettings

LOOK_UP = {"name": TOOL, "description": TOOL_PURPOSE}
NO_ARGUMENTS = {"type": "object", "properties": {}}


class VendorModel(ABC):
    """One model behind one vendor's SDK, which retries, and nobody else does."""

    def __init__(self, settings: ModelSettings) -> None:
        self.settings = settings
        self._client: Any = None
        self._door: Any = None

    @property
    def name(self) -> str:
        return self.settings.name

    async def ready(self) -> None:
        if self._door is None:
            # An SDK takes a second to load: beside the event loop.
            self._client, self._door = await asyncio.to_thread(self.open)

    async def answer(self, prompt: Prompt, pack: ContextPack) -> str:
        return await self._call(prompt, max_tokens=self.settings.max_tokens)

    async def complete(self, *, instructions: str, text: str, max_tokens: int) -> str:
        """Return the answer to one text, for callers outside of a turn."""
        alone = Prompt(instructions=instructions, messages=(PromptMessage("user", text),))
        return await self._call(alone, max_tokens=max_tokens)

    async def stream(self, prompt: Prompt, pack: ContextPack) -> AsyncIterator[str]:
        with asking(self.name):
            await self.ready()
            arguments = self.arguments(prompt, max_tokens=self.settings.max_tokens)
            events = await self._door.create(**arguments, stream=True)
            async with events:
                async for word in self.words(events):
                    yield word

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    async def _call(self, prompt: Prompt, *, max_tokens: int) -> str:
        with asking(self.name):
            await self.ready()
            text = self.text(await self._door.create(**self.arguments(prompt, max_tokens=max_tokens)))
            if not isinstance(text, str) or not text.strip():
                raise ModelUnavailable(f"{self.name} answered without text")
            return text

    @abstractmethod
    def open(self) -> tuple[Any, Any]:
        """The SDK's client, and its interface to call."""

    @abstractmethod
    def arguments(self, prompt: Prompt, *, max_tokens: int) -> dict[str, Any]:
        """A prompt as the interface wants it."""

    @abstractmethod
    def text(self, answer: Any) -> object:
        """The text of a whole answer."""

    @abstractmethod
    def words(self, events: Any) -> AsyncIterator[str]:
        """The words of a stream; one that ends without saying so was cut, and that is an error."""


@contextmanager
def asking(name: str) -> Iterator[None]:
    """Translate every failure into `ModelUnavailable`; a vendor's message may hold a key or personal text."""
    try:
        yield
    except RememoraError:
        raise
    except Exception as error:
        # SDKs raise their own errors, their transport's, and whatever a malformed answer trips over.
        status = getattr(error, "status_code", None)
        detail = f" (status {status})" if isinstance(status, int) else ""
        raise ModelUnavailable(f"{name} does not answer: {type(error).__name__}{detail}") from None
