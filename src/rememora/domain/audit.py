"""The audit chain: a list of all changes per tenant in which every edit is detected."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec

# Entries of the chain are signed with these words: one may be added, none renamed.
Action = Literal[
    "create",
    "update",
    "deprecate",
    "delete",
    "restore",
    "suppress",
    "unsuppress",
    "doubt",
    "read",
    "propose",
    "quarantine",
    "approve",
    "reject",
    "import",
    "erase",
    "rekey",
    "password",
]


class Act(msgspec.Struct, frozen=True, kw_only=True):
    """An action, before it has a position in the chain."""

    action: Action
    actor: str
    owner: str = ""
    memory: str = ""
    key: str = ""
    why: str = ""
    before: Any = None
    after: Any = None


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """An audit entry as it is stored; without a salt its content was erased, and only the digest remains."""

    tenant: str
    position: int
    at: int
    action: str
    actor: str
    owner: str
    memory: str
    key: str
    why: str
    before: str | None
    after: str | None
    salt: bytes | None
    digest: bytes
    hash: bytes


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """The signed head of a chain, by which a truncation is detected."""

    tenant: str
    position: int
    hash: bytes
    signature: bytes


class AuditEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One audit entry: actor, memory, time, reason, and the value before and after."""

    tenant: str
    position: int
    at: datetime
    action: str
    actor: str
    owner: str
    memory: str
    key: str
    why: str
    before: Any
    after: Any
    redacted: bool


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """A broken position of an audit chain, and the kind of damage."""

    tenant: str
    position: int
    what: str


class ChainReport(msgspec.Struct, frozen=True, kw_only=True):
    """Result of verifying a tenant's audit chain; no fault means that it is intact."""

    tenant: str
    entries: int
    head: str
    faults: tuple[Fault, ...] = ()

    @property
    def intact(self) -> bool:
        """Return whether nothing was edited, removed, reordered or cut off."""
        return not self.faults
