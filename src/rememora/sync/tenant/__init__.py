"""`Tenant` without `await`; `make sync` writes this file from `handles/tenant/__init__.py`."""

from __future__ import annotations

from rememora.handles import tenant as wrapped
from rememora.handles.deprecated import OldTenantVerbs
from rememora.portal import Portal
from rememora.sync.access import SyncAccess
from rememora.sync.tenant.audit import SyncTenantAudit
from rememora.sync.tenant.events import SyncTenantEvents
from rememora.sync.tenant.memories import SyncTenantMemories
from rememora.sync.tenant.missions import SyncTenantMissions
from rememora.sync.tenant.quality import SyncTenantQuality
from rememora.sync.tenant.quarantine import SyncTenantQuarantine
from rememora.sync.tenant.tasks import SyncTenantTasks


class SyncTenant(OldTenantVerbs):
    """Operations on a whole tenant, each recorded under the actor's name: a verb of one of these nouns."""

    def __init__(self, portal: Portal, inner: wrapped.Tenant) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    @property
    def access(self) -> SyncAccess:
        """Return the tenant's access control and usage."""
        return SyncAccess(self._portal, self._inner.access)

    @property
    def events(self) -> SyncTenantEvents:
        """Events: list, newest, deliveries, dead letters."""
        return SyncTenantEvents(self._portal, self._inner.events)

    @property
    def tasks(self) -> SyncTenantTasks:
        """Tasks of all users, for modules: list, claim, renew, complete, fail, release."""
        return SyncTenantTasks(self._portal, self._inner.tasks)

    @property
    def missions(self) -> SyncTenantMissions:
        """Current missions of all users, without their content: list, stop."""
        return SyncTenantMissions(self._portal, self._inner.missions)

    @property
    def memories(self) -> SyncTenantMemories:
        """Memories of this tenant's people: list under a reason, list_masked."""
        return SyncTenantMemories(self._portal, self._inner.memories)

    @property
    def quarantine(self) -> SyncTenantQuarantine:
        """Texts that tried to give orders: list, approve, reject."""
        return SyncTenantQuarantine(self._portal, self._inner.quarantine)

    @property
    def audit(self) -> SyncTenantAudit:
        """The audit chain: list, newest, requests, verify, verify_receipt, note_access."""
        return SyncTenantAudit(self._portal, self._inner.audit)

    @property
    def quality(self) -> SyncTenantQuality:
        """Figures: verdicts of the gate, trend."""
        return SyncTenantQuality(self._portal, self._inner.quality)
