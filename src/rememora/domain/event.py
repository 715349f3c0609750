"""What happened, as facts that other systems may hear of: their types and the schema they follow."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

import msgspec

from rememora.domain.ids import new_id
from rememora.domain.scope import Scope


class Payload(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an event of one type says; its docstring is its documentation."""

    type: ClassVar[str] = ""


class ConversationDeleted(Payload, frozen=True, kw_only=True):
    """A conversation and all that hung on it was removed; the counts say how much."""

    type = "conversation.deleted"
    messages: int
    summaries: int = 0
    episodes: int = 0
    embeddings: int = 0


class EpisodeCreated(Payload, frozen=True, kw_only=True):
    """A stretch of turns became an episode; its summary comes along only where a setting lets it."""

    type = "memory.episode.created"
    episode: str
    turns: int
    summary: str | None = None


PAYLOADS: tuple[type[Payload], ...] = (ConversationDeleted, EpisodeCreated)
"""Every type of event there is, in the order of the documentation."""


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One fact. `id` never changes between deliveries, so that a consumer can drop what it has seen."""

    id: str
    type: str
    tenant: str
    user: str
    conversation: str | None = None
    occurred_at: datetime
    position: int = 0
    payload: dict[str, Any]


def event_of(scope: Scope, payload: Payload, *, at: datetime) -> Event:
    """The event that tells `payload` of `scope`; the store gives it its position."""
    return Event(
        id=new_id(),
        type=payload.type,
        tenant=scope.tenant,
        user=scope.user,
        conversation=scope.conversation,
        occurred_at=at,
        payload=msgspec.to_builtins(payload),
    )


def events_schema() -> dict[str, Any]:
    """The published JSON Schema: one alternative per event type."""
    _, components = msgspec.json.schema_components((Event, *PAYLOADS), ref_template="#/$defs/{name}")
    envelope = components.pop("Event")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rememora events",
        "description": "An event is delivered at least once, in order per conversation; deduplicate by id.",
        **envelope,
        "properties": {**envelope["properties"], "type": {"enum": [kind.type for kind in PAYLOADS]}},
        "allOf": [_when(kind) for kind in PAYLOADS],
        "$defs": components,
    }


def _when(kind: type[Payload]) -> dict[str, Any]:
    return {
        "if": {"properties": {"type": {"const": kind.type}}},
        "then": {"properties": {"payload": {"$ref": f"#/$defs/{kind.__name__}"}}},
    }
