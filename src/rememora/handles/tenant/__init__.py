"""Operations on a whole tenant, a noun for each kind of thing."""

from __future__ import annotations

from rememora.handles.access import Access
from rememora.handles.deprecated import OldTenantVerbs
from rememora.handles.tenant.audit import TenantAudit
from rememora.handles.tenant.events import TenantEvents
from rememora.handles.tenant.memories import TenantMemories
from rememora.handles.tenant.missions import TenantMissions
from rememora.handles.tenant.noun import TenantNoun
from rememora.handles.tenant.quality import TenantQuality
from rememora.handles.tenant.quarantine import TenantQuarantine
from rememora.handles.tenant.tasks import TenantTasks


class Tenant(OldTenantVerbs, TenantNoun):
    """Operations on a whole tenant, each recorded under the actor's name: a verb of one of these nouns."""

    @property
    def access(self) -> Access:
        """Return the tenant's access control and usage."""
        return Access(self._parts, self._scope)

    @property
    def events(self) -> TenantEvents:
        """Events: list, newest, deliveries, dead letters."""
        return TenantEvents(self._parts, self._scope, rights=self._actor.rights, modules=self._modules)

    @property
    def tasks(self) -> TenantTasks:
        """Tasks of all users, for modules: list, claim, renew, complete, fail, release."""
        return TenantTasks(self._parts, self._scope, rights=self._actor.rights, modules=self._modules)

    @property
    def missions(self) -> TenantMissions:
        """Current missions of all users, without their content: list, stop."""
        return TenantMissions(self._parts, self._scope, rights=self._actor.rights, modules=self._modules)

    @property
    def memories(self) -> TenantMemories:
        """Memories of this tenant's people: list under a reason, list_masked."""
        return TenantMemories(self._parts, self._scope, rights=self._actor.rights, modules=self._modules)

    @property
    def quarantine(self) -> TenantQuarantine:
        """Texts that tried to give orders: list, approve, reject."""
        return TenantQuarantine(self._parts, self._scope, rights=self._actor.rights, modules=self._modules)

    @property
    def audit(self) -> TenantAudit:
        """The audit chain: list, newest, requests, verify, verify_receipt, note_access."""
        return TenantAudit(self._parts, self._scope, rights=self._actor.rights, modules=self._modules)

    @property
    def quality(self) -> TenantQuality:
        """Figures: verdicts of the gate, trend."""
        return TenantQuality(self._parts, self._scope, rights=self._actor.rights, modules=self._modules)
