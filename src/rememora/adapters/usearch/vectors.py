"""A large user's vectors on the embedded engine: searched in memory-mapped files, with later changes added.

The files are derived and may be lost at any time: the worker rewrites them from the store. A search reads the
changes since they were written and compares those in memory, so that nothing new is missed and nothing removed
found.
"""

from __future__ import annotations

import asyncio
import hashlib
import heapq
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rememora.adapters.usearch.build import SEGMENT_ROWS, Builder, pages
from rememora.adapters.usearch.files import IndexFolder, OpenSegment, owners_in, settings_of
from rememora.adapters.usearch.tail import Tail
from rememora.domain.hit import ItemKey
from rememora.domain.scope import SHARED, Scope
from rememora.errors import StoreUnavailable
from rememora.ports.store import Store
from rememora.ports.vectors import Near, check_length

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["SEGMENT_ROWS", "UsearchVectors", "settings_of"]

TAIL_MOST = 50_000
"""Vectors since the files were written that are still compared one by one; beyond, the worker must write first."""
AT_LEAST = 200
"""What each segment is asked for: the nearest may all lie in one."""


class UsearchVectors:
    """The indexes of every large user in one folder, those of one model apart from any other's."""

    def __init__(self, store: Store, folder: Path, *, dimension: int, model: str = "") -> None:
        self._store, self._all = store, folder
        self._root = folder / hashlib.sha256(model.encode()).hexdigest()[:16]
        self._dimension = dimension
        self._owners: dict[Scope, _Owner] = {}

    async def nearest(self, scope: Scope, vector: NDArray[np.float32], *, limit: int) -> list[Near]:
        """The user's own and the tenant's shared items whose vectors are closest, best first."""
        check_length(vector, self._dimension)
        owners = [self._of(scope.person()), self._of(scope.shared())]
        pairs = [pair for owner in owners for pair in await owner.nearest(self._store, vector, limit)]
        return [Near(key, cosine) for key, cosine in heapq.nlargest(limit, pairs, key=lambda pair: pair[1])]

    def has(self, scope: Scope) -> bool:
        """Return whether there are files of a user."""
        return IndexFolder(self._root, scope.person()).stamp() > 0

    async def erase(self, scope: Scope) -> int:
        """Remove the user's files, or those of the whole tenant; returns how many vectors were in them."""
        if scope.user == SHARED:
            owners = await asyncio.to_thread(owners_in, self._root)
            return sum([await self._erase(owner) for owner in owners if owner.tenant == scope.tenant])
        return await self._erase(scope.person())

    async def _erase(self, owner: Scope) -> int:
        self._owners.pop(owner, None)
        folder = IndexFolder(self._root, owner)
        listed = await asyncio.to_thread(folder.listed, self._dimension)
        await asyncio.to_thread(folder.remove)
        await asyncio.to_thread(self._remove_others)
        return listed.count if listed else 0

    async def close(self) -> None:
        """Let go of the files."""
        self._owners.clear()

    async def build(self, owners: Sequence[Scope]) -> None:
        """Bring the files of these users up to date, and remove those of all others, and of other models."""
        await asyncio.to_thread(self._remove_others)
        for owner in await asyncio.to_thread(owners_in, self._root):
            if owner not in owners:
                await self._erase(owner)
        await asyncio.to_thread(self._remove_halves, owners)
        for owner in owners:
            await Builder(self._store, owner, IndexFolder(self._root, owner), dimension=self._dimension).build()

    def _remove_halves(self, owners: Sequence[Scope]) -> None:
        """Files that a dead process had begun, of somebody who needs none: no list says whose they are."""
        for folder in {*self._root.glob("*")} - {IndexFolder(self._root, owner).path for owner in owners}:
            shutil.rmtree(folder, ignore_errors=True)

    def _remove_others(self) -> None:
        """Delete the files of other models: they are of no use any more, and may belong to an erased user."""
        for other in self._all.glob("*"):
            if other != self._root:
                shutil.rmtree(other, ignore_errors=True)

    def _of(self, owner: Scope) -> _Owner:
        if owner not in self._owners:
            self._owners[owner] = _Owner(owner, IndexFolder(self._root, owner), self._dimension)
        return self._owners[owner]


class _Owner:
    """One owner's files as they are open now, and what happened after them."""

    def __init__(self, owner: Scope, folder: IndexFolder, dimension: int) -> None:
        self._owner, self._folder, self._dimension = owner, folder, dimension
        self._lock = asyncio.Lock()
        self._stamp = -1
        self._clear()

    def _clear(self) -> None:
        self._segments: list[OpenSegment] = []
        self._tail = Tail(self._dimension)
        self._seen = self._reset = 0

    async def nearest(self, store: Store, vector: NDArray[np.float32], limit: int) -> list[tuple[ItemKey, float]]:
        async with self._lock:
            await asyncio.to_thread(self._open_again)
            await self._follow(store)
            return await asyncio.to_thread(lambda: list(self._search(vector, limit)))

    def _open_again(self) -> None:
        stamp = self._folder.stamp()
        if stamp == self._stamp:
            return
        self._stamp = stamp
        self._clear()
        listed = self._folder.listed(self._dimension)
        if listed is None:
            return
        try:
            self._segments = [
                OpenSegment(self._folder.path, segment, self._dimension) for segment in listed.segments
            ]
            for key, values in self._folder.read_loose(listed).items():
                self._tail.put(key, values)
        except (OSError, ValueError, RuntimeError):
            # Damaged, or just replaced: the worker writes it anew, and until then there is none.
            self._clear()
            return
        self._seen, self._reset = listed.seen, listed.reset

    async def _follow(self, store: Store) -> None:
        if not self._seen and self._owner.user != SHARED:
            raise StoreUnavailable("the index of this user's vectors is not written yet")
        async for changes in pages(store, self._owner, after=self._seen):
            if changes.anew or (changes.reset > self._reset and self._seen):
                self._stamp = -1
                self._clear()
                self._reset = changes.reset
                raise StoreUnavailable("the index of this user's vectors is out of date")
            self._tail.apply(changes)
            self._seen, self._reset = changes.newest, max(self._reset, changes.reset)
            # Searching so long a tail one by one would cost more than searching without these files.
            if len(self._tail) > TAIL_MOST:
                raise StoreUnavailable("the index of this user's vectors is far behind")

    def _search(self, vector: NDArray[np.float32], limit: int) -> Iterator[tuple[ItemKey, float]]:
        count = max(AT_LEAST, min(limit, 2 * limit // (len(self._segments) or 1)))
        for segment in self._segments:
            for key, cosine in segment.nearest(vector, count):
                if not self._tail.holds_no_more(key):
                    yield key, cosine
        yield from self._tail.nearest(vector)
