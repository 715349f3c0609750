"""A second judge of the best hits, where the host has one: asked for a moment, and missed by nobody."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Sequence

from rememora.domain.hit import Hit
from rememora.errors import ModelUnavailable
from rememora.ports.outside import Reranker
from rememora.ranking.rank import blend

logger = logging.getLogger(__name__)

SHOWN_EACH, SHOWN_LEAST = 4, 20
"""How many hits the reranker sees, per wanted one and at least."""


class SecondOpinion:
    """Asks a reranker within its time; late or failing, it leaves the order as it was, and that is counted."""

    def __init__(self, reranker: Reranker, *, seconds: float, share: float) -> None:
        self._reranker = reranker
        self._seconds = seconds
        self._share = share
        self.missed = 0

    def shown(self, limit: int) -> int:
        """Return how many hits to take from the ranking, so that the reranker has a choice."""
        return max(limit * SHOWN_EACH, SHOWN_LEAST)

    async def order(self, query: str, hits: list[Hit]) -> list[Hit]:
        """The hits in the order that both judges give them."""
        if len(hits) < 2:
            return hits
        try:
            async with asyncio.timeout(self._seconds):
                opinions = await self._reranker.rerank(query, [hit.content for hit in hits])
            return blend(hits, _checked(opinions, len(hits)), share=self._share)
        except Exception as error:
            # It is an opinion on hits that are there already: without it they stand as they are.
            self.missed += 1
            logger.warning("the reranker was skipped, %d times so far: %s", self.missed, type(error).__name__)
            return hits


def _checked(opinions: Sequence[float], count: int) -> list[float]:
    """One number from 0 to 1 for each hit."""
    values = [float(opinion) for opinion in opinions]
    if len(values) != count or not all(map(math.isfinite, values)):
        raise ModelUnavailable("the reranker did not return one score per text")
    return [min(1.0, max(0.0, value)) for value in values]
