"""Accounts of a store's tenants, and the erasure of a tenant."""

from __future__ import annotations

import builtins
from functools import partial

from rememora.domain.message import Page
from rememora.domain.receipt import Receipt
from rememora.domain.rights import OPERATOR, Actor
from rememora.domain.scope import SHARED, Scope, split_owner
from rememora.domain.tenancy import EVERY_TENANT, UNLIMITED, Standing, TenantAccount
from rememora.events.clear import clear
from rememora.handles.deprecated import OldCall
from rememora.knowledge import tenant_erasure
from rememora.tenancy import accounts
from rememora.tenancy.accounts import AnyPlan
from rememora.wiring.parts import Parts


class OperatorTenants(OldCall):
    """The accounts of all tenants."""

    def __init__(self, parts: Parts, acting: str) -> None:
        self._parts = parts
        self._scope = Scope(EVERY_TENANT, acting)

    async def list(
        self, *, limit: int = 100, after: str | None = None, adopting: bool = True
    ) -> Page[TenantAccount]:
        """List all accounts, by id; without `adopting` only explicitly created ones, which is faster."""
        store, clock = self._parts.store, self._parts.clock
        return await accounts.page(store, limit=limit, after=after, clock=clock, adopting=adopting)

    async def get(self, id: str) -> TenantAccount:
        """Return one tenant's account."""
        return await accounts.get(self._parts.store, id, clock=self._parts.clock)

    async def create(self, id: str, *, name: str | None = None, plan: AnyPlan = UNLIMITED) -> TenantAccount:
        """Create an account."""
        return await accounts.create(self._parts.store, id, name=name, plan=plan, clock=self._parts.clock)

    async def change(
        self,
        id: str,
        *,
        name: str | None = None,
        plan: AnyPlan | None = None,
        status: Standing | None = None,
        end_links: bool = False,
    ) -> TenantAccount:
        """Change a tenant's name, plan or status; `end_links` invalidates every link issued so far."""
        return await accounts.change(
            self._parts.store,
            id,
            name=name,
            plan=plan,
            status=status,
            end_links=end_links,
            clock=self._parts.clock,
        )

    async def adopt(self) -> builtins.list[str]:
        """Create an account for every tenant that the library wrote for without one; returns their ids."""
        return await accounts.adopt(self._parts.store, clock=self._parts.clock)

    async def people(self, *, limit: int = 100) -> builtins.list[tuple[str, str]]:
        """List the first tenants and users with stored data, with or without an account.

        The memory that an agent keeps about a user is listed under both names, as in `ana#agent:support`.
        """
        return await self._parts.store.accounts(lambda view: view.people(limit=limit))

    async def first_user(self, id: str) -> str | None:
        """Return a user of a tenant who has a conversation; None if there is none."""
        users = await self._parts.store.accounts(lambda view: view.users(id), reading=True)
        return min((split_owner(user)[0] for user in users), default=None)

    async def erase(self, id: str, *, confirm: str, why: str = "") -> Receipt:
        """Erase a tenant permanently; `confirm` repeats its id."""
        actor = Actor(self._scope.user, OPERATOR)
        outside = partial(self._erase_beside, id)
        onward = partial(clear, self._parts.told, Scope(id, SHARED), before=self._parts.clock())
        receipt = await tenant_erasure.erase_tenant(
            self._parts.desk, id, confirm=confirm, actor=actor, outside=outside, onward=onward, why=why
        )
        await self._parts.searcher().refresh(Scope(id, SHARED), erased=True)
        return receipt

    async def _erase_beside(self, tenant: str) -> dict[str, int]:
        """Erase a tenant's data outside the store's own tables, whose rows are counted separately."""
        counts: dict[str, int] = {}
        if self._parts.settings.missions.url:
            counts["missions"] = await self._parts.missions.store.erase(Scope(tenant, SHARED))
        if (windows := self._parts.windows) is not None:
            users = await self._parts.store.accounts(lambda view: view.users(tenant), reading=True)
            counts["hot_windows"] = sum([await windows.drop(Scope(tenant, user)) for user in users])
        return {name: count for name, count in counts.items() if count}
