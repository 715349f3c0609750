"""Debug views of missions; in production they do not exist (W11)."""

from __future__ import annotations

from typing import Any

import msgspec

from rememora.domain.check import check_whole
from rememora.domain.mission import Mission
from rememora.domain.scope import Scope
from rememora.errors import RightMissing
from rememora.missions.limits import left
from rememora.missions.sweep import Swept, sweep
from rememora.ports.missions import MissionStore
from rememora.ports.outside import Clock
from rememora.settings import MissionSettings

PAGE_LIMIT = 1000


class DebugViews:
    """A mission's stored document, the list of active ones, and a manual sweep."""

    def __init__(self, store: MissionStore, *, clock: Clock, settings: MissionSettings) -> None:
        self._store = store
        self._clock = clock
        self._settings = settings

    async def mission(self, scope: Scope, mission_id: str) -> dict[str, Any]:
        """Return the whole document, and what is left of its limits."""
        self._only_in_development()
        return self._shown(await self._store.get(scope, mission_id))

    async def active(self, *, limit: int = 50) -> list[dict[str, Any]]:
        """Return the active missions of every tenant."""
        self._only_in_development()
        check_whole("limit", limit, 1, PAGE_LIMIT)
        return [self._shown(mission) for mission in await self._store.find_active_everywhere(limit=limit)]

    async def sweep(self) -> Swept:
        """Sweep now instead of at the next minute."""
        self._only_in_development()
        return await sweep(self._store, now=self._clock(), settings=self._settings)

    def _shown(self, mission: Mission) -> dict[str, Any]:
        document: dict[str, Any] = msgspec.to_builtins(mission)
        return {**document, "left": msgspec.to_builtins(left(mission, self._clock()))}

    def _only_in_development(self) -> None:
        if not self._settings.debug:
            raise RightMissing("missions.debug")
