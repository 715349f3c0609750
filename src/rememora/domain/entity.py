"""Entities: structured things that people mention."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any, TypedDict

import msgspec

from rememora.domain.check import check_between, check_name
from rememora.domain.memory import check_value
from rememora.domain.visibility import Reason
from rememora.errors import InvalidInput

CONFIDENCE = 0.8


class MentionOptions(TypedDict, total=False):
    """Optional fields of a mention: everything but its type, key and value."""

    confidence: float
    conversation: str | None


class Mention(msgspec.Struct, frozen=True, kw_only=True):
    """One mention of an entity; validated when it is created."""

    type: str
    key: str
    value: Any
    confidence: float = CONFIDENCE
    conversation: str | None = None

    def __post_init__(self) -> None:
        check_name("type", self.type)
        check_name("key", self.key)
        check_value("value", self.value)
        check_between("confidence", self.confidence, 0, 1)
        if self.conversation is not None:
            check_name("conversation", self.conversation)

    def check_type(self, types: Collection[str]) -> None:
        """Refuse a type that is not in the settings."""
        if self.type not in types:
            raise InvalidInput("type", f"must be one of {', '.join(types)}")


class Entity(msgspec.Struct, frozen=True, kw_only=True):
    """A campaign, a person or a product: its latest value, and how often it was mentioned.

    A `forgotten` entity is kept so that it can be restored, and never shown.
    """

    tenant: str
    user: str
    id: str
    key: str
    type: str
    value: Any
    confidence: float
    conversation: str | None
    mentions: int
    forgotten: bool = False
    created_at: datetime
    updated_at: datetime
    hidden: Reason | None = None
