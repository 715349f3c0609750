"""Recall results, and the indexed items that are searched."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final, Literal, cast, get_args

import msgspec

from rememora.domain.check import check_between, check_name, check_text, check_time, check_whole
from rememora.errors import InvalidInput

Kind = Literal["message", "summary", "episode", "entity", "memory"]
KINDS: frozenset[Kind] = frozenset(get_args(Kind))
FOLDED: tuple[Kind, ...] = ("summary", "episode")
"""Kinds of items that are made from several messages."""
SAID: tuple[Kind, ...] = ("message", *FOLDED)
"""Kinds of items that are deleted with their conversation and change only with their text."""
LIMIT = 100
QUERY_BYTES = 1024 * 1024
_BETWEEN = "\x1f"


def name_of(kind: str, conversation: str, id: str) -> str:
    """Return the name of the key with these parts."""
    return f"{kind}{_BETWEEN}{conversation}{_BETWEEN}{id}"


class ItemKey(msgspec.Struct, frozen=True):
    """Key of an indexed item inside one user's memory; the conversation is empty if there is none."""

    kind: Kind
    id: str
    conversation: str = ""

    @property
    def name(self) -> str:
        """Return the key as one text; the separator cannot occur in any of its parts."""
        return name_of(self.kind, self.conversation, self.id)

    @classmethod
    def named(cls, name: str) -> ItemKey:
        """Parse a key from its name."""
        kind, conversation, id = name.split(_BETWEEN, 2)
        return cls(cast("Kind", kind), id, conversation)


class IndexItem(msgspec.Struct, frozen=True, kw_only=True):
    """One indexed item in its current state; its vector is absent until it is embedded."""

    key: ItemKey
    number: int
    text: str
    # Other words it may be asked for by; found by them, but not shown.
    also: str = ""
    at: datetime
    position: int | None = None
    role: str = ""
    category: str = ""
    importance: float = 0.0
    # What was learned from it, a newer fact has replaced.
    superseded: bool = False
    metadata: Mapping[str, Any] = {}
    vector: bytes | None = None
    # Whether it has a vector, which may not have been asked for.
    embedded: bool = False

    @property
    def searched(self) -> str:
        """Return the text that the index reads."""
        return f"{self.text}\n{self.also}" if self.also else self.text


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """One search result. `score`, from 0 to 1, orders the hits of one search; `parts` add up to it and explain it.

    `role` is the speaker, if it is a message.
    `similarity`, from 0 to 1, is the cosine with the query; an item without a vector gets the share of the query's
    words that it contains. For users with more than 4,000 items it is exact only for the nearest, and accurate
    to about 0.1 for the others; with `min_similarity` it is exact for all.
    """

    content: str
    score: float
    similarity: float
    parts: Mapping[str, float]
    kind: Kind
    id: str
    conversation: str | None
    created_at: datetime
    metadata: Mapping[str, Any]
    role: str = ""


def bounded(hit: Hit) -> Hit:
    """Scale the score of a hit into the range from 0 to 1; the order of hits does not change."""
    if hit.score <= 0:
        return msgspec.structs.replace(hit, score=0.0)
    share = 1 / (1 + hit.score)
    parts = {name: part * share for name, part in hit.parts.items()}
    return msgspec.structs.replace(hit, score=hit.score * share, parts=parts)


# Filters come from REST, MCP and plugins alike, so they are checked here and not at each of them.
_CHECKS: Final[dict[str, Callable[[str, object], object]]] = {
    **dict.fromkeys(("conversation", "exclude_conversation", "category"), check_name),
    **dict.fromkeys(("since", "until"), check_time),
}


class SearchRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A query with its filters, validated."""

    query: str
    limit: int
    kinds: frozenset[Kind] | None = None
    min_similarity: float | None = None
    # Hits that score less than this share of the best are left out, and so are unrelated ones; 0 for none.
    floor: float = 0.0
    conversation: str | None = None
    exclude_conversation: str | None = None
    category: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    def __post_init__(self) -> None:
        check_text("query", self.query, max_bytes=QUERY_BYTES)
        check_whole("limit", self.limit, 1, LIMIT)
        if self.min_similarity is not None:
            check_between("min_similarity", self.min_similarity, 0, 1)
        check_between("floor", self.floor, 0, 1)
        if self.kinds is not None and not self.kinds <= KINDS:
            unknown = min(self.kinds - KINDS)
            raise InvalidInput("kinds", f"must be among {', '.join(sorted(KINDS))}, not {unknown!r}")
        for field, check in _CHECKS.items():
            if (value := getattr(self, field)) is not None:
                check(field, value)
