"""Choose the vectors of a user: those in memory up to a number of rows, those of an engine beyond."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from rememora.domain.scope import Scope
from rememora.errors import Unavailable
from rememora.ports.vectors import Vectors
from rememora.userindex.user_index import UserIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

logger = logging.getLogger(__name__)

NEAREST = 300
"""How many cosines an engine is asked for."""


class VectorChoice:
    """Chooses between a user's vectors in memory and an engine's, by how many rows the user has."""

    def __init__(self, memory: Vectors, *, engine: Vectors | None = None, memory_rows: int = 0) -> None:
        self._memory, self._engine = memory, engine
        self._memory_rows = memory_rows
        self._told: set[Scope] = set()

    def of(self, index: UserIndex) -> Vectors:
        """Choose where the vectors of a user with this index are searched."""
        if self._engine is None or (index.holds_vectors and len(index) <= self._memory_rows):
            return self._memory
        return self._engine

    async def near(self, scope: Scope, index: UserIndex, vector: NDArray[np.float32]) -> dict[str, float] | None:
        """Cosines by name of a large user, from the engine; None where the index compares by itself, or nobody.

        Once the engine has answered, the index holds no vectors any more.
        """
        engine = self.of(index)
        if engine is self._memory:
            return None
        try:
            nearest = await engine.nearest(scope, vector, limit=NEAREST)
        except Unavailable as error:
            # An index that still has its own vectors answers by them, another one by words.
            self._tell(scope, index, error)
            return None
        index.drop_vectors()
        return {near.key.name: near.cosine for near in nearest}

    async def erase(self, scope: Scope) -> None:
        """Leave nothing of a user in an engine's copies."""
        if self._engine is None:
            return
        try:
            await self._engine.erase(scope)
        except Unavailable as error:
            # An index that holds the copy drops it when it next follows the store, where it is gone already.
            logger.warning("a copy of erased vectors is not at hand: %s", type(error).__name__)

    async def ask(self, scope: Scope, vector: NDArray[np.float32]) -> None:
        """Raise what the engine would raise."""
        if self._engine is not None:
            await self._engine.nearest(scope, vector, limit=1)

    async def close(self) -> None:
        """Let go of the engine; memory goes with the process."""
        if self._engine is not None:
            await self._engine.close()

    def _tell(self, scope: Scope, index: UserIndex, error: Unavailable) -> None:
        user = scope.person()
        if len(index) and user not in self._told:
            self._told.add(user)
            logger.warning("the vectors of a large user cannot be searched yet: %s", error)
