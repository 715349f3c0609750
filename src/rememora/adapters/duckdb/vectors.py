"""Vectors searched in a DuckDB file that follows the store's index: exactly, and within one user before all else.

The file is a copy: it knows for each user the number of the last change it took in, and takes in what came after
before it answers. A crash anywhere is made good by following again, and what the store dropped is never found.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar
from weakref import WeakValueDictionary

from rememora.adapters.duckdb.file import Cursor, VectorFile
from rememora.domain.scope import Scope
from rememora.ports.store import Store
from rememora.ports.vectors import Near, check_length

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")
P = ParamSpec("P")
PAGE: Final = 2_000
SCHEME: Final = "duckdb:///"


class DuckVectors:
    """One file for every user of a store; it is opened when first needed, and by one process at a time."""

    def __init__(self, store: Store, path: Path, *, dimension: int, model: str = "", page: int = PAGE) -> None:
        self._store = store
        self._dimension = dimension
        self._page = page
        self._file = VectorFile(path, dimension=dimension, model=model)
        # One thread: the connection is its own, and every page is one transaction.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="rememora-duckdb")
        self._locks: WeakValueDictionary[Scope, asyncio.Lock] = WeakValueDictionary()
        self._closed = False

    def has(self, scope: Scope) -> bool:
        """Nobody can tell before the file is opened."""
        return False

    async def nearest(self, scope: Scope, vector: NDArray[np.float32], *, limit: int) -> list[Near]:
        check_length(vector, self._dimension)
        owners = (scope.person(), scope.shared())
        for owner in owners:
            await self._follow(owner)
        return await self._apart(self._file.nearest, owners, vector, limit)

    async def erase(self, scope: Scope) -> int:
        """Drop the user's copy, which is rebuilt from the remaining rows; rewrite the file without their bytes."""
        owner = scope.person()
        if owner == scope.shared():
            erased = await self._apart(self._file.drop_tenant, owner)
        else:
            await self._follow(scope.shared())
            async with self._lock(owner):
                erased = await self._apart(self._file.clear, owner, Cursor())
        await self._apart(self._file.rewrite)
        return erased

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._apart(self._file.close)
            self._thread.shutdown()

    async def _follow(self, owner: Scope) -> None:
        async with self._lock(owner):
            while not await self._caught_up(owner):
                pass

    async def _caught_up(self, owner: Scope) -> bool:
        cursor = await self._apart(self._file.cursor, owner)
        after = cursor.seen
        changes = await self._store.read(
            owner, lambda work: work.index.changes(owner, after=after, limit=self._page)
        )
        if changes.anew or (changes.reset > cursor.reset and after):
            # Something was erased, and no key says what: the copy is made anew, and its old bytes written over.
            await self._apart(self._file.clear, owner, Cursor(reset=changes.reset))
            await self._apart(self._file.rewrite)
            return False
        reset = max(changes.reset, cursor.reset)
        await self._apart(self._file.take_in, owner, changes, Cursor(seen=changes.newest, reset=reset))
        return not changes.more

    def _lock(self, owner: Scope) -> asyncio.Lock:
        return self._locks.setdefault(owner, asyncio.Lock())

    async def _apart(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run in the file's thread; a caller who is cancelled leaves the others their file as it should be."""
        return await asyncio.wrap_future(self._thread.submit(work, *args, **kwargs))


def open_vectors(url: str, store: Store, *, dimension: int, model: str) -> DuckVectors:
    """Vectors in the file of a `duckdb:///` URL."""
    return DuckVectors(store, Path(url.removeprefix(SCHEME)), dimension=dimension, model=model)
