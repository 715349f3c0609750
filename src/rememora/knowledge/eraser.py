"""Erases in every place that holds personal data, inside the store and outside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial

import msgspec

from rememora.domain.receipt import Erasure, Receipt
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.events.clear import clear
from rememora.knowledge.base import KnowledgeBase
from rememora.knowledge.erase import erase
from rememora.ports.missions import MissionStore
from rememora.ports.stream import PublishedEvents
from rememora.ports.window import WindowCache


class Eraser(msgspec.Struct, frozen=True, kw_only=True):
    """The only way to erase, for programs and for people's own requests."""

    desk: KnowledgeBase
    missions: MissionStore
    refresh: Callable[[Scope], Awaitable[object]]
    """Makes search drop what it holds in memory about an erased person."""
    windows: WindowCache | None = None
    told: PublishedEvents | None = None

    async def erase(self, scope: Scope, erasure: Erasure, *, actor: Actor) -> Receipt:
        """Erase permanently, and return the signed receipt.

        Erasing a whole person includes the memory that each agent keeps about them, and the receipt counts it.
        """
        outside = await self._agents(scope, erasure, actor=actor)
        outside["missions"] = outside.get("missions", 0) + await self._missions(scope, erasure)
        outside["hot_windows"] = outside.get("hot_windows", 0) + await self._cool(scope, erasure)
        onward = partial(clear, self.told, scope, before=self.desk.clock())
        receipt = await erase(self.desk, scope, erasure, actor=actor, counts=outside, onward=onward)
        # Once more: a reader may have made a copy of what was still there.
        await self._cool(scope, erasure)
        await self.refresh(scope)
        return receipt

    async def _agents(self, scope: Scope, erasure: Erasure, *, actor: Actor) -> dict[str, int]:
        """Erase what agents keep about a whole person; returns the counts."""
        counts: Counter[str] = Counter()
        if erasure.person and scope.agent is None:
            for name in await self.desk.store.read(scope, lambda work: work.memories.agents(scope)):
                receipt = await self.erase(scope.of_agent(name), erasure, actor=actor)
                counts.update({**receipt.counts, "agents": 1})
        return dict(counts)

    async def _cool(self, scope: Scope, erasure: Erasure) -> int:
        """Remove cached copies of what is erased."""
        if self.windows is None or not erasure.history:
            return 0
        if erasure.conversation is not None:
            return await self.windows.drop(scope.within(erasure.conversation))
        return await self.windows.drop(scope) if erasure.person else 0

    async def _missions(self, scope: Scope, erasure: Erasure) -> int:
        """Erase missions here, because history and knowledge do not know about them."""
        if erasure.conversation is not None:
            return await self.missions.erase(scope.within(erasure.conversation))
        return await self.missions.erase(scope) if erasure.person else 0
