"""`OperatorTenants` without `await`; `make sync` writes this file from `handles/operator_tenants.py`."""

from __future__ import annotations

import builtins

from rememora.domain.message import Page
from rememora.domain.receipt import Receipt
from rememora.domain.tenancy import UNLIMITED, Standing, TenantAccount
from rememora.handles import operator_tenants as wrapped
from rememora.handles.deprecated import OldCall
from rememora.portal import Portal
from rememora.tenancy.accounts import AnyPlan


class SyncOperatorTenants(OldCall):
    """The accounts of all tenants."""

    def __init__(self, portal: Portal, inner: wrapped.OperatorTenants) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    def list(self, *, limit: int = 100, after: str | None = None, adopting: bool = True) -> Page[TenantAccount]:
        """Every account, by id; without `adopting` only those that were opened, which costs less."""
        return self._portal.run(self._inner.list(limit=limit, after=after, adopting=adopting))

    def get(self, id: str) -> TenantAccount:
        """One tenant's account."""
        return self._portal.run(self._inner.get(id))

    def create(self, id: str, *, name: str | None = None, plan: AnyPlan = UNLIMITED) -> TenantAccount:
        """Open an account."""
        return self._portal.run(self._inner.create(id, name=name, plan=plan))

    def change(
        self,
        id: str,
        *,
        name: str | None = None,
        plan: AnyPlan | None = None,
        status: Standing | None = None,
        end_links: bool = False,
    ) -> TenantAccount:
        """Another name, plan or standing; `end_links` makes every link given out so far worthless."""
        return self._portal.run(self._inner.change(id, name=name, plan=plan, status=status, end_links=end_links))

    def adopt(self) -> builtins.list[str]:
        """Open an account for every tenant that the library wrote for without one; returns their ids."""
        return self._portal.run(self._inner.adopt())

    def people(self, *, limit: int = 100) -> builtins.list[tuple[str, str]]:
        """List the first tenants and users with stored data, with or without an account.

        The memory that an agent keeps of a user stands here under both names, as in `ana#agent:support`."""
        return self._portal.run(self._inner.people(limit=limit))

    def first_user(self, id: str) -> str | None:
        """Somebody of a tenant who has talked, None where nobody has."""
        return self._portal.run(self._inner.first_user(id))

    def erase(self, id: str, *, confirm: str, why: str = "") -> Receipt:
        """Erase a tenant permanently, every row of it; `confirm` repeats its id."""
        return self._portal.run(self._inner.erase(id, confirm=confirm, why=why))
