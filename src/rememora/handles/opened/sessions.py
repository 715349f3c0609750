"""Sessions of people at the pages: signing in, accounts, and support's look."""

from __future__ import annotations

from rememora.domain.login import Invitation, Login, SignInAttempt
from rememora.domain.rights import SUPPORT_UNMASKED, Actor
from rememora.domain.scope import Scope
from rememora.domain.tenancy import EVERY_TENANT, Caller
from rememora.errors import RightMissing
from rememora.knowledge import keep
from rememora.knowledge.passwords import change_password
from rememora.tenancy import logins
from rememora.wiring.parts import Parts


class StoreSessions:
    """The sessions and accounts of people who sign in to the pages."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def sign_in(self, name: str, password: str, *, address: str = "") -> str:
        """The token of a session at the pages; too many wrong ones for a name or from an address are refused."""
        parts, tried = self._parts, SignInAttempt(name=name, password=password, address=address)
        return await logins.sign_in(
            parts.store, parts.passwords, tried, settings=parts.settings.access, clock=parts.clock
        )

    async def sign_out(self, token: str) -> None:
        """End a session."""
        await logins.sign_out(self._parts.store, token)

    async def admit(self, token: str) -> Caller:
        """Return who is signed in; refuse a session that was idle for too long."""
        parts = self._parts
        return await logins.admit(parts.store, token, settings=parts.settings.access, clock=parts.clock)

    async def change_password(self, token: str, *, old: str, new: str, address: str = "") -> str:
        """Give the account of a session another password; its sessions end, and a new one's token is returned."""
        parts, caller = self._parts, await self.admit(token)
        tried = SignInAttempt(name=caller.key, password=old, address=address)
        return await change_password(parts.desk, parts.passwords, token, tried=tried, new=new, acting=caller.name)

    async def invitation(self, token: str) -> Invitation:
        """Return the account that an invitation opens; refuse one that is wrong, late or used."""
        return await logins.invitation_of(self._parts.store, token, clock=self._parts.clock)

    async def accept_invitation(self, token: str, *, name: str, password: str) -> Login:
        """Open the account that an invitation is for."""
        parts = self._parts
        return await logins.accept(
            parts.store, parts.passwords, token, name=name, password=password, clock=parts.clock
        )

    async def break_glass(self, token: str, *, tenant: str, reason: str) -> None:
        """Let support see personal data of a tenant for a while, under a reason that goes on record."""
        parts, caller = self._parts, await self.admit(token)
        if caller.role != "support" or caller.tenant not in (EVERY_TENANT, tenant):
            raise RightMissing("assist")
        actor = Actor(caller.name, SUPPORT_UNMASKED)
        await keep.look_at_people(parts.desk, Scope(tenant, caller.name), actor=actor, reason=reason)
        await logins.break_glass(
            parts.store, token, tenant=tenant, reason=reason, settings=parts.settings.access, clock=parts.clock
        )
