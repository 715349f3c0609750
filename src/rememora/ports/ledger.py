"""The seam of the record of erasures, which is kept outside the store."""

from __future__ import annotations

from typing import Protocol

from rememora.domain.ledger import Line
from rememora.domain.scope import Scope


class Ledger(Protocol):
    """Remembers what was asked to be gone: a backup from before brings it back, and whoever restores must know."""

    async def note(self, scope: Scope, line: Line) -> None:
        """Durable when this returns."""
        ...
