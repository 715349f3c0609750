"""One user's shelf and how far it follows the store: opened where it was saved, else laid out, and saved again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from rememora.domain.hit import Item, ItemKey, Kind
from rememora.domain.scope import SHARED, Scope
from rememora.ports.index import Changes
from rememora.ports.snapshots import Snapshots
from rememora.ports.store import Store, UnitOfWork
from rememora.recall.apart import apart
from rememora.recall.columns import no_room
from rememora.recall.model import FIRST_RUN, run_in_use
from rememora.recall.rows import row_of, size_of
from rememora.recall.shelf import Filter, Shelf
from rememora.recall.whereabouts import Whereabouts

PAGE = 5_000
FORMAT = 11
"""Of what is saved; to be raised with any change to how rows are laid out or texts are cut into tokens."""
WHOLE_SHARE = 0.5
"""Which part of the limit one user may take with whole vectors: the others are to have room beside them."""
SAVED_SHARE = 0.05
"""Which part of a shelf must be new for it to be saved again."""
KEPT_ROWS = 20_000
"""Rows up to which a user's texts are kept beside them; of more, the few that are found are read."""
SAVED_ROWS = 2_000
"""A user's own rows above which a layout is saved: to make one of so many takes half a second of CPU."""
_DAMAGED = (LookupError, ValueError, TypeError, msgspec.MsgspecError)
AT_ONCE = 200
"""Items that are laid out without leaving the loop."""
SAID = ("message", "summary", "episode")
"""What goes with its conversation; what is known outlives it."""


class UserShelf:
    """One user's items laid out for ranking, and how far they follow the store."""

    def __init__(
        self,
        dimension: int,
        *,
        limit_bytes: int,
        model: str = "",
        elsewhere: bool = False,
        reducing: Callable[[], None] = lambda: None,
        snapshots: Snapshots | None = None,
    ) -> None:
        self.lock = asyncio.Lock()
        self._reducing = reducing
        self._snapshots = snapshots
        self._limit = limit_bytes
        self._elsewhere = elsewhere
        self._dimension = dimension
        self._model = model
        self._making = ""
        self._looked, self._spoilt = 0, False
        self._resets: dict[Scope, int] = {}
        self._clear()

    def _clear(self) -> None:
        self._seen: dict[Scope, int] = {}
        room = no_room if self._snapshots is None else self._snapshots.scratch
        self.shelf = Shelf(dimension=self._dimension, elsewhere=self._elsewhere, room=room)
        self._kept: dict[str, Item] = {}
        self._kept_bytes, self._keeping = 0, True
        self._saved, self._fresh = False, 0
        self._nbytes: int | None = None
        self.whereabouts = Whereabouts()
        # What the store said of itself before it was last read; None where it says nothing.
        self._followed: int | None = None

    @property
    def nbytes(self) -> int:
        """About how much memory it takes; added up again only after something changed."""
        if self._nbytes is None:
            self._nbytes = self.shelf.nbytes + self._kept_bytes
        return self._nbytes

    async def follow(self, store: Store, scope: Scope) -> None:
        """Take in everything committed so far, in this process or another."""
        changed = store.changed()
        if changed is not None and changed == self._followed:
            return
        # The shelf is the user's: whichever conversation asks, it has been followed this far.
        owners = (scope.person(), scope.shared())
        if self._snapshots is not None and not self._seen:
            await self._open(self._snapshots, store, owners)
        while not await self._caught_up(store, owners):
            pass
        self._followed = changed

    async def opens(self, store: Store, scope: Scope) -> bool:
        """Whether it follows the store now from what was saved; else it is as empty as before."""
        async with self.lock:
            if self._snapshots is not None and not self._seen:
                await self._open(self._snapshots, store, (scope.person(), scope.shared()))
            return bool(self._seen)

    async def _open(self, snapshots: Snapshots, store: Store, owners: tuple[Scope, Scope]) -> None:
        """Begin with what was saved, where that is all a shelf must know; else all is laid out anew."""
        self._making = await self._making_in_use(store)
        state = await apart(snapshots.load, owners[0])
        if state is None or not self._fits(state):
            return
        try:
            await apart(self._restore, state, owners)
        except _DAMAGED:
            self._clear()

    def _restore(self, state: Mapping[str, NDArray[Any]], owners: tuple[Scope, Scope]) -> None:
        self.shelf.restore(state)
        self.whereabouts.restore(state["whereabouts"])
        self._resets = dict(zip(owners, state["resets"].tolist(), strict=True))
        self._seen = dict(zip(owners, state["seen"].tolist(), strict=True))
        self._keeping = len(self.shelf) <= KEPT_ROWS
        self._saved, self._nbytes = True, None

    async def _making_in_use(self, store: Store) -> str:
        """Which making of vectors a shelf holds that is begun now; empty where they are not this model's."""
        run = await run_in_use(store)
        number, model = (FIRST_RUN, self._model) if run is None else (run.number, run.model.key)
        return f"{number} {model}" if model == self._model else ""

    def _fits(self, state: Mapping[str, NDArray[Any]]) -> bool:
        """Whether this program saved it, and with the vectors that the shelf is to hold."""
        if state.get("format", np.zeros(1)).tolist() != [FORMAT]:
            return False
        making = state.get("making", np.zeros(0, dtype=np.uint8)).tobytes()
        return self.shelf.elsewhere or making == self._making.encode() != b""

    async def save(self, store: Store, scope: Scope, *, quiet: bool = False) -> bool:
        """Save a large shelf of which much has changed, or nothing is saved; whether it was.

        With `quiet`, one that was spoilt waits until nothing has come since it was last looked at: who talks on
        spoils it every few turns.
        """
        owners = (scope.person(), scope.shared())
        async with self.lock:
            await self.follow(store, scope)
            seen = sum(self._seen.values())
            still, self._looked = seen == self._looked, seen
            waits = quiet and self._spoilt and not still
            if self._snapshots is None or waits or not await self._due(store):
                return False
            await apart(self._write, self._snapshots, owners)
            self._saved, self._fresh, self._spoilt = True, 0, False
            # What was deleted meanwhile takes the snapshot along.
            await self.follow(store, scope)
        return True

    async def _due(self, store: Store) -> bool:
        own = np.count_nonzero(self.shelf.column("alive") & ~self.shelf.column("shared"))
        if own <= SAVED_ROWS or (self._saved and self._fresh < len(self.shelf) * SAVED_SHARE):
            return False
        # Vectors that others have made anew meanwhile are of no use to whoever opens them.
        return self.shelf.elsewhere or "" != self._making == await self._making_in_use(store)

    def _write(self, snapshots: Snapshots, owners: tuple[Scope, Scope]) -> None:
        marks = {
            "format": [FORMAT],
            "seen": [self._seen[each] for each in owners],
            "resets": [self._resets.get(each, 0) for each in owners],
        }
        arrays: dict[str, NDArray[Any]] = {name: np.array(held, dtype=np.int64) for name, held in marks.items()}
        making = np.frombuffer(b"" if self.shelf.elsewhere else self._making.encode(), dtype=np.uint8)
        arrays |= {"making": making, "whereabouts": self.whereabouts.state()}
        snapshots.save(owners[0], {**self.shelf.state(), **arrays})

    def spoil(self, owner: Scope) -> None:
        """Something that is saved is gone or says something else: nothing of it stays."""
        if self._snapshots is not None and owner.user != SHARED:
            self._spoilt |= self._snapshots.erase(owner)
            self._saved = False

    def start_over(self) -> None:
        """Forget everything, to be laid out anew."""
        self._clear()

    async def _caught_up(self, store: Store, owners: tuple[Scope, Scope]) -> bool:
        pages = await store.read(owners[0], partial(self._look, owners=owners))
        for owner, changes in zip(owners, pages, strict=True):
            if self._starts_over(owner, changes):
                self.spoil(owner)
                self._clear()
                return False
            if len(changes.items) > AT_ONCE:
                await apart(self._apply_many, changes, owner)
            else:
                self._apply(changes, owner)
            self._seen[owner] = changes.newest
        return not any(changes.more for changes in pages)

    def _look(self, work: UnitOfWork, owners: tuple[Scope, Scope]) -> list[Changes]:
        """Changes of each owner."""
        return [self._news(work, owner) for owner in owners]

    def _starts_over(self, owner: Scope, changes: Changes) -> bool:
        """After an erasure that no key tells of, and only then, all is read anew."""
        if changes.anew:
            self._resets.pop(owner, None)
            return True
        if changes.reset <= self._resets.get(owner, 0):
            return False
        self._resets[owner] = changes.reset
        return self._seen.get(owner, 0) > 0

    def _news(self, work: UnitOfWork, owner: Scope) -> Changes:
        after, vectors = self._seen.get(owner, 0), not self.shelf.elsewhere
        return work.index.changes(owner, after=after, limit=PAGE, vectors=vectors)

    def _apply(self, changes: Changes, owner: Scope) -> None:
        if changes.items or changes.gone or changes.gone_conversations:
            self._nbytes = None
        names = [key.name for key in changes.gone]
        self._fresh += len(changes.items) + len(names)
        if changes.gone or changes.gone_conversations or self._rewrites(changes):
            self.spoil(owner)
        if changes.gone_conversations:
            names += self.shelf.ids(Filter(kinds=SAID, conversations=changes.gone_conversations))
        self.shelf.remove(names)
        for name in names:
            self._let_go(name)
            self.whereabouts.forget(name)
        for item in changes.items:
            self._put(item, shared=owner.user == SHARED)
        if len(self.shelf) > KEPT_ROWS:
            self._kept_bytes, self._keeping = 0, False
            self._kept.clear()
        if not (self.shelf.reduced or self.shelf.elsewhere) and self.nbytes > self._limit * WHOLE_SHARE:
            self._reducing()
            self.shelf.reduce()
            self._nbytes = None

    def _apply_many(self, changes: Changes, owner: Scope) -> None:
        self._apply(changes, owner)
        if self._snapshots is not None:
            # Laying out touches everything once: what is written stays in files, not in memory.
            self._snapshots.release()

    def _rewrites(self, changes: Changes) -> bool:
        if self._snapshots is None:
            return False
        known = ((item.key.name, item.searched) for item in changes.items)
        return any(name in self.shelf and not self.shelf.says(name, text) for name, text in known)

    def _put(self, item: Item, *, shared: bool) -> None:
        name = item.key.name
        row = row_of(name, item, shared=shared)
        if not shared:
            self.whereabouts.learn(name, item)
        if item.embedded and self.shelf.says(name, item.searched):
            self.shelf.note(row)
            self.shelf.embed(name, item.vector)
        else:
            self.shelf.add(row)
        if self._keeping:
            self._keep(name, item)

    def _keep(self, name: str, item: Item) -> None:
        self._let_go(name)
        # The vector lives in the shelf's matrix.
        self._kept[name] = msgspec.structs.replace(item, vector=None)
        self._kept_bytes += size_of(item)

    def _let_go(self, name: str) -> None:
        if name in self._kept:
            self._kept_bytes -= size_of(self._kept.pop(name))

    async def items(self, store: Store, scope: Scope, names: Sequence[str]) -> dict[str, Item]:
        """What stands behind some names: kept where a user is small and it was met before, else read."""
        known = {name: self._kept[name] for name in names if name in self._kept}
        if len(known) == len(names):
            return known
        unknown = [name for name in names if name not in known]
        found = {item.key.name: item for item in await self._read(store, scope, unknown)}
        if self._keeping and found:
            self._nbytes = None
            for name, item in found.items():
                self._keep(name, item)
        return known | found

    async def _read(self, store: Store, scope: Scope, names: Sequence[str]) -> list[Item]:
        marks: dict[Scope, list[tuple[Kind, int]]] = {scope.person(): [], scope.shared(): []}
        for name in names:
            number, shared = self.shelf.changed(name)
            owner = scope.shared() if shared else scope.person()
            marks[owner].append((ItemKey.named(name).kind, number))

        def standing(work: UnitOfWork) -> list[Item]:
            return [item for mark in marks.items() for item in work.index.standing(*mark)]

        return await store.read(scope, standing, short=True)
