"""Figures of one tenant: verdicts of the gate, and the last days."""

from __future__ import annotations

from rememora.domain.quality import VerdictCount
from rememora.domain.trend import Trend
from rememora.handles.tenant.noun import TenantNoun
from rememora.knowledge import quality


class TenantQuality(TenantNoun):
    """Figures of one tenant: verdicts of the gate, and figures over time."""

    async def verdicts(self) -> list[VerdictCount]:
        """Count the gate's verdicts and reasons for this tenant's people, the most frequent first."""
        return await quality.verdicts(self._parts.store, self._scope)

    async def trend(self, *, days: int = 30) -> Trend:
        """The tenant's last days: turns, recalls, verdicts, corrections, and what waited in the whole store."""
        return await self._parts.trends.read(self._scope, days=days)
