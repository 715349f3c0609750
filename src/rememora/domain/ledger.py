"""A line of the record of erasures: whose, and what was asked to be gone, so that it can be asked again."""

from __future__ import annotations

from datetime import datetime

import msgspec

from rememora.domain.receipt import Erasure


class LedgerEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One wish to erase; without a user it is about the whole tenant."""

    at: datetime
    tenant: str
    user: str | None = None
    erasure: Erasure | None = None


class Replayed(msgspec.Struct, frozen=True, kw_only=True):
    """Result of replaying the erasure ledger."""

    lines: int
    erased: int
