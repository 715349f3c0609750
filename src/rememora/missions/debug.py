"""Looking into missions while developing; in production these views do not exist (W11)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from rememora.domain.scope import Scope
from rememora.errors import RightMissing
from rememora.missions.sweep import Swept, sweep
from rememora.ports.missions import MissionStore
from rememora.settings import Missions as MissionSettings


class DebugViews:
    """A mission as it lies, the list of live ones, and a sweep by hand."""

    def __init__(self, store: MissionStore, *, settings: MissionSettings) -> None:
        self._store = store
        self._settings = settings

    async def mission(self, scope: Scope, mission_id: str) -> dict[str, Any]:
        """Return the whole document."""
        self._only_in_development()
        document: dict[str, Any] = msgspec.to_builtins(await self._store.get(scope, mission_id))
        return document

    async def active(self, *, limit: int = 50) -> list[dict[str, Any]]:
        """Return the active missions of every tenant."""
        self._only_in_development()
        return [msgspec.to_builtins(found) for found in await self._store.find_active_everywhere(limit=limit)]

    async def sweep(self, *, now: datetime) -> Swept:
        """Sweep now instead of at the next minute."""
        self._only_in_development()
        return await sweep(self._store, now=now, settings=self._settings)

    def _only_in_development(self) -> None:
        if not self._settings.debug:
            raise RightMissing("missions.debug")
