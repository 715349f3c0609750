"""The indexes of the users who were asked about lately: bounded in memory, and never behind the store."""

from __future__ import annotations

import logging
import sys
from collections import OrderedDict
from collections.abc import Iterator, Sequence

from rememora.domain.scope import SHARED, Scope
from rememora.ports.snapshots import Snapshots
from rememora.ports.store import Store
from rememora.ports.vectors import Vectors
from rememora.recall import sizes
from rememora.recall.apart import apart
from rememora.recall.followed_index import SMALL_ROWS, FollowedIndex
from rememora.recall.newcomers import Newcomers
from rememora.settings.weights import Weights

logger = logging.getLogger(__name__)

NEW_SHARE = 0.25
"""Which part of the memory small users take together who were asked about for the first time."""


class IndexCache:
    """The most recently used indexes, within a limit of memory."""

    def __init__(
        self,
        *,
        limit_bytes: int,
        dimension: int,
        model: str = "",
        memory_rows: int = sys.maxsize,
        engine: Vectors | None = None,
        snapshots: Snapshots | None = None,
        weights: Weights | None = None,
    ) -> None:
        self.weights = weights or Weights()
        self._limit = limit_bytes
        self._model = model
        self._snapshots = snapshots
        self._memory_rows, self._engine = memory_rows, engine
        self._dimension = dimension
        self._indexes: OrderedDict[Scope, FollowedIndex] = OrderedDict()
        self._told: set[tuple[Scope, str]] = set()
        self._sizes: dict[Scope, int] = {}
        self._taken = 0
        self._newcomers = Newcomers(int(limit_bytes * NEW_SHARE))

    @property
    def nbytes(self) -> int:
        """About how much memory all of them take."""
        return sum(index.nbytes for index in self._indexes.values())

    def __len__(self) -> int:
        return len(self._indexes)

    def _reducing(self, user: Scope) -> None:
        if self.first(user, "reduced"):
            logger.warning("a user takes too much of recall.memory_mb: vectors are kept at reduced precision")

    def of(self, scope: Scope) -> FollowedIndex:
        """The index of a user, the newest to be used."""
        user = scope.person()
        index = self._indexes.pop(user, None)
        if index is None:
            index = self._make(user)
            self._newcomers.come(user)
        self._indexes[user] = index
        return index

    def has_loaded(self, scope: Scope) -> bool:
        """Return whether all of a user's items were read once."""
        index = self._indexes.get(scope.person())
        return index is not None and index.is_loaded

    def beside(self, user: Scope, *, ahead: bool) -> FollowedIndex | None:
        """The index of a user to look after: where it is saved but not in use, one that takes nobody's place.

        One that is neither is made `ahead`, or not at all.
        """
        if user not in self._indexes and self._snapshots is not None and self._snapshots.has(user):
            return self._make(user)
        return self.of(user) if ahead else self._indexes.get(user)

    def _make(self, user: Scope) -> FollowedIndex:
        return FollowedIndex(
            self._dimension,
            limit_bytes=self._limit,
            model=self._model,
            memory_rows=self._memory_rows,
            in_engine=lambda: self._engine is not None and self._engine.has(user),
            reducing=lambda: self._reducing(user),
            snapshots=self._snapshots,
        )

    def first(self, scope: Scope, what: str) -> bool:
        """Return whether something is reported for a user for the first time."""
        mark = (scope.person(), what)
        new = mark not in self._told
        self._told.add(mark)
        return new

    async def refresh(self, store: Store, scope: Scope) -> int:
        """Take what was deleted out of memory now; returns how many items that were."""
        user = scope.person()
        if user not in self._indexes:
            self._newcomers.leave(user)
        if self._snapshots is not None:
            await apart(self._snapshots.erase, user)
        if user.user == SHARED:
            return self._let_go(user.tenant)
        index = self._indexes.get(user)
        if index is None:
            return 0
        async with index.lock:
            before = len(index.index)
            await index.follow(store, scope)
            return before - len(index.index)

    def forget(self, scope: Scope) -> int:
        """Put a user's index away, or those of everybody of a tenant; returns how many items that were."""
        user = scope.person()
        if user.user == SHARED:
            return self._let_go(user.tenant)
        held = self._indexes.pop(user, None)
        self._newcomers.leave(user)
        self._weigh(user)
        return 0 if held is None else len(held.index)

    def clear(self) -> None:
        """Put every index away."""
        self._indexes.clear()
        self._sizes.clear()
        self._newcomers.clear()
        self._taken = 0

    def _let_go(self, tenant: str) -> int:
        """Drop all users of a tenant; an index in use finds the store empty when it next follows it."""
        gone = [user for user in self._indexes if user.tenant == tenant]
        items = 0
        for user in gone:
            items += len(self._indexes.pop(user).index)
            self._newcomers.leave(user)
            self._weigh(user)
        return items

    async def save_large(self, store: Store, *, quiet: bool = True) -> bool:
        """Save the large indexes of which much has changed; False, for the next look is soon enough.

        With `quiet`, one of whom something was deleted waits until nobody writes to it.
        """
        for user, index in list(self._indexes.items()):
            if len(index.index) > sizes.SAVED_ROWS:
                await index.save(store, user, quiet=quiet)
        if self._snapshots is not None:
            # What no question touches again need not stay in memory.
            await apart(self._snapshots.release)
        return False

    async def keep_only(self, users: Sequence[Scope]) -> None:
        """Leave no saved layout of anybody else: who died while saving may have left that of an erased person."""
        if self._snapshots is not None:
            await apart(self._snapshots.keep_only, users)

    def forget_questions(self) -> None:
        """Hold nothing that was worked out for a question."""
        for index in self._indexes.values():
            index.index.memo.clear()

    def make_room(self, scope: Scope) -> None:
        """Put the least recently used indexes away until the rest fits, after one was used; the newest stays."""
        user = scope.person()
        self._weigh(user)
        if user in self._newcomers and len(self._indexes[user].index) > SMALL_ROWS:
            # To load them again would cost more than the memory is worth.
            self._newcomers.leave(user)
        for newcomer in self._newcomers.beyond_limit():
            if newcomer != user and not self._indexes[newcomer].lock.locked():
                self._put_away(newcomer)
        if self._taken <= self._limit:
            return
        for oldest in list(self._oldest_first()):
            self._put_away(oldest)
            if self._taken <= self._limit:
                return

    def _put_away(self, user: Scope) -> None:
        del self._indexes[user]
        self._newcomers.put_away(user)
        self._weigh(user)

    def _weigh(self, user: Scope) -> None:
        """Update the size of one index; adding up all of them would cost more than most searches."""
        index = self._indexes.get(user)
        size = 0 if index is None else index.nbytes
        self._taken += size - self._sizes.pop(user, 0)
        self._newcomers.weigh(user, size)
        if size:
            self._sizes[user] = size

    def _oldest_first(self) -> Iterator[Scope]:
        idle = (user for user, index in self._indexes.items() if not index.lock.locked())
        newest = next(reversed(self._indexes), None)
        return (user for user in idle if user != newest)
