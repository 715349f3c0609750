"""`TenantAudit` without `await`; `make sync` writes this file from `handles/tenant/audit.py`."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from rememora.domain.audit import AuditEntry, ChainReport
from rememora.domain.receipt import Receipt, ReceiptReport
from rememora.handles.deprecated import OldCall
from rememora.handles.tenant import audit as wrapped
from rememora.portal import Portal


class SyncTenantAudit(OldCall):
    """The chain of changes of one tenant: read, verify, and put looks on record."""

    def __init__(self, portal: Portal, inner: wrapped.TenantAudit) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    def list(self, *, after: int = 0, limit: int = 100, reason: str | None = None) -> builtins.list[AuditEntry]:
        """The tenant's chain of changes, oldest first; what it says of people only under a `reason` on record."""
        return self._portal.run(self._inner.list(after=after, limit=limit, reason=reason))

    def newest(self, *, before: int | None = None, limit: int = 100) -> builtins.list[AuditEntry]:
        """The tenant's chain of changes before a place, newest first, without what it says of people."""
        return self._portal.run(self._inner.newest(before=before, limit=limit))

    def requests(self, *, limit: int = 50) -> builtins.list[AuditEntry]:
        """Erasures with their receipts and looks of others with their reasons, newest first."""
        return self._portal.run(self._inner.requests(limit=limit))

    def verify(self, *, anchor: str | None = None) -> ChainReport:
        """Check the whole chain; `anchor` is an end noted earlier, which must be in it."""
        return self._portal.run(self._inner.verify(anchor=anchor))

    def verify_receipt(self, receipt: Receipt, *, suspects: Sequence[str] = ()) -> ReceiptReport:
        """Verify an erasure's receipt, and search the files for the erased content; suspects are an operator's."""
        return self._portal.run(self._inner.verify_receipt(receipt, suspects=suspects))

    def note_access(self, *, reason: str) -> None:
        """Put on record that somebody looks at content of this tenant's people."""
        return self._portal.run(self._inner.note_access(reason=reason))
