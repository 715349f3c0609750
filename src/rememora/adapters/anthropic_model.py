"""Answers from Anthropic's Messages interface."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Final

from rememora.adapters.vendor import LOOK_UP, NO_ARGUMENTS, asking
from rememora.domain.context import ContextPack
from rememora.domain.prompt import Prompt, PromptMessage
from rememora.errors import MissingExtra, ModelUnavailable
from rememora.settings import Model

OWN_URL: Final = "https://api.anthropic.com"


class AnthropicModel:
    """One model of one vendor; the SDK retries, and nobody else does."""

    def __init__(self, settings: Model) -> None:
        self._settings = settings
        self._client: Any = None
        self._door: Any = None

    @property
    def name(self) -> str:
        return self._settings.name

    async def ready(self) -> None:
        if self._door is None:
            self._door = await asyncio.to_thread(self._open)

    async def answer(self, prompt: Prompt, pack: ContextPack) -> str:
        with asking(self.name):
            return await self._call(prompt, max_tokens=self._settings.max_tokens)

    async def complete(self, *, instructions: str, text: str, max_tokens: int) -> str:
        """The answer to one text, for whoever needs a model outside of a turn."""
        alone = Prompt(instructions=instructions, messages=(PromptMessage("user", text),))
        with asking(self.name):
            return await self._call(alone, max_tokens=max_tokens)

    async def stream(self, prompt: Prompt, pack: ContextPack) -> AsyncIterator[str]:
        with asking(self.name):
            await self.ready()
            asked = self._asked(prompt, max_tokens=self._settings.max_tokens)
            events = await self._door.create(**asked, stream=True)
            async with events:
                async for word in _words(events):
                    yield word

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    async def _call(self, prompt: Prompt, *, max_tokens: int) -> str:
        await self.ready()
        answer = await self._door.create(**self._asked(prompt, max_tokens=max_tokens))
        text = "".join(block.text for block in answer.content if block.type == "text")
        if not text.strip():
            raise ModelUnavailable(f"{self.name} answered without text")
        return text

    def _asked(self, prompt: Prompt, *, max_tokens: int) -> dict[str, Any]:
        asked: dict[str, Any] = {"model": self.name, "max_tokens": max_tokens, **prompt.anthropic()}
        if not prompt.instructions:
            del asked["system"]
        if prompt.looks_up:
            asked["tools"] = [{**LOOK_UP, "input_schema": NO_ARGUMENTS}]
            asked["tool_choice"] = {"type": "none"}
        return asked

    def _open(self) -> Any:
        """The interface to call; the SDK takes a second to load, so that this runs beside the event loop."""
        try:
            from anthropic import AsyncAnthropic
        except ImportError:
            raise MissingExtra("anthropic") from None
        self._client = AsyncAnthropic(
            base_url=self._settings.base_url or OWN_URL,
            api_key=self._settings.api_key,
            timeout=self._settings.timeout_seconds,
            max_retries=self._settings.retries,
        )
        return self._client.messages


async def _words(events: Any) -> AsyncIterator[str]:
    """The words of a stream, up to the event that ends it."""
    async for event in events:
        if event.type == "content_block_delta" and event.delta.type == "text_delta":
            yield event.delta.text
        elif event.type == "message_stop":
            return
    raise ModelUnavailable("the model's stream was cut")
