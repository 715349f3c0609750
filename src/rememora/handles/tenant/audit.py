"""The audit chain of one tenant, and what rests on it."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from rememora.domain.audit import AuditEntry, ChainReport
from rememora.domain.receipt import Receipt, ReceiptReport
from rememora.domain.scope import SHARED
from rememora.handles.deprecated import OldCall
from rememora.handles.tenant.noun import TenantNoun
from rememora.knowledge import audit, erase, keep
from rememora.knowledge.requests import requests


class TenantAudit(OldCall, TenantNoun):
    """The chain of changes of one tenant: read, verify, and put looks on record."""

    async def list(
        self, *, after: int = 0, limit: int = 100, reason: str | None = None
    ) -> builtins.list[AuditEntry]:
        """The tenant's chain of changes, oldest first; what it says of people only under a `reason` on record."""
        if reason is None:
            shown = self._parts.desk.shown(self._scope)
            store, scope = self._parts.store, self._scope
            return await audit.page(store, scope, after=after, limit=limit, owners=self._own, shown=shown)
        return await keep.read_chain(
            self._parts.desk, self._scope, actor=self._actor, reason=reason, after=after, limit=limit
        )

    async def newest(self, *, before: int | None = None, limit: int = 100) -> builtins.list[AuditEntry]:
        """The tenant's chain of changes before a place, newest first, without what it says of people."""
        shown = self._parts.desk.shown(self._scope)
        store, scope = self._parts.store, self._scope
        return await audit.newest_page(store, scope, before=before, limit=limit, owners=self._own, shown=shown)

    async def requests(self, *, limit: int = 50) -> builtins.list[AuditEntry]:
        """Erasures with their receipts and looks of others with their reasons, newest first."""
        self._actor.need("review")
        return await requests(self._parts.store, self._scope, limit=limit)

    async def verify(self, *, anchor: str | None = None) -> ChainReport:
        """Check the whole chain; `anchor` is an end noted earlier, which must be in it."""
        return await audit.verify(self._parts.store, self._scope, signer=self._parts.desk.signer, anchor=anchor)

    async def verify_receipt(self, receipt: Receipt, *, suspects: Sequence[str] = ()) -> ReceiptReport:
        """Verify an erasure's receipt, and search the files for the erased content; suspects are an operator's."""
        return await erase.verify(self._parts.desk, self._scope, receipt, suspects=suspects, actor=self._actor)

    async def note_access(self, *, reason: str) -> None:
        """Put on record that somebody looks at content of this tenant's people."""
        await keep.look_at_people(self._parts.desk, self._scope, actor=self._actor, reason=reason)

    @property
    def _own(self) -> set[str]:
        """Owners whose values are shown: the caller, and the tenant to those who may write shared memory."""
        return {self._scope.user, SHARED} if self._actor.rights.write_shared else {self._scope.user}
