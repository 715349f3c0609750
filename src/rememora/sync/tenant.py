"""Handles of a tenant and of the operator without `await`."""

from __future__ import annotations

from rememora.handles.access import Access
from rememora.handles.deprecated import OldCall, OldOperatorVerbs, OldTenantVerbs
from rememora.handles.operator import Operator
from rememora.handles.operator_tenants import OperatorTenants
from rememora.handles.tenant import (
    Tenant,
    TenantAudit,
    TenantEvents,
    TenantMemories,
    TenantMissions,
    TenantQuality,
    TenantQuarantine,
    TenantTasks,
)
from rememora.missions.debug import DebugViews
from rememora.sync.shell import Noun, Shell, verb


class SyncAccess(Shell[Access]):
    """Manage access to one tenant, and report how much it uses."""

    keys = verb(Access.keys)
    issue_key = verb(Access.issue_key)
    rotate_key = verb(Access.rotate_key)
    revoke_key = verb(Access.revoke_key)
    link = verb(Access.link)
    logins = verb(Access.logins)
    end_login = verb(Access.end_login)
    invite = verb(Access.invite)
    invitations = verb(Access.invitations)
    withdraw_invitation = verb(Access.withdraw_invitation)
    usage = verb(Access.usage)
    plan = verb(Access.plan)


class SyncTenantAudit(OldCall, Shell[TenantAudit]):
    """The audit chain of one tenant: read, verify, and record access."""

    list = verb(TenantAudit.list)
    newest = verb(TenantAudit.newest)
    requests = verb(TenantAudit.requests)
    verify = verb(TenantAudit.verify)
    verify_receipt = verb(TenantAudit.verify_receipt)
    note_access = verb(TenantAudit.note_access)


class SyncTenantEvents(OldCall, Shell[TenantEvents]):
    """The events of one tenant, their deliveries, and their dead letters."""

    list = verb(TenantEvents.list)
    newest = verb(TenantEvents.newest)
    deliveries = verb(TenantEvents.deliveries)
    dead_letters = verb(TenantEvents.dead_letters)
    retry_dead_letters = verb(TenantEvents.retry_dead_letters)


class SyncTenantMemories(OldCall, Shell[TenantMemories]):
    """The memories of a tenant's people, read for a recorded reason, or masked."""

    list = verb(TenantMemories.list)
    list_masked = verb(TenantMemories.list_masked)


class SyncTenantMissions(OldCall, Shell[TenantMissions]):
    """The current missions of one tenant's users."""

    list = verb(TenantMissions.list)
    stop = verb(TenantMissions.stop)


class SyncTenantQuality(Shell[TenantQuality]):
    """Figures of one tenant: verdicts of the gate, and figures over time."""

    verdicts = verb(TenantQuality.verdicts)
    trend = verb(TenantQuality.trend)


class SyncTenantQuarantine(Shell[TenantQuarantine]):
    """The quarantined texts of one tenant."""

    list = verb(TenantQuarantine.list)
    approve = verb(TenantQuarantine.approve)
    reject = verb(TenantQuarantine.reject)


class SyncTenantTasks(OldCall, Shell[TenantTasks]):
    """The tasks of one tenant's modules: claimed under a lease, then completed, failed or released."""

    list = verb(TenantTasks.list)
    claim = verb(TenantTasks.claim)
    renew = verb(TenantTasks.renew)
    complete = verb(TenantTasks.complete)
    fail = verb(TenantTasks.fail)
    release = verb(TenantTasks.release)


class SyncTenant(OldTenantVerbs, Shell[Tenant]):
    """Operations on a whole tenant, each recorded under the actor's name and grouped by noun."""

    access = Noun(SyncAccess)
    events = Noun(SyncTenantEvents)
    tasks = Noun(SyncTenantTasks)
    missions = Noun(SyncTenantMissions)
    memories = Noun(SyncTenantMemories)
    quarantine = Noun(SyncTenantQuarantine)
    audit = Noun(SyncTenantAudit)
    quality = Noun(SyncTenantQuality)


class SyncOperatorTenants(OldCall, Shell[OperatorTenants]):
    """The accounts of all tenants."""

    list = verb(OperatorTenants.list)
    get = verb(OperatorTenants.get)
    create = verb(OperatorTenants.create)
    change = verb(OperatorTenants.change)
    adopt = verb(OperatorTenants.adopt)
    people = verb(OperatorTenants.people)
    first_user = verb(OperatorTenants.first_user)
    erase = verb(OperatorTenants.erase)


class SyncOperator(OldOperatorVerbs, Shell[Operator]):
    """Operations across tenants, each recorded under the operator's name."""

    access = Noun(SyncAccess)

    @property
    def missions(self) -> DebugViews:
        """Debug views of missions; refused unless `missions.debug` is on."""
        return self._inner.missions

    tenants = Noun(SyncOperatorTenants)
    subscribers = verb(Operator.subscribers)
    invite_owner = verb(Operator.invite_owner)
    replay_erasures = verb(Operator.replay_erasures)
    analytics = verb(Operator.analytics)
