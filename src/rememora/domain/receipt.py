"""Proof of an erasure: signed counts, without the erased content."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TypedDict

import msgspec

from rememora.domain.check import check_name
from rememora.domain.memory import check_prefix
from rememora.errors import InvalidInput


class ErasureArguments(TypedDict, total=False):
    """Arguments of an erasure."""

    memory: str | None
    topic: str | None
    conversation: str | None
    person: bool
    history: bool


class Erasure(msgspec.Struct, frozen=True, kw_only=True):
    """Target of an erasure: exactly one of a memory, a topic, a conversation, or the whole person."""

    memory: str | None = None
    topic: str | None = None
    conversation: str | None = None
    person: bool = False
    history: bool = True

    def __post_init__(self) -> None:
        for flag in ("person", "history"):
            if not isinstance(getattr(self, flag), bool):
                raise InvalidInput(flag, "must be true or false")
        # An erasure cannot be taken back, so two targets or none are a mistake and not a wider request.
        named = [self.memory is not None, self.topic is not None, self.conversation is not None, self.person]
        if sum(named) != 1:
            raise InvalidInput("erase", "name exactly one of memory, topic, conversation, person")
        if self.topic is not None:
            check_prefix("topic", self.topic)
        for field in ("memory", "conversation"):
            if getattr(self, field) is not None:
                check_name(field, getattr(self, field))

    @property
    def kind(self) -> str:
        """Return which of the four targets it is."""
        return next(name for name in ("memory", "topic", "conversation", "person") if getattr(self, name))


class ErasurePlan(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that an erasure reaches, in the form each storage place needs."""

    memories: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    conversation: str | None = None
    person: bool = False
    history: bool = False


class OutsideErasure(msgspec.Struct, frozen=True, kw_only=True):
    """Result of an erasure outside the store: how much was removed, and what was out of reach."""

    counts: Mapping[str, int] = {}
    remains: tuple[str, ...] = ()


class Residue(msgspec.Struct, frozen=True, kw_only=True):
    """Places where erased content was still found."""

    file: str
    offset: int


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """Proof of an erasure, in numbers. The fingerprints are keyed by the store: alone they reveal nothing.

    `remains` names places on a server where bytes may stay for a while, readable only by its operator, and files
    that could not be cleaned yet.
    """

    id: str
    tenant: str
    kind: str
    at: datetime
    counts: Mapping[str, int]
    audit_position: int
    fingerprints: tuple[str, ...]
    elsewhere: int
    public_key: str
    remains: tuple[str, ...] = ()
    signature: str = ""

    def signed_part(self) -> bytes:
        """Return the bytes that the signature covers."""
        return msgspec.json.encode(msgspec.structs.replace(self, signature=""), order="sorted")


class ReceiptReport(msgspec.Struct, frozen=True, kw_only=True):
    """Result of verifying a receipt."""

    genuine: bool
    clean: bool
    residues: tuple[Residue, ...] = ()
    named: int = 0
    elsewhere: int = 0
    """Number of pieces of erased text that also occurred in content outside the erasure, at that time."""
