"""Records of long conversations: one rolling summary each, and an episode for every run of turns."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from rememora.domain.visibility import Reason
from rememora.language.packs import CODES, replies_of


def heading(topics: Sequence[str], language: str) -> str:
    """The line over a summary that names what keeps coming back in it."""
    return replies_of(language).told.topics + ", ".join(topics)


def topics_of(line: str) -> list[str]:
    """Return the topics in a heading; an empty list where the line is not a heading."""
    labels = [replies_of(code).told.topics for code in CODES]
    names = next((line.removeprefix(label) for label in labels if line.startswith(label)), "")
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
