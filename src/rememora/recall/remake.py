"""Makes features of items that have none: of before there were any, or of another version of this program."""

from __future__ import annotations

import time

from rememora.domain.scope import Scope
from rememora.ports.store import Store
from rememora.recall.apart import apart
from rememora.userindex.features import pack_items
from rememora.userindex.version import MARK

SCOPES = 32
ITEMS = 256
REST_SECONDS = 60.0
"""Pause after a search for items without features found none; new items have theirs."""


class FeatureMaker:
    """Looks for settled items without features; what can be read meanwhile is read by its text."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._noted, self._rests_until = False, 0.0

    async def step(self) -> bool:
        """Do one batch of pending work, unless none was found recently; True when more may wait."""
        return time.monotonic() >= self._rests_until and await self.make()

    async def make(self) -> bool:
        """Make features for some items of some users; True when more may wait."""
        if not self._noted:
            await self._store.index(lambda keeper: keeper.note_features(MARK))
            self._noted = True
        scopes = await self._store.index(lambda keeper: keeper.scopes_featureless(limit=SCOPES), reading=True)
        for scope in scopes:
            await self._make_of(scope)
        if not scopes:
            self._rests_until = time.monotonic() + REST_SECONDS
        return bool(scopes)

    async def _make_of(self, scope: Scope) -> None:
        pairs = await self._store.read(scope, lambda work: work.index.featureless(scope, limit=ITEMS))
        items = [item for _, item in pairs if item is not None]
        packed = await apart(pack_items, items)
        made = {item.number: features for item, features in zip(items, packed, strict=True)}
        # What may not be read now is marked, or it would be found again and again.
        features = [(number, made.get(number)) for number, _ in pairs]
        await self._store.write(scope, lambda work: work.index.put_features(scope, features))
