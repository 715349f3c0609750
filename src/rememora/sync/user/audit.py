"""`UserAudit` without `await`; `make sync` writes this file from `handles/user/audit.py`."""

from __future__ import annotations

import builtins

from rememora.domain.audit import AuditEntry
from rememora.handles.user import audit as wrapped
from rememora.portal import Portal


class SyncUserAudit:
    """The acts on one user's memory, as the audit chain has them."""

    def __init__(self, portal: Portal, inner: wrapped.UserAudit) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    def list(self, *, limit: int = 100, before: int | None = None) -> builtins.list[AuditEntry]:
        """List the acts on this user's memory, newest first, from before a position of the chain."""
        return self._portal.run(self._inner.list(limit=limit, before=before))

    def note_access(self) -> None:
        """Put on record that somebody else looks through this person's memory, for the handle's `reason`."""
        return self._portal.run(self._inner.note_access())
