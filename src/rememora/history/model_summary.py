"""Summaries by a language model: prompts with the stored text fenced as data, in chunks."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

from rememora.domain.message import Message
from rememora.errors import ModelUnavailable
from rememora.history.sentences import clip
from rememora.language import count_tokens
from rememora.ports.outside import Model
from rememora.settings import SummarySettings

PIECE_CHARACTERS = 16_000
MESSAGE_CHARACTERS = 2_000
_DATA = "---\n"


async def summarise_with_model(
    model: Model, before: str, messages: Sequence[Message], *, settings: SummarySettings
) -> str:
    """Have the model write the new summary from the previous one and the messages after it."""
    text = before
    for piece in pieces(messages):
        instructions, data = prompt_of(text, piece, max_tokens=settings.max_tokens)
        async with asyncio.timeout(settings.model_seconds):
            answer = await model.complete(instructions=instructions, text=data, max_tokens=settings.max_tokens)
        text = shorten(answer.strip(), max_tokens=settings.max_tokens)
        if not text:
            raise ModelUnavailable("the model answered with an empty summary")
    return text


def prompt_of(before: str, lines: Sequence[str], *, max_tokens: int) -> tuple[str, str]:
    """Build instructions and fenced text; the fence is derived from the text, so that no text can contain it."""
    messages = "\n".join(lines)
    fence = f"<<{sha256((before + messages).encode()).hexdigest()[:16]}>>"
    parts = {"fence": fence, "before": before or "(none)", "messages": messages, "max_tokens": max_tokens}
    instructions, _, enclosed = _template().partition(_DATA)
    return instructions.format_map(parts), enclosed.format_map(parts)


def pieces(messages: Sequence[Message]) -> list[list[str]]:
    """Format messages as lines, in chunks that a small model can read at once."""
    split: list[list[str]] = [[]]
    size = 0
    for message in messages:
        line = f"{message.role}: {clip(message.content, MESSAGE_CHARACTERS)}"
        if split[-1] and size + len(line) > PIECE_CHARACTERS:
            split.append([])
            size = 0
        split[-1].append(line)
        size += len(line)
    return split


def shorten(text: str, *, max_tokens: int) -> str:
    """Cut a text to `max_tokens`, between words."""
    while (tokens := count_tokens(text)) > max_tokens:
        text = clip(text, min(len(text) - 1, int(len(text) * max_tokens / tokens)))
    return text


@cache
def _template() -> str:
    return Path(__file__).with_name("summary_prompt.md").read_text(encoding="utf-8")
