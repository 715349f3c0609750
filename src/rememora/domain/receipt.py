"""Proof of an erasure: how much went, signed, with nothing of what it was."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TypedDict

import msgspec

from rememora.domain.check import check_name
from rememora.domain.memory import check_prefix
from rememora.errors import InvalidInput


class Erasing(TypedDict, total=False):
    """What may be asked to be gone."""

    memory: str | None
    topic: str | None
    conversation: str | None
    person: bool
    history: bool


class Erasure(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be gone: exactly one of a memory, a topic, a conversation, or the whole person."""

    memory: str | None = None
    topic: str | None = None
    conversation: str | None = None
    person: bool = False
    history: bool = True

    def __post_init__(self) -> None:
        for flag in ("person", "history"):
            if not isinstance(getattr(self, flag), bool):
                raise InvalidInput(flag, "must be true or false")
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
        """Which of the four it is."""
        return next(name for name in ("memory", "topic", "conversation", "person") if getattr(self, name))


class Doomed(msgspec.Struct, frozen=True, kw_only=True):
    """What an erasure reaches, as each place that holds something needs to know it."""

    memories: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    conversation: str | None = None
    person: bool = False
    history: bool = False


class Beyond(msgspec.Struct, frozen=True, kw_only=True):
    """What an erasure did outside the store: how much it took away, and what it could not reach."""

    counts: Mapping[str, int] = {}
    remains: tuple[str, ...] = ()


class Residue(msgspec.Struct, frozen=True, kw_only=True):
    """Where erased content was still found."""

    file: str
    offset: int


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """What was erased, in numbers. The fingerprints are keyed by the store: alone they reveal nothing.

    `remains` says where on a server bytes may stay for a while that nobody but its operator reaches, and whether
    files could not be cleaned just then.
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
        """The bytes that the signature stands for."""
        return msgspec.json.encode(msgspec.structs.replace(self, signature=""), order="sorted")


class ReceiptReport(msgspec.Struct, frozen=True, kw_only=True):
    """What checking a receipt found."""

    genuine: bool
    clean: bool
    residues: tuple[Residue, ...] = ()
    named: int = 0
    elsewhere: int = 0
    """How many pieces of what was erased also stood in what nobody asked to erase, when it was."""
