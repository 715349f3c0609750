"""Quarantine of one tenant: texts that wait for a reviewer."""

from __future__ import annotations

import builtins
from typing import Any

from rememora.domain.memory import Memory, Quarantined, Review
from rememora.handles.tenant.noun import TenantNoun
from rememora.knowledge import review


class TenantQuarantine(TenantNoun):
    """The texts of one tenant that tried to give orders."""

    async def list(
        self, *, status: Review | None = "held", limit: int = 100, after: str = ""
    ) -> builtins.list[Quarantined]:
        """Text that tried to give orders, oldest first."""
        return await review.quarantined(
            self._parts.desk, self._scope, actor=self._actor, status=status, limit=limit, after=after
        )

    async def approve(self, quarantined: str, *, key: str | None = None, value: Any = None) -> Memory | None:
        """Let a held text go; under a key it becomes a memory."""
        return await review.approve(
            self._parts.desk, self._scope, quarantined, actor=self._actor, key=key, value=value
        )

    async def reject(self, quarantined: str, *, why: str = "") -> None:
        """Reject a quarantined text permanently."""
        await review.reject(self._parts.desk, self._scope, quarantined, actor=self._actor, why=why)
