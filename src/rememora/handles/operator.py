"""Operations across tenants: accounts, the operators' own keys, and views for development."""

from __future__ import annotations

import asyncio
from datetime import datetime
from pathlib import Path

import msgspec

from rememora.adapters.ledger import read_ledger
from rememora.domain.ledger import LedgerEntry, Replayed
from rememora.domain.login import IssuedInvitation
from rememora.domain.quality import GateQuality
from rememora.domain.rights import OPERATOR, Actor
from rememora.domain.scope import Scope
from rememora.domain.tenancy import EVERY_TENANT
from rememora.engines import open_tables
from rememora.errors import NotFound
from rememora.handles.access import Access
from rememora.handles.deprecated import OldOperatorVerbs
from rememora.handles.operator_tenants import OperatorTenants
from rememora.handles.user import UserMemory
from rememora.knowledge.quality import look_back
from rememora.missions.debug import DebugViews
from rememora.ports.outbox import Subscribed
from rememora.tenancy import logins
from rememora.wiring.parts import Parts


class Operator(OldOperatorVerbs):
    """Operations across tenants, each recorded under the operator's name."""

    def __init__(self, parts: Parts, acting: str) -> None:
        self._parts = parts
        self._scope = Scope(EVERY_TENANT, acting)

    @property
    def access(self) -> Access:
        """The keys of the operators themselves."""
        return Access(self._parts, self._scope)

    @property
    def missions(self) -> DebugViews:
        """Debug views of missions; refused unless `missions.debug` is on."""
        return self._parts.debug

    @property
    def tenants(self) -> OperatorTenants:
        """Accounts of all tenants: list, get, create, change, adopt, erase, people."""
        return OperatorTenants(self._parts, self._scope.user)

    async def subscribers(self) -> list[Subscribed]:
        """List the subscribers of events, by name."""
        return await self._parts.store.relay(lambda relay: relay.subscribers(), reading=True)

    async def invite_owner(self) -> IssuedInvitation | None:
        """Create the invitation of the first owner; None if there is an owner already."""
        parts = self._parts
        return await logins.invite_owner(parts.store, settings=parts.settings.access, clock=parts.clock)

    async def replay_erasures(self, file: str, *, since: datetime) -> Replayed:
        """Repeat the erasures that a ledger recorded since `since`, as needed after restoring a backup."""
        lines = [line for line in await asyncio.to_thread(read_ledger, Path(file)) if line.at >= since]
        # What is on record already is not noted again.
        desk = msgspec.structs.replace(self._parts.desk, ledger=None)
        again = Operator(msgspec.structs.replace(self._parts, desk=desk), self._scope.user)
        return Replayed(lines=len(lines), erased=sum([await again._repeat(line) for line in lines]))

    async def _repeat(self, line: LedgerEntry) -> bool:
        """Repeat one erasure; return whether there was anything to erase."""
        try:
            if line.user is None or line.erasure is None:
                receipt = await self.tenants.erase(line.tenant, confirm=line.tenant)
            else:
                actor = Actor(self._scope.user, OPERATOR)
                person = UserMemory(self._parts, Scope(line.tenant, line.user), actor=actor)
                receipt = await person.erase(**msgspec.structs.asdict(line.erasure))
        except NotFound:
            return False
        return any(receipt.counts.values())

    async def analytics(self, *, tenant: str | None = None) -> list[GateQuality]:
        """Report the quality of the gate, for one tenant or for all and then each; needs the extra `duckdb`."""
        tables = open_tables()
        try:
            return await look_back(self._parts.store, tables, acting=self._scope.user, tenant=tenant)
        finally:
            tables.close()
