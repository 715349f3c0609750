"""`TenantQuarantine` without `await`; `make sync` writes this file from `handles/tenant/quarantine.py`."""

from __future__ import annotations

import builtins
from typing import Any

from rememora.domain.memory import Memory, Quarantined, Review
from rememora.handles.tenant import quarantine as wrapped
from rememora.portal import Portal


class SyncTenantQuarantine:
    """The texts of one tenant that tried to give orders."""

    def __init__(self, portal: Portal, inner: wrapped.TenantQuarantine) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    def list(
        self, *, status: Review | None = "held", limit: int = 100, after: str = ""
    ) -> builtins.list[Quarantined]:
        """Text that tried to give orders, oldest first."""
        return self._portal.run(self._inner.list(status=status, limit=limit, after=after))

    def approve(self, quarantined: str, *, key: str | None = None, value: Any = None) -> Memory | None:
        """Let a held text go; under a key it becomes a memory."""
        return self._portal.run(self._inner.approve(quarantined, key=key, value=value))

    def reject(self, quarantined: str, *, why: str = "") -> None:
        """Reject a quarantined text permanently."""
        return self._portal.run(self._inner.reject(quarantined, why=why))
