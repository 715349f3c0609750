"""A context pack in the fields that hosts of the first systems know (A6)."""

from __future__ import annotations

from typing import TypedDict

from rememora.context.render import markdown
from rememora.domain.context import ContextPack, Item

RETRIEVED = frozenset(("profile", "memories", "related", "recent", "tasks", "artifacts", "mission"))
"""The sections that stand in `retrieved_context`; summary and entities have fields of their own."""


class Retrieved(TypedDict):
    """One thing that is remembered: its text, where it comes from and how well it answers the query."""

    content: str
    score: float
    source: str
    section: str
    id: str | None
    key: str | None
    conversation: str | None
    created_at: str | None


class KnownEntity(TypedDict):
    """A structured thing the person mentioned."""

    type: str | None
    key: str | None
    value: str
    confidence: float
    count: int


class Remembered(TypedDict):
    """Memory for a query."""

    conversation_summary: str
    retrieved_context: list[Retrieved]
    memory_context: str
    user_entities: list[KnownEntity]
    used_memories: list[str]


def remembered(pack: ContextPack) -> Remembered:
    """The pack as the fields that hosts of the first systems know."""
    return {
        "conversation_summary": "\n".join(item.text for item in pack.section("summary")),
        "retrieved_context": [_retrieved(item) for item in pack.items if item.section in RETRIEVED],
        "memory_context": markdown(pack),
        "user_entities": [_entity(item) for item in pack.section("entities")],
        "used_memories": list(pack.memory_ids),
    }


def _retrieved(item: Item) -> Retrieved:
    return Retrieved(
        content=item.text,
        score=item.score,
        source=item.kind,
        section=item.section,
        id=item.id,
        key=item.key,
        conversation=item.conversation,
        created_at=item.at.isoformat() if item.at else None,
    )


def _entity(item: Item) -> KnownEntity:
    return KnownEntity(
        type=item.category,
        key=item.key,
        value=item.text,
        confidence=item.parts.get("confidence", 0.0),
        count=int(item.parts.get("mentions", 0)),
    )
