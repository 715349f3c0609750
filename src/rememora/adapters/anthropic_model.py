"""Answers from Anthropic's Messages interface."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Final

from rememora.adapters.vendor import LOOK_UP, NO_ARGUMENTS, VendorModel
from rememora.domain.prompt import Prompt
from rememora.errors import MissingExtra, ModelUnavailable

OWN_URL: Final = "https://api.anthropic.com"


class AnthropicModel(VendorModel):
    """One model of one vendor."""

    def open(self) -> tuple[Any, Any]:
        try:
            from anthropic import AsyncAnthropic
        except ImportError:
            raise MissingExtra("anthropic") from None
        client = AsyncAnthropic(
            base_url=self.settings.base_url or OWN_URL,
            api_key=self.settings.api_key,
            timeout=self.settings.timeout_seconds,
            max_retries=self.settings.retries,
        )
        return client, client.messages

    def arguments(self, prompt: Prompt, *, max_tokens: int) -> dict[str, Any]:
        request: dict[str, Any] = {"model": self.name, "max_tokens": max_tokens, **prompt.anthropic()}
        if not prompt.instructions:
            del request["system"]
        if prompt.looks_up:
            request["tools"] = [{**LOOK_UP, "input_schema": NO_ARGUMENTS}]
            request["tool_choice"] = {"type": "none"}
        return request

    def text(self, answer: Any) -> object:
        return "".join(block.text for block in answer.content if block.type == "text")

    async def words(self, events: Any) -> AsyncIterator[str]:
        async for event in events:
            if event.type == "content_block_delta" and event.delta.type == "text_delta":
                yield event.delta.text
            elif event.type == "message_stop":
                return
        raise ModelUnavailable("the model's stream was cut off")
