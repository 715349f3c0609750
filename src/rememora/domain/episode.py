"""What long conversations leave: one rolling summary each, and an episode for every stretch of turns."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import msgspec

from rememora.domain.visibility import Reason

_HEADING: Final = {"pt": "temas: ", "en": "topics: "}


def heading(topics: Sequence[str], language: str) -> str:
    """The line over a summary that names what keeps coming back in it."""
    return _HEADING[language] + ", ".join(topics)


def topics_of(line: str) -> list[str]:
    """What a heading names; nothing where the line is none."""
    names = next((line.removeprefix(label) for label in _HEADING.values() if line.startswith(label)), "")
    return names.split(", ") if names else []


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """The folded part of a conversation: `covered` messages, the last of them at place `last_seq`."""

    tenant: str
    user: str
    conversation: str
    text: str
    tokens: int
    covered: int
    last_seq: int
    created_at: datetime
    updated_at: datetime
    hidden: Reason | None = None


class Episode(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of turns kept as one; `turns` is the conversation's count when it ended."""

    tenant: str
    user: str
    conversation: str
    id: str
    turns: int
    first_seq: int
    last_seq: int
    title: str
    summary: str
    created_at: datetime
    hidden: Reason | None = None
