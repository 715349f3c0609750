"""Answers from any endpoint that speaks OpenAI's Responses or Chat Completions, hosted or on the next machine."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Final

from rememora.adapters.vendor import LOOK_UP, NO_ARGUMENTS, VendorModel
from rememora.domain.prompt import Prompt
from rememora.errors import MissingExtra, ModelUnavailable

OWN_URL: Final = "https://api.openai.com/v1"
NO_KEY: Final = "none"
"""Local servers want no key, and the SDK wants one."""


class OpenAIModel(VendorModel):
    """One model at one endpoint."""

    def open(self) -> tuple[Any, Any]:
        try:
            from openai import AsyncOpenAI
        except ImportError:
            raise MissingExtra("openai") from None
        client = AsyncOpenAI(
            base_url=self.settings.base_url or OWN_URL,
            api_key=self.settings.api_key or NO_KEY,
            timeout=self.settings.timeout_seconds,
            max_retries=self.settings.retries,
        )
        return client, client.responses if self._responses else client.chat.completions

    def arguments(self, prompt: Prompt, *, max_tokens: int) -> dict[str, Any]:
        request: dict[str, Any] = {"model": self.name}
        if self._responses:
            request |= prompt.responses() | {"max_output_tokens": max_tokens}
            tool = {"type": "function", **LOOK_UP, "parameters": NO_ARGUMENTS, "strict": False}
        else:
            request |= prompt.chat() | {self._limit_name: max_tokens}
            tool = {"type": "function", "function": {**LOOK_UP, "parameters": NO_ARGUMENTS}}
        if prompt.looks_up:
            request |= {"tools": [tool], "tool_choice": "none"}
        return request

    def text(self, answer: Any) -> object:
        return answer.output_text if self._responses else answer.choices[0].message.content

    def words(self, events: Any) -> AsyncIterator[str]:
        return _response_words(events) if self._responses else _chat_words(events)

    @property
    def _responses(self) -> bool:
        return self.settings.api == "responses"

    @property
    def _limit_name(self) -> str:
        # The vendor renamed the field, and the servers that follow its protocol mostly did not.
        return "max_tokens" if self.settings.base_url else "max_completion_tokens"


async def _chat_words(events: Any) -> AsyncIterator[str]:
    """The words of a Chat Completions stream, which says why it ends."""
    ended = False
    async for event in events:
        for choice in event.choices[:1]:
            if choice.delta and choice.delta.content:
                yield choice.delta.content
            ended = ended or choice.finish_reason is not None
    if not ended:
        raise ModelUnavailable("the model's stream was cut off")


async def _response_words(events: Any) -> AsyncIterator[str]:
    """The words of a Responses stream, up to the event that ends it."""
    async for event in events:
        if event.type == "response.output_text.delta":
            yield event.delta
        elif event.type in ("response.completed", "response.incomplete"):
            return
        elif event.type in ("response.failed", "error"):
            raise ModelUnavailable("the model did not finish its answer")
    raise ModelUnavailable("the model's stream was cut off")
