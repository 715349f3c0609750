"""Vectors searched in memory: each of a user's is compared, in the index that follows the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rememora.domain.hit import ItemKey
from rememora.domain.scope import Scope
from rememora.ports.store import Store
from rememora.ports.vectors import Near, check_length
from rememora.recall.index_cache import IndexCache
from rememora.userindex.user_index import UserIndex
from rememora.userindex.vectors import as_vector

if TYPE_CHECKING:
    from numpy.typing import NDArray


class MemoryVectors:
    """The vectors of every user whose index is in memory; an index is loaded on first use."""

    def __init__(self, store: Store, cache: IndexCache, *, dimension: int) -> None:
        self._store, self._cache, self._dimension = store, cache, dimension

    def has(self, scope: Scope) -> bool:
        """Check whether the user's index is in memory, with its vectors."""
        return self._cache.has_loaded(scope) and self._cache.of(scope).index.holds_vectors

    async def nearest(self, scope: Scope, vector: NDArray[np.float32], *, limit: int) -> list[Near]:
        """The user's own and the tenant's shared items whose vectors are closest, best first."""
        check_length(vector, self._dimension)
        mine = self._cache.of(scope)
        async with mine.lock:
            await mine.follow(self._store, scope)
            near = closest(mine.index, vector, limit)
        self._cache.make_room(scope)
        return near

    async def erase(self, scope: Scope) -> int:
        """Drop the user's index, which is loaded again from the store."""
        return self._cache.forget(scope)

    async def close(self) -> None:
        """Hold nothing any more."""
        self._cache.clear()


def closest(index: UserIndex, vector: NDArray[np.float32], limit: int) -> list[Near]:
    """The embedded rows of an index that are closest to a vector, best first."""
    cosines = index.cosines(as_vector(vector), exact=True)
    if cosines is None:
        return []
    rows = np.flatnonzero(index.column("embedded"))
    best = rows[np.argsort(-cosines[rows], kind="stable")[:limit]]
    return [Near(ItemKey.named(index.name(row)), float(cosines[row])) for row in best.tolist()]
