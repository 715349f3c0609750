"""Prompt for a model, independent of any vendor, and its conversion to vendors' formats."""

from __future__ import annotations

from itertools import groupby
from typing import Any, Literal

import msgspec

Form = dict[str, Any]
Speaker = Literal["user", "assistant", "tool"]

BUILTIN = "builtin"
"""Name of the responder that answers from memory alone, without a model."""
CALL_ID = "call_memory"
TOOL = "recall_memory"
TOOL_PURPOSE = "Looks up what is remembered for this conversation."
OPENING = "…"
"""Placeholder for vendors that require the person to speak first, when the assistant did."""


class PromptMessage(msgspec.Struct, frozen=True):
    """One message; `tool` is a result of recall, with the lowest privilege that models know."""

    role: Speaker
    text: str


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """Instructions from the operator, and the messages after them."""

    instructions: str
    messages: tuple[PromptMessage, ...]

    @property
    def looks_up(self) -> bool:
        """Return whether memory is sent as a tool result, which some vendors require to be declared."""
        return any(message.role == "tool" for message in self.messages)

    def responses(self) -> Form:
        """Convert for OpenAI Responses: `instructions` and `input`."""
        items = [item for message in self.messages for item in _responses_items(message)]
        return {"instructions": self.instructions, "input": items}

    def chat(self) -> Form:
        """Convert for Chat Completions: `messages`."""
        system = [{"role": "system", "content": self.instructions}] if self.instructions else []
        return {"messages": system + [item for message in self.messages for item in _chat_items(message)]}

    def anthropic(self) -> Form:
        """Convert for Anthropic: `system` and alternating `messages` that begin with the person."""
        spoken = [(role, block) for message in self.messages for role, block in _anthropic_blocks(message)]
        if spoken and spoken[0][0] != "user":
            spoken.insert(0, ("user", {"type": "text", "text": OPENING}))
        turns = groupby(spoken, key=lambda pair: pair[0])
        messages = [{"role": role, "content": [block for _, block in blocks]} for role, blocks in turns]
        return {"system": self.instructions, "messages": messages}

    def langchain(self) -> list[Form]:
        """Convert for LangChain: mappings that its message list and `convert_to_messages` accept."""
        system = [{"role": "system", "content": self.instructions}] if self.instructions else []
        return system + [item for message in self.messages for item in _langchain_items(message)]


def _responses_items(message: PromptMessage) -> list[Form]:
    if message.role != "tool":
        return [{"role": message.role, "content": message.text}]
    call = {"type": "function_call", "call_id": CALL_ID, "name": TOOL, "arguments": "{}"}
    return [call, {"type": "function_call_output", "call_id": CALL_ID, "output": message.text}]


def _chat_items(message: PromptMessage) -> list[Form]:
    if message.role != "tool":
        return [{"role": message.role, "content": message.text}]
    call = {"id": CALL_ID, "type": "function", "function": {"name": TOOL, "arguments": "{}"}}
    request = {"role": "assistant", "content": None, "tool_calls": [call]}
    return [request, {"role": "tool", "tool_call_id": CALL_ID, "content": message.text}]


def _anthropic_blocks(message: PromptMessage) -> list[tuple[str, Form]]:
    if message.role != "tool":
        return [(message.role, {"type": "text", "text": message.text})]
    return [
        ("assistant", {"type": "tool_use", "id": CALL_ID, "name": TOOL, "input": {}}),
        ("user", {"type": "tool_result", "tool_use_id": CALL_ID, "content": message.text}),
    ]


def _langchain_items(message: PromptMessage) -> list[Form]:
    if message.role != "tool":
        return [{"role": message.role, "content": message.text}]
    call = {"name": TOOL, "args": {}, "id": CALL_ID, "type": "tool_call"}
    request = {"role": "assistant", "content": "", "tool_calls": [call]}
    return [request, {"role": "tool", "content": message.text, "tool_call_id": CALL_ID}]
