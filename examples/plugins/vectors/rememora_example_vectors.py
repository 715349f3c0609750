"""A vector engine: `recall.vectors = "exact://"` searches a user's vectors exactly, in this process's memory.

The store's index is the truth, and an engine is a copy that follows it: before each search it asks what changed
after the number that it knows. When something was erased (`reset`, `anew`) it starts over from nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rememora.domain.hit import ItemKey
from rememora.domain.scope import Scope
from rememora.ports.index import IndexChanges
from rememora.ports.store import Store, UnitOfWork
from rememora.ports.vectors import Near


@dataclass
class _Copy:
    """The vectors of one owner, and how much of the index they have taken in."""

    seen: int = 0
    reset: int = 0
    vectors: dict[ItemKey, NDArray[np.float32]] = field(default_factory=dict)


class ExactVectors:
    """Compares a question with every vector of its user and of their tenant's shared items."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._copies: dict[Scope, _Copy] = {}

    def has(self, scope: Scope) -> bool:
        """Say that every user has an index here: it is filled when it is first asked."""
        return True

    async def nearest(self, scope: Scope, vector: NDArray[np.float32], *, limit: int) -> list[Near]:
        """Find the nearest items, best first."""
        found = [await self._follow(owner) for owner in {scope.person(), scope.shared()}]
        near = [Near(key, float(own @ vector)) for copy in found for key, own in copy.vectors.items()]
        return sorted(near, key=lambda each: -each.cosine)[:limit]

    async def erase(self, scope: Scope) -> int:
        """Drop the copy of a user, or of everybody of a tenant."""
        gone = [owner for owner in self._copies if owner == scope.person() or _covers(scope, owner)]
        return sum(len(self._copies.pop(owner).vectors) for owner in gone)

    async def close(self) -> None:
        """Let go of every copy."""
        self._copies.clear()

    async def _follow(self, owner: Scope) -> _Copy:
        copy, more = self._copies.get(owner, _Copy()), True
        while more:
            changes = await self._store.read(owner, partial(_changes, owner=owner, after=copy.seen))
            if changes.anew or (copy.seen and changes.reset > copy.reset):
                copy = _Copy(reset=changes.reset)
                continue
            gone = {*changes.gone, *(item.key for item in changes.items)}
            gone |= {key for key in copy.vectors if key.conversation in changes.gone_conversations}
            for key in gone & copy.vectors.keys():
                del copy.vectors[key]
            for item in changes.items:
                if item.vector is not None:
                    copy.vectors[item.key] = np.frombuffer(item.vector, dtype=np.float32)
            copy.seen, copy.reset, more = changes.newest, max(copy.reset, changes.reset), changes.more
        self._copies[owner] = copy
        return copy


def _changes(work: UnitOfWork, *, owner: Scope, after: int) -> IndexChanges:
    return work.index.changes(owner, after=after, limit=1000)


def _covers(scope: Scope, owner: Scope) -> bool:
    return scope.person() == scope.shared() and owner.tenant == scope.tenant


def make_vectors(url: str, store: Store, *, dimension: int, model: str) -> ExactVectors:
    """Make the engine; nothing in the URL matters to this one."""
    return ExactVectors(store)
