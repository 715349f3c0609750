"""`Operator` without `await`; `make sync` writes this file from `handles/operator.py`."""

from __future__ import annotations

from datetime import datetime

from rememora.domain.ledger import Replayed
from rememora.domain.login import IssuedInvitation
from rememora.domain.quality import GateQuality
from rememora.handles import operator as wrapped
from rememora.handles.deprecated import OldOperatorVerbs
from rememora.missions.debug import DebugViews
from rememora.portal import Portal
from rememora.ports.outbox import Subscribed
from rememora.sync.access import SyncAccess
from rememora.sync.operator_tenants import SyncOperatorTenants


class SyncOperator(OldOperatorVerbs):
    """Operations across tenants, each recorded under the operator's name."""

    def __init__(self, portal: Portal, inner: wrapped.Operator) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    @property
    def access(self) -> SyncAccess:
        """The operators' own keys."""
        return SyncAccess(self._portal, self._inner.access)

    @property
    def missions(self) -> DebugViews:
        """Views into missions for development; elsewhere each of them is refused."""
        return self._inner.missions

    @property
    def tenants(self) -> SyncOperatorTenants:
        """Accounts of all tenants: list, get, create, change, adopt, erase, people."""
        return SyncOperatorTenants(self._portal, self._inner.tenants)

    def subscribers(self) -> list[Subscribed]:
        """Every subscriber of events, by name."""
        return self._portal.run(self._inner.subscribers())

    def invite_owner(self) -> IssuedInvitation | None:
        """An invitation for the first owner of every tenant; None where there is an owner already."""
        return self._portal.run(self._inner.invite_owner())

    def replay_erasures(self, file: str, *, since: datetime) -> Replayed:
        """Erase again what a record of erasures names from `since` on, as is due after restoring a backup."""
        return self._portal.run(self._inner.replay_erasures(file, since=since))

    def analytics(self, *, tenant: str | None = None) -> list[GateQuality]:
        """Report the quality of the gate, of one tenant or of all and then of each; needs the extra `duckdb`."""
        return self._portal.run(self._inner.analytics(tenant=tenant))
