"""An entry of the erasure ledger: who asked for which erasure, so that it can be repeated."""

from __future__ import annotations

from datetime import datetime

import msgspec

from rememora.domain.receipt import Erasure


class LedgerEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One requested erasure; without a user it is about the whole tenant."""

    at: datetime
    tenant: str
    user: str | None = None
    erasure: Erasure | None = None


class Replayed(msgspec.Struct, frozen=True, kw_only=True):
    """Result of replaying the erasure ledger."""

    lines: int
    erased: int
