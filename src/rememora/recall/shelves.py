"""The shelves of the users who were asked about lately: bounded in memory, and never behind the store."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Iterator, Sequence

from rememora.domain.scope import SHARED, Scope
from rememora.ports.snapshots import Snapshots
from rememora.ports.store import Store
from rememora.recall import user_shelf
from rememora.recall.apart import apart
from rememora.recall.user_shelf import UserShelf
from rememora.settings.weights import Weights

logger = logging.getLogger(__name__)


class Shelves:
    """The most recently used shelves, within a limit of memory."""

    def __init__(
        self,
        *,
        limit_bytes: int,
        dimension: int,
        model: str = "",
        elsewhere: bool = False,
        snapshots: Snapshots | None = None,
        weights: Weights | None = None,
    ) -> None:
        self.weights = weights or Weights()
        self._limit = limit_bytes
        self._model = model
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
        user = scope.person()
        shelf = self._shelves.pop(user, None) or self._make(user)
        self._shelves[user] = shelf
        return shelf

    def beside(self, user: Scope, *, ahead: bool) -> UserShelf | None:
        """The shelf of a user to look after: where it is saved but not in use, one that takes nobody's place.

        One that is neither is made `ahead`, or not at all.
        """
        if user not in self._shelves and self._snapshots is not None and self._snapshots.has(user):
            return self._make(user)
        return self.of(user) if ahead else self._shelves.get(user)

    def _make(self, user: Scope) -> UserShelf:
        return UserShelf(
            self._dimension,
            limit_bytes=self._limit,
            model=self._model,
            elsewhere=self._elsewhere,
            reducing=lambda: self._reducing(user),
            snapshots=self._snapshots,
        )

    def first(self, scope: Scope, what: str) -> bool:
        """Whether this is the first time that something is to be said of a user."""
        mark = (scope.person(), what)
        new = mark not in self._told
        self._told.add(mark)
        return new

    async def refresh(self, store: Store, scope: Scope) -> int:
        """Take what was deleted out of memory now; returns how many items that were."""
        user = scope.person()
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
            if len(shelf.shelf) > user_shelf.SAVED_ROWS:
                await shelf.save(store, user, quiet=True)
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
        for shelf in self._shelves.values():
            shelf.shelf.memo.clear()

    def make_room(self, scope: Scope) -> None:
        """Put the least recently used shelves away until the rest fits, after one was used; the newest stays."""
        self._weigh(scope.person())
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
