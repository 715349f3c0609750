"""Missions of all users of one tenant, without their content."""

from __future__ import annotations

import builtins

from rememora.domain.scope import Scope
from rememora.handles.deprecated import OldCall
from rememora.handles.tenant.noun import TenantNoun
from rememora.missions.oversee import MissionView, view_of


class TenantMissions(OldCall, TenantNoun):
    """The current missions of one tenant's users."""

    async def list(self, *, limit: int = 50) -> builtins.list[MissionView]:
        """List the current missions of all users, newest first, without their content."""
        self._actor.need("read_masked")
        found = await self._parts.missions.find_active_of(self._scope.tenant, limit=limit)
        return [view_of(mission, now=self._parts.clock()) for mission in found]

    async def stop(self, user: str, mission: str) -> bool:
        """End a mission as failed; False where it had ended."""
        self._actor.need("review")
        return await self._parts.missions.board(Scope(self._scope.tenant, user), mission).close("failed")
