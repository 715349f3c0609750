"""Versions of the event schema: all are published, and an event is delivered in the requested version (D4).

A stored event keeps the version it was written in. Version 2 renamed fields of three payloads; the others are
the same in both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from rememora.domain.check import check_whole
from rememora.domain.event import (
    PAYLOADS,
    SCHEMA,
    CrmDelegationFailed,
    CrmDelegationSent,
    EpisodeCreated,
    Event,
    Payload,
)

OLDEST: Final = 1


class EpisodeCreatedV1(Payload, frozen=True, kw_only=True):
    """A run of turns became an episode, with the names of version 1."""

    type = EpisodeCreated.type
    episode: str
    turns: int
    summary: str | None = None


class CrmDelegationSentV1(Payload, frozen=True, kw_only=True):
    """The CRM module did its work, with the names of version 1."""

    type = CrmDelegationSent.type
    task_id: str
    correlation_id: str
    tenant: str
    summary: str


class CrmDelegationFailedV1(Payload, frozen=True, kw_only=True):
    """The CRM module will not do its work, with the names of version 1."""

    type = CrmDelegationFailed.type
    task_id: str
    correlation_id: str
    tenant: str
    error_code: str


_V1: Final = {kind.type: kind for kind in (EpisodeCreatedV1, CrmDelegationSentV1, CrmDelegationFailedV1)}
# Version 1 differs in three events only; the others have one form in all versions.
PAYLOADS_OF: Final[Mapping[int, tuple[type[Payload], ...]]] = {
    1: tuple(_V1.get(kind.type, kind) for kind in PAYLOADS),
    2: PAYLOADS,
}
# Present field to its name in version 1; a stored event is converted when it is read, never rewritten.
_NEW_NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    EpisodeCreated.type: {"turns": "turn_count", "summary": "summary"},
    CrmDelegationSent.type: {"tenant": "tenant_id", "summary": "result_summary"},
    CrmDelegationFailed.type: {"tenant": "tenant_id"},
}


def check_schema(version: int) -> int:
    """Refuse an unknown version of the schema."""
    return check_whole("schema", version, OLDEST, SCHEMA)


def as_version(event: Event, version: int) -> Event:
    """Convert the event to one version of the schema."""
    if event.version == version:
        return event
    convert = _up if version > event.version else _down
    return convert(event)


def events_schema(version: int = SCHEMA) -> dict[str, Any]:
    """Return the published JSON Schema of one version: one alternative per event type."""
    payloads = PAYLOADS_OF[check_schema(version)]
    _, components = msgspec.json.schema_components((Event, *payloads), ref_template="#/$defs/{name}")
    envelope = components.pop("Event")
    properties = {**envelope["properties"], "type": {"enum": [kind.type for kind in payloads]}}
    required = envelope["required"]
    # Version 1 had neither field, and its consumers may refuse what they do not know.
    if version == OLDEST:
        properties = {name: shape for name, shape in properties.items() if name not in ("version", "subject")}
    else:
        properties["version"], required = {"const": version}, [*required, "version"]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Rememora events, version {version}",
        "description": "An event is delivered at least once, in order per conversation; deduplicate by id.",
        **envelope,
        "required": required,
        "properties": properties,
        "allOf": [_when(kind) for kind in payloads],
        "$defs": components,
    }


def _up(event: Event) -> Event:
    names = _NEW_NAMES.get(event.type, {})
    payload = {names.get(name, name): value for name, value in event.payload.items()}
    subject = event.subject
    if event.type == EpisodeCreated.type:
        subject = payload.pop("episode", None)
        payload = {"tenant_id": event.tenant, "session_id": event.conversation or "", **payload}
    return replace(event, version=SCHEMA, subject=subject, payload=payload)


def _down(event: Event) -> Event:
    names = {new: old for old, new in _NEW_NAMES.get(event.type, {}).items()}
    payload = {names.get(name, name): value for name, value in event.payload.items()}
    if event.type == EpisodeCreated.type:
        head = {"episode": event.subject or event.id}
        payload = head | {
            name: value for name, value in payload.items() if name not in ("tenant_id", "session_id")
        }
    return replace(event, version=OLDEST, subject=None, payload=payload)


def _when(kind: type[Payload]) -> dict[str, Any]:
    return {
        "if": {"properties": {"type": {"const": kind.type}}},
        "then": {"properties": {"payload": {"$ref": f"#/$defs/{kind.__name__}"}}},
    }
