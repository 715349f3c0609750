"""Encoding of a mission in MongoDB: its header as fields, each section as a document whose keys are not paths.

A host's own key may hold `.` or `$`, which have a meaning in a path of an update: both are escaped.
Values that BSON cannot hold (numbers beyond 64 bits, nesting beyond its depth) are stored as bytes of JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from urllib.parse import unquote

import msgspec

from rememora.domain.event import Event
from rememora.domain.mission import Due, Mission
from rememora.domain.mission_codec import load
from rememora.domain.moment import to_micros, to_moment
from rememora.domain.scope import Scope

Document = dict[str, Any]

DEEPEST: Final = 60
"""Below this a subtree is kept as JSON: the server takes a hundred levels, the header and the path included."""
_LONGEST: Final = 2**63
_SPELLED: Final = str.maketrans({"%": "%25", ".": "%2E", "$": "%24", "\0": "%00"})
_NAMELESS: Final = "%"
"""Stands for the empty key, which no path can name."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode
_event = msgspec.json.Decoder(Event).decode


def to_tree(value: Any, depth: int = 0) -> Any:
    """A JSON value as BSON holds it."""
    # BSON refuses documents nested deeper and integers longer than 64 bits: both are kept as JSON text.
    if isinstance(value, dict | list) and depth >= DEEPEST:
        return _encode(value)
    if isinstance(value, dict):
        return {_spelled(key): to_tree(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [to_tree(inner, depth + 1) for inner in value]
    if isinstance(value, int) and not -_LONGEST <= value < _LONGEST:
        return _encode(value)
    return value


def from_tree(tree: Any) -> Any:
    """The JSON value that `to_tree` laid down."""
    if isinstance(tree, dict):
        return {_unspelled(key): from_tree(inner) for key, inner in tree.items()}
    if isinstance(tree, list):
        return [from_tree(inner) for inner in tree]
    if isinstance(tree, bytes):
        return _decode(tree)
    # A long comes back as a class of the driver's own.
    return int(tree) if isinstance(tree, int) and not isinstance(tree, bool) else tree


def sections_of(bodies: Mapping[str, bytes]) -> Document:
    """Sections as `mission_codec.dump` made them, as documents."""
    return {name: to_tree(_decode(body)) for name, body in bodies.items()}


def document_of(mission: Mission, bodies: Mapping[str, bytes]) -> Document:
    """A new mission as it is kept."""
    return {
        "tenant": mission.tenant,
        "user": mission.user,
        "mission": mission.id,
        "session": mission.session,
        "created_at": to_micros(mission.created_at),
        "expires_at": to_micros(mission.expires_at),
        # Dates of the engine know no microseconds: this one is for its own clock alone.
        "remove_at": mission.expires_at,
        "revision": mission.revision,
        "sections": sections_of(bodies),
        **standing_of(mission),
    }


def standing_of(mission: Mission) -> Document:
    """The fields of the header that change."""
    closed_at = None if mission.closed_at is None else to_micros(mission.closed_at)
    return {"status": mission.status, "closed_at": closed_at}


def mission_of(document: Document) -> Mission:
    """The mission that a document holds."""
    closed_at = document["closed_at"]
    head: dict[str, Any] = {
        "id": document["mission"],
        "tenant": document["tenant"],
        "user": document["user"],
        "session": document["session"],
        "status": document["status"],
        "revision": int(document["revision"]),
        "created_at": to_moment(document["created_at"]),
        "expires_at": to_moment(document["expires_at"]),
        "closed_at": None if closed_at is None else to_moment(closed_at),
    }
    return load(head, {name: _encode(from_tree(tree)) for name, tree in document["sections"].items()})


def scope_of(document: Document) -> Scope:
    """Return the scope of the mission's owner."""
    return Scope(document["tenant"], document["user"], document["session"])


def due_of(document: Document, now: datetime) -> Due:
    """A mission whose time has come."""
    return Due(
        scope=scope_of(document),
        mission_id=document["mission"],
        status=document["status"],
        expired=bool(document["expires_at"] <= to_micros(now)),
    )


def untold_of(events: Sequence[Event]) -> list[Document]:
    """Events as they wait with their mission."""
    return [{"id": event.id, "event": _encode(event)} for event in events]


def events_of(document: Document) -> list[Event]:
    """The events that wait with a mission, oldest first."""
    return [_event(entry["event"]) for entry in document["untold"]]


def _spelled(key: str) -> str:
    return key.translate(_SPELLED) or _NAMELESS


def _unspelled(key: str) -> str:
    return "" if key == _NAMELESS else unquote(key)
