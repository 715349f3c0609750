"""Operations across tenants: accounts, the operators' own keys, and views for development."""

from __future__ import annotations

import asyncio
from datetime import datetime
from functools import partial
from pathlib import Path

import msgspec

from rememora.adapters.ledger import read_ledger
from rememora.domain.ledger import LedgerEntry, Replayed
from rememora.domain.login import IssuedInvitation
from rememora.domain.message import Page
from rememora.domain.quality import GateQuality
from rememora.domain.receipt import Receipt
from rememora.domain.rights import OPERATOR, Actor
from rememora.domain.scope import SHARED, Scope
from rememora.domain.tenancy import EVERY_TENANT, UNLIMITED, Standing, TenantAccount
from rememora.engines import open_tables
from rememora.errors import NotFound
from rememora.events.clear import clear
from rememora.handles.access import Access
from rememora.handles.user import UserMemory
from rememora.knowledge import tenant_erasure
from rememora.knowledge.quality import look_back
from rememora.missions.debug import DebugViews
from rememora.ports.outbox import Subscribed
from rememora.tenancy import accounts, logins
from rememora.tenancy.accounts import AnyPlan
from rememora.wiring import Parts


class Operator:
    """Operations across tenants, each recorded under the operator's name."""

    def __init__(self, parts: Parts, acting: str) -> None:
        self._parts = parts
        self._scope = Scope(EVERY_TENANT, acting)

    @property
    def access(self) -> Access:
        """The operators' own keys."""
        return Access(self._parts, self._scope)

    @property
    def missions(self) -> DebugViews:
        """Views into missions for development; elsewhere each of them is refused."""
        return self._parts.debug

    async def tenants(
        self, *, limit: int = 100, after: str | None = None, adopting: bool = True
    ) -> Page[TenantAccount]:
        """Every account, by id; without `adopting` only those that were opened, which costs less."""
        store, clock = self._parts.store, self._parts.clock
        return await accounts.page(store, limit=limit, after=after, clock=clock, adopting=adopting)

    async def people(self, *, limit: int = 100) -> list[tuple[str, str]]:
        """List the first tenants and users with stored data, with or without an account."""
        return await self._parts.store.accounts(lambda view: view.people(limit=limit))

    async def tenant(self, id: str) -> TenantAccount:
        """One tenant's account."""
        return await accounts.get(self._parts.store, id, clock=self._parts.clock)

    async def adopt_tenants(self) -> list[str]:
        """Open an account for every tenant that the library wrote for without one; returns their ids."""
        return await accounts.adopt(self._parts.store, clock=self._parts.clock)

    async def first_user(self, id: str) -> str | None:
        """Somebody of a tenant who has talked, None where nobody has."""
        users = await self._parts.store.accounts(lambda view: view.users(id), reading=True)
        return min(users, default=None)

    async def subscribers(self) -> list[Subscribed]:
        """Every subscriber of events, by name."""
        return await self._parts.store.relay(lambda relay: relay.subscribers(), reading=True)

    async def invite_owner(self) -> IssuedInvitation | None:
        """An invitation for the first owner of every tenant; None where there is an owner already."""
        parts = self._parts
        return await logins.invite_owner(parts.store, settings=parts.settings.access, clock=parts.clock)

    async def create_tenant(self, id: str, *, name: str | None = None, plan: AnyPlan = UNLIMITED) -> TenantAccount:
        """Open an account."""
        return await accounts.create(self._parts.store, id, name=name, plan=plan, clock=self._parts.clock)

    async def change_tenant(
        self,
        id: str,
        *,
        name: str | None = None,
        plan: AnyPlan | None = None,
        status: Standing | None = None,
        end_links: bool = False,
    ) -> TenantAccount:
        """Another name, plan or standing; `end_links` makes every link given out so far worthless."""
        return await accounts.change(
            self._parts.store,
            id,
            name=name,
            plan=plan,
            status=status,
            end_links=end_links,
            clock=self._parts.clock,
        )

    async def erase_tenant(self, id: str, *, confirm: str, why: str = "") -> Receipt:
        """Erase a tenant permanently, every row of it; `confirm` repeats its id."""
        actor = Actor(self._scope.user, OPERATOR)
        beside = partial(self._erase_beside, id)
        onward = partial(clear, self._parts.told, Scope(id, SHARED), before=self._parts.clock())
        receipt = await tenant_erasure.erase_tenant(
            self._parts.desk, id, confirm=confirm, actor=actor, beside=beside, onward=onward, why=why
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

    async def replay_erasures(self, file: str, *, since: datetime) -> Replayed:
        """Erase again what a record of erasures names from `since` on, as is due after restoring a backup."""
        lines = [line for line in await asyncio.to_thread(read_ledger, Path(file)) if line.at >= since]
        # What is on record already is not noted again.
        desk = msgspec.structs.replace(self._parts.desk, ledger=None)
        again = Operator(msgspec.structs.replace(self._parts, desk=desk), self._scope.user)
        return Replayed(lines=len(lines), erased=sum([await again._repeat(line) for line in lines]))

    async def _repeat(self, line: LedgerEntry) -> bool:
        """Repeat one erasure; return whether there was something to erase."""
        try:
            if line.user is None or line.erasure is None:
                receipt = await self.erase_tenant(line.tenant, confirm=line.tenant)
            else:
                actor = Actor(self._scope.user, OPERATOR)
                person = UserMemory(self._parts, Scope(line.tenant, line.user), actor=actor)
                receipt = await person.erase(**msgspec.structs.asdict(line.erasure))
        except NotFound:
            return False
        return any(receipt.counts.values())

    async def analytics(self, *, tenant: str | None = None) -> list[GateQuality]:
        """Report the quality of the gate, of one tenant or of all and then of each; needs the extra `duckdb`."""
        tables = open_tables()
        try:
            return await look_back(self._parts.store, tables, acting=self._scope.user, tenant=tenant)
        finally:
            tables.close()
