"""One user's index and how far it follows the store: opened where it was saved, else laid out, and saved again."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from rememora.domain.hit import SAID, IndexItem, ItemKey, Kind, name_of
from rememora.domain.scope import SHARED, Scope
from rememora.ports.index import Entry, IndexChanges
from rememora.ports.snapshots import Snapshots
from rememora.ports.store import Store, UnitOfWork
from rememora.recall import sizes
from rememora.recall.apart import apart
from rememora.recall.model import FIRST_RUN, run_in_use
from rememora.recall.user_timezone import UserTimezone
from rememora.userindex.columns import LOADED_ROWS, no_room
from rememora.userindex.features import is_current, pack, renew
from rememora.userindex.rows import row_of, size_of
from rememora.userindex.user_index import Batch, Filter, UserIndex
from rememora.userindex.version import MARK, VERSION

PAGE = 5_000
LOADED_AT_ONCE = 20_000
"""Entries of whom nothing is known yet that are read at once, without their texts."""
FORMAT = 100 * VERSION + 12
"""Format of saved layouts; raise it with any change to how rows are laid out."""
WHOLE_SHARE = 0.5
"""Which part of the limit one user may take with whole vectors: the others are to have room beside them."""
ROW_BYTES_MOST = 64 * 1024
"""More than any row takes, with its text and its vector."""
SAVED_SHARE = 0.05
"""Which part of an index must be new for it to be saved again."""
_DAMAGED = (LookupError, ValueError, TypeError, msgspec.MsgspecError)
EMBEDDED = "embedded"
SMALL_ROWS = 300
"""Entries of whom nothing is known yet that are read on the loop itself: a millisecond's work."""
_OWNERS = 2
"""The person, and the tenant for what all of its people share."""
AT_ONCE = 200
"""Items that are laid out without leaving the loop."""


class FollowedIndex:
    """One user's items laid out for ranking, and how far they follow the store."""

    def __init__(
        self,
        dimension: int,
        *,
        limit_bytes: int,
        model: str = "",
        memory_rows: int = sys.maxsize,
        in_engine: Callable[[], bool] = lambda: False,
        reducing: Callable[[], None] = lambda: None,
        snapshots: Snapshots | None = None,
    ) -> None:
        self.lock = asyncio.Lock()
        self._reducing = reducing
        self._snapshots = snapshots
        self._limit = limit_bytes
        self._memory_rows, self._in_engine = memory_rows, in_engine
        self._dimension = dimension
        self._model = model
        # Which making of vectors they are of, where somebody asked before they were read.
        self._making: str | None = None
        self._looked, self._spoilt = 0, False
        self._resets: dict[Scope, int] = {}
        self._clear()

    def _clear(self) -> None:
        self._seen: dict[Scope, int] = {}
        # Those of whom all has been read once: from then on they are followed.
        self._loaded: set[Scope] = set()
        room = no_room if self._snapshots is None else self._snapshots.scratch
        self.index = UserIndex(dimension=self._dimension, holds_vectors=self._may_hold_vectors(), room=room)
        self._kept: dict[str, IndexItem] = {}
        self._kept_bytes, self._keeping = 0, True
        self._saved, self._fresh = False, 0
        self._nbytes: int | None = None
        self._in_text = False
        self.timezone = UserTimezone()
        # What the store said of itself before it was last read; None where it says nothing.
        self._followed: int | None = None

    @property
    def nbytes(self) -> int:
        """About how much memory it takes; added up again only after something changed."""
        in_text = self.index.postings.in_text
        if self._nbytes is None or in_text != self._in_text:
            # A second question enters the words that a first one looked for in their text.
            self._nbytes, self._in_text = self.index.nbytes + self._kept_bytes, in_text
        return self._nbytes

    @property
    def is_loaded(self) -> bool:
        """Return whether it was complete at some time: from then on it follows the store."""
        return len(self._loaded) == _OWNERS

    async def follow(self, store: Store, scope: Scope) -> None:
        """Take in everything committed so far, in this process or another."""
        if self._wants_vectors_back():
            self._clear()
        changed = store.changed()
        if changed is not None and changed == self._followed:
            return
        # The index is the user's: whichever conversation asks, it has been followed this far.
        owners = (scope.person(), scope.shared())
        if self._seen or not await self._begun(store, owners):
            # Mostly little has happened: a look that short needs no thread, and tells where it does not reach.
            limit: int | None = SMALL_ROWS if self.is_loaded else None
            while not await self._caught_up(store, owners, limit):
                limit = None
        self._followed = changed

    async def _begun(self, store: Store, owners: tuple[Scope, Scope]) -> bool:
        """Whether all of a small user was read at once, by a look so short that it needs no thread."""
        if self._snapshots is not None and self._snapshots.has(owners[0]):
            await self._open(store, owners)
            return False
        pages = await store.read(owners[0], partial(self._look_if_small, owners=owners), short=True)
        if not pages:
            # To save them one must know whose vectors they are before they are read.
            await self._open(store, owners)
            return False
        for owner, changes in zip(owners, pages, strict=True):
            self._starts_over(owner, changes)
            self._take_in(owner, changes)
        return True

    def _may_hold_vectors(self) -> bool:
        """Whether vectors are loaded with the rows: not where an engine has them, or is to have them all."""
        return self._memory_rows > 0 and not self._in_engine()

    def _wants_vectors_back(self) -> bool:
        """Whether the user has become small again, and no engine has their vectors any more."""
        if self.index.holds_vectors or not 0 < len(self.index) <= self._memory_rows:
            return False
        return self._may_hold_vectors()

    async def opens(self, store: Store, scope: Scope) -> bool:
        """Return whether it follows the store now from its snapshot; else it is as empty as before."""
        async with self.lock:
            if not self._seen:
                await self._open(store, (scope.person(), scope.shared()))
            return bool(self._seen)

    async def _open(self, store: Store, owners: tuple[Scope, Scope]) -> None:
        """Start from the snapshot if it is sufficient; else build the index again."""
        if self._snapshots is None:
            return
        self._making = await self._making_in_use(store)
        # On another thread: a file of a large user takes longer than the event loop may stand still.
        state = await apart(self._snapshots.load, owners[0]) if self._snapshots.has(owners[0]) else None
        if state is None or not self._fits(state):
            return
        try:
            await apart(self._restore, state, owners)
        # A snapshot is a copy of the store: if it is damaged, it is thrown away and built again.
        except _DAMAGED:
            self._clear()

    def _restore(self, state: Mapping[str, NDArray[Any]], owners: tuple[Scope, Scope]) -> None:
        self.index.restore(state)
        self.timezone.restore(state["whereabouts"])
        self._resets = dict(zip(owners, state["resets"].tolist(), strict=True))
        self._seen = dict(zip(owners, state["seen"].tolist(), strict=True))
        self._loaded = set(owners)
        self._keeping = len(self.index) <= sizes.KEPT_ROWS
        self._saved, self._nbytes = True, None

    async def _making_in_use(self, store: Store) -> str:
        """Which making of vectors an index holds that is begun now; empty where they are not this model's."""
        run = await run_in_use(store)
        number, model = (FIRST_RUN, self._model) if run is None else (run.number, run.model.key)
        return f"{number} {model}" if model == self._model else ""

    def _fits(self, state: Mapping[str, NDArray[Any]]) -> bool:
        """Whether this program saved it, and with the vectors that the index is to hold."""
        if state.get("format", np.zeros(1)).tolist() != [FORMAT]:
            return False
        making = state.get("making", np.zeros(0, dtype=np.uint8)).tobytes()
        return not self.index.holds_vectors or making == (self._making or "").encode() != b""

    async def save(self, store: Store, scope: Scope, *, quiet: bool = False) -> bool:
        """Save a large index of which much has changed, or nothing is saved; whether it was.

        With `quiet`, one that was spoilt waits until nothing has come since it was last looked at: who talks on
        spoils it every few turns.
        """
        owners = (scope.person(), scope.shared())
        async with self.lock:
            await self.follow(store, scope)
            if self._has_grown():
                self._clear()
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

    def _has_grown(self) -> bool:
        """Whether it was read as a small user's, when nobody asked whose vectors they are, and is large now."""
        unknown = self._snapshots is not None and self._making is None and self.index.holds_vectors
        return unknown and self._own_rows() > sizes.SAVED_ROWS

    def _own_rows(self) -> int:
        return int(np.count_nonzero(self.index.column("alive") & ~self.index.column("shared")))

    async def _due(self, store: Store) -> bool:
        if self._own_rows() <= sizes.SAVED_ROWS or (self._saved and self._fresh < len(self.index) * SAVED_SHARE):
            return False
        # Vectors that were computed again meanwhile would be wrong for the next reader.
        if not self.index.holds_vectors:
            return True
        return bool(self._making) and self._making == await self._making_in_use(store)

    def _write(self, snapshots: Snapshots, owners: tuple[Scope, Scope]) -> None:
        marks = {
            "format": [FORMAT],
            "seen": [self._seen[owner] for owner in owners],
            "resets": [self._resets.get(owner, 0) for owner in owners],
        }
        arrays: dict[str, NDArray[Any]] = {name: np.array(held, dtype=np.int64) for name, held in marks.items()}
        making = np.frombuffer((self._making or "").encode() if self.index.holds_vectors else b"", dtype=np.uint8)
        arrays |= {"making": making, "whereabouts": self.timezone.state()}
        snapshots.save(owners[0], {**self.index.state(), **arrays})

    def spoil(self, owner: Scope) -> None:
        """Something that is saved is gone or says something else: nothing of it stays."""
        if self._snapshots is not None and owner.user != SHARED:
            self._spoilt |= self._snapshots.erase(owner)
            self._saved = False

    async def _caught_up(self, store: Store, owners: tuple[Scope, Scope], limit: int | None) -> bool:
        look = partial(self._look, owners=owners, limit=limit)
        pages = await store.read(owners[0], look, short=limit is not None)
        for owner, changes in zip(owners, pages, strict=True):
            if self._starts_over(owner, changes):
                self.spoil(owner)
                self._clear()
                return False
            if max(len(changes.items), len(changes.entries)) > AT_ONCE:
                await apart(self._apply_many, changes, owner)
            else:
                self._apply(changes, owner)
            self._note(owner, changes)
        return not any(changes.more for changes in pages)

    def _take_in(self, owner: Scope, changes: IndexChanges) -> None:
        self._apply(changes, owner)
        self._note(owner, changes)

    def _note(self, owner: Scope, changes: IndexChanges) -> None:
        self._seen[owner] = changes.newest
        if not changes.more:
            self._loaded.add(owner)

    def _look(self, work: UnitOfWork, owners: tuple[Scope, Scope], limit: int | None = None) -> list[IndexChanges]:
        """Return the changes of each owner, up to a limit."""
        return [self._news(work, owner, limit) for owner in owners]

    def _look_if_small(self, work: UnitOfWork, owners: tuple[Scope, Scope]) -> list[IndexChanges]:
        """All of each owner; nothing where one of them has too much for a short look."""
        pages: list[IndexChanges] = []
        for owner in owners:
            vectors = self.index.holds_vectors
            pages.append(work.index.load(owner, after=0, limit=SMALL_ROWS, mark=MARK, vectors=vectors, whole=True))
            if pages[-1].more:
                return []
        return pages

    def _starts_over(self, owner: Scope, changes: IndexChanges) -> bool:
        """Read everything again, only after an erasure that names no keys."""
        if changes.anew:
            self._resets.pop(owner, None)
            return True
        if changes.reset <= self._resets.get(owner, 0):
            return False
        self._resets[owner] = changes.reset
        return self._seen.get(owner, 0) > 0

    def _news(self, work: UnitOfWork, owner: Scope, limit: int | None) -> IndexChanges:
        after, vectors = self._seen.get(owner, 0), self.index.holds_vectors
        if owner in self._loaded:
            return work.index.changes(owner, after=after, limit=limit or PAGE, vectors=vectors)
        return work.index.load(owner, after=after, limit=limit or LOADED_AT_ONCE, mark=MARK, vectors=vectors)

    def _apply(self, changes: IndexChanges, owner: Scope) -> None:
        if changes.items or changes.entries or changes.gone or changes.gone_conversations:
            self._nbytes = None
        names = [key.name for key in changes.gone]
        self._fresh += max(len(changes.items), len(changes.entries)) + len(names)
        # The snapshot on disk still holds what is gone now, so it goes at once, and not with the next save.
        if changes.gone or changes.gone_conversations or self._rewrites(changes):
            self.spoil(owner)
        if changes.gone_conversations:
            names += self.index.ids(Filter(kinds=SAID, conversations=changes.gone_conversations))
        self.index.remove(names)
        for name in names:
            self._let_go(name)
            self.timezone.forget(name)
        if changes.entries:
            self._lay_out(changes, shared=owner.user == SHARED)
        else:
            for item in changes.items:
                self._put(item, shared=owner.user == SHARED)
        # Texts of a large user would take more memory than the index; they are read for the hits alone.
        if len(self.index) > sizes.KEPT_ROWS:
            self._kept_bytes, self._keeping = 0, False
            self._kept.clear()
        # Vectors at one byte a number take a quarter of the memory and change the ranking little.
        if self._is_too_large():
            self._reducing()
            self.index.reduce()
            self._nbytes = None

    def _is_too_large(self) -> bool:
        """Whether whole vectors take too much memory; who has few rows never does, and is not added up."""
        if not self.index.holds_vectors or self.index.reduced:
            return False
        most = self._limit * WHOLE_SHARE
        return len(self.index) * ROW_BYTES_MOST > most and self.nbytes > most

    def _apply_many(self, changes: IndexChanges, owner: Scope) -> None:
        self._apply(changes, owner)
        if self._snapshots is not None:
            # Laying out touches everything once: what is written stays in files, not in memory.
            self._snapshots.release()

    def _rewrites(self, changes: IndexChanges) -> bool:
        if self._snapshots is None or not len(self.index):
            return False
        known = ((item.key.name, item.searched) for item in changes.items)
        return any(name in self.index and not self.index.says(name, text) for name, text in known)

    def _lay_out(self, changes: IndexChanges, *, shared: bool) -> None:
        """Put all entries on the index at once; those whose items are here are read by them."""
        read = self._read_items(changes, shared=shared)
        entries = changes.entries
        if not entries:
            return
        kinds, conversations, ids, numbers, states, features, vectors = _columns(entries)
        gone = changes.superseded
        self.index.add_many(
            Batch(
                names=[*map(name_of, kinds, conversations, ids)],
                kinds=kinds,
                conversations=conversations,
                categories=[read[number][1] if number in read else "" for number in numbers] if read else (),
                numbers=numbers,
                superseded=[kind == "message" and id in gone for kind, id in zip(kinds, ids, strict=True)]
                if gone
                else (),
                embedded=[state == EMBEDDED for state in states],
                vectors=vectors,
                features=[
                    read[number][0] if number in read else packed or b""
                    for number, packed in zip(numbers, features, strict=True)
                ],
                shared=shared,
            )
        )

    def _read_items(self, changes: IndexChanges, *, shared: bool) -> dict[int, tuple[bytes, str]]:
        """Features and category of the entries whose items, or facts of memories, are here."""
        read: dict[int, tuple[bytes, str]] = {}
        if changes.memories:
            read |= self._read_memories(changes, shared=shared)
        if changes.items:
            kept = {entry[3]: entry[5] for entry in changes.entries}
            for item in changes.items:
                read[item.number] = self._features(item, kept.get(item.number), shared=shared), item.category
        return read

    def _read_memories(self, changes: IndexChanges, *, shared: bool) -> dict[int, tuple[bytes, str]]:
        read: dict[int, tuple[bytes, str]] = {}
        for kind, conversation, id, number, _, features, _ in changes.entries:
            facts = changes.memories.get(id) if kind == "memory" else None
            if facts is not None and features is not None and is_current(features):
                read[number] = renew(features, importance=facts.importance, at=facts.at), facts.category
                if not shared:
                    self.timezone.note(name_of(kind, conversation, id), facts.key, facts.value)
        return read

    def _features(self, item: IndexItem, kept: bytes | None, *, shared: bool) -> bytes:
        """Those of an item as it stands now, read where none are kept of its text."""
        name = item.key.name
        row = row_of(name, item, shared=shared)
        if not shared:
            self.timezone.learn(name, item)
        if self._keeping:
            self._keep(name, item)
        if kept is None or not is_current(kept):
            return pack(row)
        return renew(kept, importance=row.importance, at=row.at)

    def _put(self, item: IndexItem, *, shared: bool) -> None:
        name = item.key.name
        row = row_of(name, item, shared=shared)
        if not shared:
            self.timezone.learn(name, item)
        if item.embedded and self.index.says(name, item.searched):
            self.index.note(row)
            self.index.embed(name, item.vector)
        else:
            self.index.add(row)
        if self._keeping:
            self._keep(name, item)

    def _keep(self, name: str, item: IndexItem) -> None:
        self._let_go(name)
        # The vector lives in the index's matrix.
        self._kept[name] = msgspec.structs.replace(item, vector=None)
        self._kept_bytes += size_of(item)

    def _let_go(self, name: str) -> None:
        if name in self._kept:
            self._kept_bytes -= size_of(self._kept.pop(name))

    async def items(self, store: Store, scope: Scope, names: Sequence[str]) -> dict[str, IndexItem]:
        """Return the items of some names: cached for a small user, else read."""
        known = {name: self._kept[name] for name in names if name in self._kept}
        if len(known) == len(names):
            return known
        unknown = [name for name in names if name not in known]
        read = {item.key.name: item for item in await self._read(store, scope, unknown)}
        if self._keeping and read:
            self._nbytes = None
            for name, item in read.items():
                self._keep(name, item)
        return known | read

    async def _read(self, store: Store, scope: Scope, names: Sequence[str]) -> list[IndexItem]:
        marks: dict[Scope, list[tuple[Kind, int]]] = {scope.person(): [], scope.shared(): []}
        for name in names:
            number, shared = self.index.changed(name)
            owner = scope.shared() if shared else scope.person()
            marks[owner].append((ItemKey.named(name).kind, number))

        def standing(work: UnitOfWork) -> list[IndexItem]:
            return [item for mark in marks.items() for item in work.index.standing(*mark)]

        return await store.read(scope, standing, short=True)


def _columns(entries: Sequence[Entry]) -> Sequence[Sequence[Any]]:
    """Entries column by column; of many one after the other, for `zip` holds an iterator over each entry."""
    if len(entries) <= LOADED_ROWS:
        return [*zip(*entries, strict=True)]
    return [[entry[place] for entry in entries] for place in range(len(entries[0]))]
