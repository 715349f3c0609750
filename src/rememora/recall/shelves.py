"""The shelves of the users who were asked about lately: bounded in memory, and never behind the store."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from sys import getsizeof
from typing import cast

import msgspec
import numpy as np

from rememora.domain.hit import Item, ItemKey, Kind
from rememora.domain.scope import SHARED, Scope
from rememora.ports.index import Changes
from rememora.ports.snapshots import Snapshots
from rememora.ports.store import Store, UnitOfWork
from rememora.recall.apart import apart
from rememora.recall.columns import no_room
from rememora.recall.shelf import Filter, Row, Shelf

logger = logging.getLogger(__name__)

PAGE = 5_000
FORMAT = 4
"""Of what is saved; to be raised with any change to how rows are laid out or texts are cut into tokens."""
WHOLE_SHARE = 0.5
"""Which part of the limit one user may take with whole vectors: the others are to have room beside them."""
SAVED_SHARE = 0.05
"""Which part of a shelf must be new for it to be saved again."""
KEPT_ROWS = 20_000
"""Rows up to which a user's texts are kept beside them; of more, the few that are found are read."""
_BYTES_PER_ITEM = 500
_BYTES_PER_METADATA = 80
AT_ONCE = 200
"""Items that are laid out without leaving the loop."""
_BETWEEN = "\x1f"
SAID = ("message", "summary", "episode")
"""What goes with its conversation; what is known outlives it."""


class UserShelf:
    """One user's items laid out for ranking, and how far they follow the store."""

    def __init__(
        self,
        dimension: int,
        *,
        limit_bytes: int,
        elsewhere: bool = False,
        reducing: Callable[[], None] = lambda: None,
        snapshots: Snapshots | None = None,
    ) -> None:
        self.lock = asyncio.Lock()
        self._reducing = reducing
        self._snapshots = snapshots
        self._saved = 0
        self._limit = limit_bytes
        self._elsewhere = elsewhere
        self._dimension = dimension
        self._resets: dict[Scope, int] = {}
        self._clear()

    def _clear(self) -> None:
        self._seen: dict[Scope, int] = {}
        room = no_room if self._snapshots is None else self._snapshots.scratch
        self.shelf = Shelf(dimension=self._dimension, elsewhere=self._elsewhere, room=room)
        self._kept: dict[str, Item] = {}
        self._kept_bytes, self._keeping = 0, True
        self._nbytes: int | None = None

    @property
    def nbytes(self) -> int:
        """About how much memory it takes; added up again only after something changed."""
        if self._nbytes is None:
            self._nbytes = self.shelf.nbytes + self._kept_bytes
        return self._nbytes

    async def follow(self, store: Store, scope: Scope) -> None:
        """Take in everything committed so far, in this process or another."""
        # The shelf is the user's: whichever conversation asks, it has been followed this far.
        owners = (Scope(scope.tenant, scope.user), scope.shared())
        if self.shelf.elsewhere and not self._seen:
            await self._open(owners)
        while not await self._caught_up(store, owners):
            pass

    async def _open(self, owners: tuple[Scope, Scope]) -> None:
        """Begin with what was saved, where something is: it holds all but vectors, which are elsewhere."""
        state = await apart(self._snapshots.load, owners[0]) if self._snapshots is not None else None
        if state is not None and state.pop("format", np.zeros(1)).tolist() == [FORMAT]:
            seen, resets = state.pop("seen").tolist(), state.pop("resets").tolist()
            await apart(self.shelf.restore, state)
            self._seen = dict(zip(owners, seen, strict=True))
            self._resets = dict(zip(owners, resets, strict=True))
            self._kept_bytes, self._keeping = 0, False
            self._saved, self._nbytes = sum(seen), None

    async def save(self, store: Store, scope: Scope) -> bool:
        """Save a large shelf of which much has changed, or nothing is saved; whether it was."""
        owners = (Scope(scope.tenant, scope.user), scope.shared())
        async with self.lock:
            await self.follow(store, scope)
            news = sum(self._seen.values()) - self._saved
            if self._snapshots is None or self._keeping or news < len(self.shelf) * SAVED_SHARE:
                return False
            marks = {
                "format": [FORMAT],
                "seen": [self._seen[each] for each in owners],
                "resets": [self._resets.get(each, 0) for each in owners],
            }
            arrays = {name: np.array(values, dtype=np.int64) for name, values in marks.items()}
            await apart(self._snapshots.save, owners[0], {**self.shelf.state(), **arrays})
            self._saved = sum(self._seen.values())
            # What was deleted meanwhile takes the snapshot along.
            await self.follow(store, scope)
        return True

    def _spoil(self, owner: Scope) -> None:
        """Something that is saved is gone or says something else: nothing of it stays."""
        if self.shelf.elsewhere and self._snapshots is not None and owner.user != SHARED:
            self._snapshots.erase(owner)
            self._saved = 0

    def start_over(self) -> None:
        """Forget everything, to be laid out anew."""
        self._clear()

    async def _caught_up(self, store: Store, owners: tuple[Scope, Scope]) -> bool:
        pages = await store.read(owners[0], lambda work: [self._news(work, owner) for owner in owners])
        for owner, changes in zip(owners, pages, strict=True):
            if self._starts_over(owner, changes):
                self._spoil(owner)
                self._clear()
                return False
            if len(changes.items) > AT_ONCE:
                await apart(self._apply_many, changes, owner)
            else:
                self._apply(changes, owner)
            self._seen[owner] = changes.newest
        return not any(changes.more for changes in pages)

    def _starts_over(self, owner: Scope, changes: Changes) -> bool:
        """After an erasure that no key tells of, and only then, all is read anew."""
        if changes.anew:
            self._resets.pop(owner, None)
            return True
        if changes.reset <= self._resets.get(owner, 0):
            return False
        self._resets[owner] = changes.reset
        return owner in self._seen

    def _news(self, work: UnitOfWork, owner: Scope) -> Changes:
        after, vectors = self._seen.get(owner, 0), not self.shelf.elsewhere
        return work.index.changes(owner, after=after, limit=PAGE, vectors=vectors)

    def _apply(self, changes: Changes, owner: Scope) -> None:
        if changes.items or changes.gone or changes.gone_conversations:
            self._nbytes = None
        names = [name_of(key) for key in changes.gone]
        if changes.gone or changes.gone_conversations or self._rewrites(changes):
            self._spoil(owner)
        if changes.gone_conversations:
            names += self.shelf.ids(Filter(kinds=SAID, conversations=changes.gone_conversations))
        self.shelf.remove(names)
        for name in names:
            self._let_go(name)
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
        known = ((name_of(item.key), item.searched) for item in changes.items) if self.shelf.elsewhere else ()
        return any(name in self.shelf and not self.shelf.says(name, text) for name, text in known)

    def _put(self, item: Item, *, shared: bool) -> None:
        name = name_of(item.key)
        if item.embedded and self.shelf.says(name, item.searched):
            self.shelf.note(name, item.number, superseded=item.superseded)
            self.shelf.embed(name, item.vector)
        else:
            self.shelf.add(_row(name, item, shared=shared))
        if self._keeping:
            self._let_go(name)
            # The vector lives in the shelf's matrix.
            self._kept[name] = msgspec.structs.replace(item, vector=None)
            self._kept_bytes += _size(item)

    def _let_go(self, name: str) -> None:
        if name in self._kept:
            self._kept_bytes -= _size(self._kept.pop(name))

    async def items(self, store: Store, scope: Scope, names: Sequence[str]) -> dict[str, Item]:
        """What stands behind some names: kept where a user is small, else read where texts live."""
        if self._keeping:
            return {name: self._kept[name] for name in names}
        marks: dict[Scope, list[tuple[Kind, int]]] = {Scope(scope.tenant, scope.user): [], scope.shared(): []}
        for name in names:
            number, shared = self.shelf.changed(name)
            owner = scope.shared() if shared else Scope(scope.tenant, scope.user)
            marks[owner].append((key_of(name).kind, number))
        found = await store.read(scope, lambda work: [work.index.standing(*mark) for mark in marks.items()])
        return {name_of(item.key): item for items in found for item in items}


class Shelves:
    """The most recently used shelves, within a limit of memory."""

    def __init__(
        self,
        *,
        limit_bytes: int,
        dimension: int,
        elsewhere: bool = False,
        snapshots: Snapshots | None = None,
    ) -> None:
        self._limit = limit_bytes
        self._snapshots = snapshots
        self._elsewhere = elsewhere
        self._dimension = dimension
        self._shelves: OrderedDict[Scope, UserShelf] = OrderedDict()
        self._told: set[tuple[Scope, str]] = set()
        self._sizes: dict[Scope, int] = {}
        self._taken = 0

    @property
    def nbytes(self) -> int:
        """About how much memory all of them take."""
        return sum(shelf.nbytes for shelf in self._shelves.values())

    def __len__(self) -> int:
        return len(self._shelves)

    def _reducing(self, user: Scope) -> None:
        if self.first(user, "reduced"):
            logger.warning("a user takes too much of recall.memory_mb: vectors are kept at reduced precision")

    def of(self, scope: Scope) -> UserShelf:
        """The shelf of a user, the newest to be used."""
        user = Scope(scope.tenant, scope.user)
        shelf = self._shelves.pop(user, None) or self._make(user)
        self._shelves[user] = shelf
        return shelf

    def beside(self, user: Scope) -> UserShelf:
        """The shelf of a user to look after: where it is saved but not in use, one that takes nobody's place."""
        saved = self._snapshots is not None and self._snapshots.has(user)
        return self._make(user) if saved and user not in self._shelves else self.of(user)

    def _make(self, user: Scope) -> UserShelf:
        return UserShelf(
            self._dimension,
            limit_bytes=self._limit,
            elsewhere=self._elsewhere,
            reducing=lambda: self._reducing(user),
            snapshots=self._snapshots,
        )

    def first(self, scope: Scope, what: str) -> bool:
        """Whether this is the first time that something is to be said of a user."""
        mark = (Scope(scope.tenant, scope.user), what)
        new = mark not in self._told
        self._told.add(mark)
        return new

    async def refresh(self, store: Store, scope: Scope) -> int:
        """Take what was deleted out of memory now; returns how many items that were."""
        user = Scope(scope.tenant, scope.user)
        if self._snapshots is not None:
            await apart(self._snapshots.erase, user)
        if user.user == SHARED:
            return self._let_go(user.tenant)
        shelf = self._shelves.get(user)
        if shelf is None:
            return 0
        async with shelf.lock:
            before = len(shelf.shelf)
            await shelf.follow(store, scope)
            return before - len(shelf.shelf)

    def _let_go(self, tenant: str) -> int:
        """Everybody of a tenant; whoever uses a shelf just now finds the store empty when it next follows it."""
        gone = [user for user in self._shelves if user.tenant == tenant]
        items = 0
        for user in gone:
            items += len(self._shelves.pop(user).shelf)
            self._weigh(user)
        return items

    async def save_large(self, store: Store) -> bool:
        """Save the large shelves of which much has changed; False, for the next look is soon enough."""
        for user, shelf in list(self._shelves.items()):
            if shelf.shelf.elsewhere:
                await shelf.save(store, user)
        if self._snapshots is not None:
            # What no question touches again need not stay in memory.
            await apart(self._snapshots.release)
        return False

    async def keep_only(self, users: Sequence[Scope]) -> None:
        """Leave no saved layout of anybody else: who died while saving may have left that of an erased person."""
        if self._snapshots is not None:
            await apart(self._snapshots.keep_only, users)

    def make_room(self, scope: Scope) -> None:
        """Put the least recently used shelves away until the rest fits, after one was used; the newest stays."""
        self._weigh(Scope(scope.tenant, scope.user))
        if self._taken <= self._limit:
            return
        for user in list(self._oldest_first()):
            del self._shelves[user]
            self._weigh(user)
            if self._taken <= self._limit:
                return

    def _weigh(self, user: Scope) -> None:
        """Add up anew what one shelf takes: to add up all of them at every search would cost more than most."""
        shelf = self._shelves.get(user)
        size = 0 if shelf is None else shelf.nbytes
        self._taken += size - self._sizes.pop(user, 0)
        if size:
            self._sizes[user] = size

    def _oldest_first(self) -> Iterator[Scope]:
        idle = (user for user, shelf in self._shelves.items() if not shelf.lock.locked())
        newest = next(reversed(self._shelves), None)
        return (user for user in idle if user != newest)


def name_of(key: ItemKey) -> str:
    """One text for a key; the separator cannot stand in any of its parts."""
    return f"{key.kind}{_BETWEEN}{key.conversation}{_BETWEEN}{key.id}"


def key_of(name: str) -> ItemKey:
    """The key that a name stands for."""
    kind, conversation, id = name.split(_BETWEEN, 2)
    return ItemKey(cast("Kind", kind), id, conversation)


def _size(item: Item) -> int:
    told = _BYTES_PER_METADATA * len(item.metadata)
    return getsizeof(item.text) + told + _BYTES_PER_ITEM


def _row(name: str, item: Item, *, shared: bool) -> Row:
    speaker = item.metadata.get("speaker")
    return Row(
        id=name,
        text=item.text,
        also=item.also,
        at=item.at,
        kind=item.key.kind,
        conversation=item.key.conversation,
        position=item.position,
        role=item.role or "user",
        speaker=speaker if isinstance(speaker, str) else None,
        category=item.category,
        importance=item.importance,
        superseded=item.superseded,
        number=item.number,
        shared=shared,
        vector=item.vector,
        embedded=item.embedded,
    )
