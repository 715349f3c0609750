"""The audit entries of one user: changes of the memory, and accesses by others."""

from __future__ import annotations

import builtins

from rememora.domain.audit import AuditEntry
from rememora.handles.user.noun import UserNoun
from rememora.knowledge import trace


class UserAudit(UserNoun):
    """The audit entries about one user's memory."""

    async def list(self, *, limit: int = 100, before: int | None = None) -> builtins.list[AuditEntry]:
        """List the changes of this user's memory, newest first, before a position of the chain."""
        await self._look()
        return await trace.acts(self._parts.store, self._scope, before=before, limit=limit)

    async def note_access(self) -> None:
        """Record that somebody else reads this person's memory, for the handle's `reason`."""
        await self._look()
