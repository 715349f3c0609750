"""The seam of the record of erasures, which is kept outside the store."""

from __future__ import annotations

from typing import Protocol

from rememora.domain.ledger import LedgerEntry
from rememora.domain.scope import Scope


class Ledger(Protocol):
    """Records erasure requests: restoring an older backup brings erased data back, and they must be replayed."""

    async def note(self, scope: Scope, line: LedgerEntry) -> None:
        """Durable when this returns."""
        ...
