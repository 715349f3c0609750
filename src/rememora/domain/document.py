"""A framework's document next to a person's memory: plain JSON under a key, never read as knowledge."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from rememora.domain.check import METADATA_BYTES, check_mapping, check_text

SPELT_OUT = 150
"""Maximum length of a key that is used as an id; a longer one, or one with control characters, is hashed."""


class StoredDocument(msgspec.Struct, frozen=True, kw_only=True):
    """One document; `space` is the kind of documents it belongs to, `version` counts how often it was written."""

    tenant: str
    user: str
    space: str
    key: str
    value: Mapping[str, Any]
    version: int
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None = None

    def is_expired(self, now: datetime) -> bool:
        """Return whether the document has expired."""
        return self.expires_at is not None and self.expires_at <= now


class NewDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A document to be written: at most 64 KiB as JSON."""

    key: str
    value: Mapping[str, Any]
    expires_at: datetime | None = None

    def __post_init__(self) -> None:
        check_key(self.key)
        msgspec.structs.force_setattr(self, "value", check_mapping("value", self.value))


def check_key(key: str) -> str:
    """Refuse a key that no engine could hold."""
    return check_text("key", key, max_bytes=METADATA_BYTES)


def document_id(key: str) -> str:
    """Return the id of the document with a key: short enough for an index of every engine."""
    if key.isprintable() and 0 < len(key) <= SPELT_OUT:
        return key
    return hashlib.sha256(key.encode()).hexdigest()
