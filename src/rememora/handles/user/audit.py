"""The record of one user: acts on the memory, and looks of others."""

from __future__ import annotations

import builtins

from rememora.domain.audit import AuditEntry
from rememora.handles.user.noun import UserNoun
from rememora.knowledge import trace


class UserAudit(UserNoun):
    """The acts on one user's memory, as the audit chain has them."""

    async def list(self, *, limit: int = 100, before: int | None = None) -> builtins.list[AuditEntry]:
        """List the acts on this user's memory, newest first, from before a position of the chain."""
        await self._look()
        return await trace.acts(self._parts.store, self._scope, before=before, limit=limit)

    async def note_access(self) -> None:
        """Put on record that somebody else looks through this person's memory, for the handle's `reason`."""
        await self._look()
