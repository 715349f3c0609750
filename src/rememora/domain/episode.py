"""Records of long conversations: a rolling summary, and an episode for every run of turns."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from rememora.domain.visibility import Reason
from rememora.language.packs import CODES, replies_of


def heading(topics: Sequence[str], language: str) -> str:
    """Heading of a summary, which names its recurring topics."""
    return replies_of(language).told.topics + ", ".join(topics)


def topics_of(line: str) -> list[str]:
    """Return the topics in a heading; an empty list if the line is not a heading."""
    labels = [replies_of(code).told.topics for code in CODES]
    names = next((line.removeprefix(label) for label in labels if line.startswith(label)), "")
    return names.split(", ") if names else []


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """The folded part of a conversation: `covered` messages up to position `last_seq`."""

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
    """A run of turns kept as one; `turns` is the conversation's turn count at its end."""

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
