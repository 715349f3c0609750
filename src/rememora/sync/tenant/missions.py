"""`TenantMissions` without `await`; `make sync` writes this file from `handles/tenant/missions.py`."""

from __future__ import annotations

import builtins

from rememora.handles.deprecated import OldCall
from rememora.handles.tenant import missions as wrapped
from rememora.missions.oversee import MissionView
from rememora.portal import Portal


class SyncTenantMissions(OldCall):
    """The current missions of one tenant's users."""

    def __init__(self, portal: Portal, inner: wrapped.TenantMissions) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    def list(self, *, limit: int = 50) -> builtins.list[MissionView]:
        """List the current missions of all users, newest first, without their content."""
        return self._portal.run(self._inner.list(limit=limit))

    def stop(self, user: str, mission: str) -> bool:
        """End a mission as failed; False where it had ended."""
        return self._portal.run(self._inner.stop(user, mission))
