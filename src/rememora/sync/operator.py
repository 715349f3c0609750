"""`Operator` without `await`; `make sync` writes this file from `handles/operator.py`."""

from __future__ import annotations

from datetime import datetime

from rememora.domain.ledger import Replayed
from rememora.domain.login import IssuedInvitation
from rememora.domain.message import Page
from rememora.domain.quality import GateQuality
from rememora.domain.receipt import Receipt
from rememora.domain.tenancy import UNLIMITED, Standing, TenantAccount
from rememora.handles import operator
from rememora.missions.debug import DebugViews
from rememora.portal import Portal
from rememora.ports.outbox import Subscribed
from rememora.sync.access import SyncAccess
from rememora.tenancy.accounts import AnyPlan


class SyncOperator:
    """Operations across tenants, each recorded under the operator's name."""

    def __init__(self, portal: Portal, inner: operator.Operator) -> None:
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

    def tenants(self, *, limit: int = 100, after: str | None = None, adopting: bool = True) -> Page[TenantAccount]:
        """Every account, by id; without `adopting` only those that were opened, which costs less."""
        return self._portal.run(self._inner.tenants(limit=limit, after=after, adopting=adopting))

    def people(self, *, limit: int = 100) -> list[tuple[str, str]]:
        """List the first tenants and users with stored data, with or without an account."""
        return self._portal.run(self._inner.people(limit=limit))

    def tenant(self, id: str) -> TenantAccount:
        """One tenant's account."""
        return self._portal.run(self._inner.tenant(id))

    def adopt_tenants(self) -> list[str]:
        """Open an account for every tenant that the library wrote for without one; returns their ids."""
        return self._portal.run(self._inner.adopt_tenants())

    def first_user(self, id: str) -> str | None:
        """Somebody of a tenant who has talked, None where nobody has."""
        return self._portal.run(self._inner.first_user(id))

    def subscribers(self) -> list[Subscribed]:
        """Every subscriber of events, by name."""
        return self._portal.run(self._inner.subscribers())

    def invite_owner(self) -> IssuedInvitation | None:
        """An invitation for the first owner of every tenant; None where there is an owner already."""
        return self._portal.run(self._inner.invite_owner())

    def create_tenant(self, id: str, *, name: str | None = None, plan: AnyPlan = UNLIMITED) -> TenantAccount:
        """Open an account."""
        return self._portal.run(self._inner.create_tenant(id, name=name, plan=plan))

    def change_tenant(
        self,
        id: str,
        *,
        name: str | None = None,
        plan: AnyPlan | None = None,
        status: Standing | None = None,
        end_links: bool = False,
    ) -> TenantAccount:
        """Another name, plan or standing; `end_links` makes every link given out so far worthless."""
        return self._portal.run(
            self._inner.change_tenant(id, name=name, plan=plan, status=status, end_links=end_links)
        )

    def erase_tenant(self, id: str, *, confirm: str, why: str = "") -> Receipt:
        """Erase a tenant permanently, every row of it; `confirm` repeats its id."""
        return self._portal.run(self._inner.erase_tenant(id, confirm=confirm, why=why))

    def replay_erasures(self, file: str, *, since: datetime) -> Replayed:
        """Erase again what a record of erasures names from `since` on, as is due after restoring a backup."""
        return self._portal.run(self._inner.replay_erasures(file, since=since))

    def analytics(self, *, tenant: str | None = None) -> list[GateQuality]:
        """Report the quality of the gate, of one tenant or of all and then of each; needs the extra `duckdb`."""
        return self._portal.run(self._inner.analytics(tenant=tenant))
