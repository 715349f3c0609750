"""Memories of one tenant's people, read by somebody else."""

from __future__ import annotations

import builtins
from typing import Unpack

from rememora.domain.masked import MaskedMemory
from rememora.domain.memory import Memory, MemoryFilter, MemoryFilterOptions
from rememora.domain.scope import Scope
from rememora.handles.deprecated import OldCall
from rememora.handles.tenant.noun import TenantNoun
from rememora.knowledge import keep
from rememora.knowledge.read_masked import read_masked


class TenantMemories(OldCall, TenantNoun):
    """The memories of a tenant's people, under a reason or masked."""

    async def list(
        self, user: str, *, reason: str, limit: int = 100, **wanted: Unpack[MemoryFilterOptions]
    ) -> builtins.list[Memory]:
        """A person's memory, read under a reason that goes on record."""
        scope, narrowed = Scope(self._scope.tenant, user), MemoryFilter(**wanted)
        return await keep.read_personal(
            self._parts.desk, scope, narrowed, actor=self._actor, reason=reason, limit=limit
        )

    async def list_masked(self, user: str, *, limit: int = 100) -> builtins.list[MaskedMemory]:
        """A person's memory with dots in place of its words, for support."""
        scope = Scope(self._scope.tenant, user)
        return await read_masked(self._parts.desk, scope, actor=self._actor, limit=limit)
