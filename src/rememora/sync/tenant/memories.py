"""`TenantMemories` without `await`; `make sync` writes this file from `handles/tenant/memories.py`."""

from __future__ import annotations

import builtins
from typing import Unpack

from rememora.domain.masked import MaskedMemory
from rememora.domain.memory import Memory, MemoryFilterOptions
from rememora.handles.deprecated import OldCall
from rememora.handles.tenant import memories as wrapped
from rememora.portal import Portal


class SyncTenantMemories(OldCall):
    """The memories of a tenant's people, under a reason or masked."""

    def __init__(self, portal: Portal, inner: wrapped.TenantMemories) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    def list(
        self, user: str, *, reason: str, limit: int = 100, **wanted: Unpack[MemoryFilterOptions]
    ) -> builtins.list[Memory]:
        """A person's memory, read under a reason that goes on record."""
        return self._portal.run(self._inner.list(user, reason=reason, limit=limit, **wanted))

    def list_masked(self, user: str, *, limit: int = 100) -> builtins.list[MaskedMemory]:
        """A person's memory with dots in place of its words, for support."""
        return self._portal.run(self._inner.list_masked(user, limit=limit))
