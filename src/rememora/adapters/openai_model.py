"""Answers from any endpoint that speaks OpenAI's Responses or Chat Completions, hosted or on the next machine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Final

from rememora.adapters.vendor import LOOK_UP, NO_ARGUMENTS, asking
from rememora.domain.context import ContextPack
from rememora.domain.prompt import Prompt, PromptMessage
from rememora.errors import MissingExtra, ModelUnavailable
from rememora.settings import Model

OWN_URL: Final = "https://api.openai.com/v1"
NO_KEY: Final = "none"
"""Local servers want no key, and the SDK wants one."""


class OpenAIModel:
    """One model at one endpoint; the SDK retries, and nobody else does."""

    def __init__(self, settings: Model) -> None:
        self._settings = settings
        self._responses = settings.api == "responses"
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
            events = await self._create(prompt, max_tokens=self._settings.max_tokens, stream=True)
            async with events:
                words = _response_words(events) if self._responses else _chat_words(events)
                async for word in words:
                    yield word

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    async def _call(self, prompt: Prompt, *, max_tokens: int) -> str:
        answer = await self._create(prompt, max_tokens=max_tokens, stream=False)
        text = answer.output_text if self._responses else answer.choices[0].message.content
        if not isinstance(text, str) or not text.strip():
            raise ModelUnavailable(f"{self.name} answered without text")
        return text

    async def _create(self, prompt: Prompt, *, max_tokens: int, stream: bool) -> Any:
        asked: dict[str, Any] = {"model": self.name, "stream": stream}
        if self._responses:
            asked |= prompt.responses() | {"max_output_tokens": max_tokens}
            tool = {"type": "function", **LOOK_UP, "parameters": NO_ARGUMENTS, "strict": False}
        else:
            asked |= prompt.chat() | {self._limit_name: max_tokens}
            tool = {"type": "function", "function": {**LOOK_UP, "parameters": NO_ARGUMENTS}}
        if prompt.looks_up:
            asked |= {"tools": [tool], "tool_choice": "none"}
        await self.ready()
        return await self._door.create(**asked)

    @property
    def _limit_name(self) -> str:
        # The vendor renamed the field, and the servers that follow its protocol mostly did not.
        return "max_tokens" if self._settings.base_url else "max_completion_tokens"

    def _open(self) -> Any:
        """The interface to call; the SDK takes a second to load, so that this runs beside the event loop."""
        try:
            from openai import AsyncOpenAI
        except ImportError:
            raise MissingExtra("openai") from None
        self._client = AsyncOpenAI(
            base_url=self._settings.base_url or OWN_URL,
            api_key=self._settings.api_key or NO_KEY,
            timeout=self._settings.timeout_seconds,
            max_retries=self._settings.retries,
        )
        return self._client.responses if self._responses else self._client.chat.completions


async def _chat_words(events: Any) -> AsyncIterator[str]:
    """The words of a Chat Completions stream; one that ends without saying why was cut."""
    ended = False
    async for event in events:
        for choice in event.choices[:1]:
            if choice.delta and choice.delta.content:
                yield choice.delta.content
            ended = ended or choice.finish_reason is not None
    if not ended:
        raise ModelUnavailable("the model's stream was cut")


async def _response_words(events: Any) -> AsyncIterator[str]:
    """The words of a Responses stream, up to the event that ends it."""
    async for event in events:
        if event.type == "response.output_text.delta":
            yield event.delta
        elif event.type in ("response.completed", "response.incomplete"):
            return
        elif event.type in ("response.failed", "error"):
            raise ModelUnavailable("the model gave up on its answer")
    raise ModelUnavailable("the model's stream was cut")
