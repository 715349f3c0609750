"""Conversion of each kind of noun to an indexed item: its text, its time, and the fields of a hit."""

from __future__ import annotations

from collections.abc import Callable
from sys import intern

import msgspec

from rememora.adapters.sql.columns import from_json, to_moment
from rememora.adapters.sql.transaction import Row
from rememora.domain.hit import IndexItem, ItemKey, Kind
from rememora.domain.message import Attachment
from rememora.language.keys import called
from rememora.ports.index import MemoryFacts

EMBEDDED = "embedded"
"""The state of an entry whose item has its vector."""

_IMPORTANCE = {"explicit_user": 1.0, "profile_seed": 0.8, "admin_system": 0.8, "inferred": 0.5}
_attachments = msgspec.json.Decoder(tuple[Attachment, ...]).decode
_value = msgspec.json.Decoder().decode


def _message(row: Row) -> IndexItem:
    id, conversation, number, content, created_at, seq, role, attachments, metadata, vector, state = row[:11]
    described = (attachment.description for attachment in _attachments(attachments)) if attachments else ()
    return IndexItem(
        key=ItemKey("message", id, conversation),
        number=number,
        text="\n".join([content, *filter(None, described)]),
        at=to_moment(created_at),
        position=seq,
        role=intern(role),
        superseded=bool(row[11]),
        metadata=from_json(metadata),
        vector=vector,
        embedded=state == EMBEDDED,
    )


def _memory(row: Row) -> IndexItem:
    (
        id,
        conversation,
        number,
        key,
        value,
        category,
        confidence,
        source,
        reach,
        evidence,
        updated_at,
        vector,
        state,
    ) = row
    category, source, reach = intern(category), intern(source), intern(reach)
    # A habit's evidence names its messages: ids are no words to be found by.
    said = f" ({evidence})" if evidence and not evidence.startswith(f"{key} = ") else ""
    return IndexItem(
        key=ItemKey("memory", id, conversation),
        number=number,
        text=f"{_words(key)}: {_plain(value)}{said}",
        also=called(key),
        at=to_moment(updated_at),
        category=category,
        importance=_importance(source, confidence),
        metadata={
            "key": key,
            "value": _value(value),
            "confidence": confidence,
            "source": source,
            "scope": reach,
        },
        vector=vector,
        embedded=state == EMBEDDED,
    )


def facts_of(row: Row) -> MemoryFacts:
    """Make the facts of a memory from a row of `memory_facts`."""
    _, _, source, _, category, confidence, updated_at, key, value = row
    return MemoryFacts(
        category=intern(category),
        importance=_importance(source, confidence),
        at=to_moment(updated_at),
        key=key,
        value=None if value is None else _value(value),
    )


def _importance(source: str, confidence: float) -> float:
    return _IMPORTANCE.get(source, 0.5) * confidence


def _entity(row: Row) -> IndexItem:
    id, number, key, type, value, confidence, mentions, conversation, updated_at, vector, state = row
    return IndexItem(
        key=ItemKey("entity", id),
        number=number,
        text=f"{type} {_words(key)}: {_plain(value)}",
        at=to_moment(updated_at),
        category=type,
        importance=confidence,
        metadata={
            "key": key,
            "type": type,
            "value": _value(value),
            "mentions": mentions,
            "conversation": conversation or None,
        },
        vector=vector,
        embedded=state == EMBEDDED,
    )


def _summary(row: Row) -> IndexItem:
    conversation, number, text, covered, last_seq, updated_at, vector, state = row
    return IndexItem(
        key=ItemKey("summary", conversation, conversation),
        number=number,
        text=text,
        at=to_moment(updated_at),
        metadata={"covered": covered, "last_seq": last_seq},
        vector=vector,
        embedded=state == EMBEDDED,
    )


def _episode(row: Row) -> IndexItem:
    id, conversation, number, title, summary, turns, first_seq, last_seq, created_at, vector, state = row
    return IndexItem(
        key=ItemKey("episode", id, conversation),
        number=number,
        text=f"{title}\n{summary}",
        at=to_moment(created_at),
        metadata={"title": title, "turns": turns, "first_seq": first_seq, "last_seq": last_seq},
        vector=vector,
        embedded=state == EMBEDDED,
    )


def _words(key: str) -> str:
    """A dotted key as words that a search can meet."""
    return key.replace(".", " ").replace("_", " ")


def _plain(value: str) -> str:
    """A stored value as a person reads it: text without its quotes, the rest as JSON."""
    decoded = _value(value)
    return decoded if isinstance(decoded, str) else value


SOURCES: dict[str, Callable[[Row], IndexItem]] = {
    "changed_messages": _message,
    "changed_memories": _memory,
    "changed_entities": _entity,
    "changed_summaries": _summary,
    "changed_episodes": _episode,
}
"""For each kind the query that reads its texts, and how a row of it becomes an item."""

SOURCE_OF: dict[Kind, str] = {
    "message": "changed_messages",
    "memory": "changed_memories",
    "entity": "changed_entities",
    "summary": "changed_summaries",
    "episode": "changed_episodes",
}
"""Which query reads which kind."""

STANDING_OF: dict[Kind, str] = {**SOURCE_OF, "message": "standing_messages"}
"""Which query reads a kind where only what it says is wanted; the others' are the same either way."""
