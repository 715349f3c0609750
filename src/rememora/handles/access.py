"""Control access to one tenant and its usage: keys, links, plan and usage."""

from __future__ import annotations

from collections.abc import Sequence

from rememora.domain.login import Invitation, IssuedInvitation, Login, LoginRole
from rememora.domain.scope import Scope
from rememora.domain.tenancy import (
    ApiKey,
    IssuedKey,
    IssuedLink,
    KeyRole,
    Plan,
    Usage,
)
from rememora.tenancy import keys, links, logins
from rememora.wiring.parts import Parts


class Access:
    """Control access to one tenant, and report how much it uses."""

    def __init__(self, parts: Parts, scope: Scope) -> None:
        self._parts = parts
        self._scope = scope

    async def keys(self) -> list[ApiKey]:
        """Every key, newest first; never a secret."""
        return await keys.listed(self._parts.store, self._scope)

    async def issue_key(
        self,
        role: KeyRole,
        *,
        user: str | None = None,
        modules: Sequence[str] = (),
        label: str = "",
        days: float | None = None,
    ) -> IssuedKey:
        """A new key; its secret is shown this once. A `module` key does these modules' tasks, and no more."""
        store, clock = self._parts.store, self._parts.clock
        return await keys.issue(
            store, self._scope, role=role, user=user, modules=modules, label=label, days=days, clock=clock
        )

    async def rotate_key(self, id: str) -> IssuedKey:
        """A successor of a key; the old one goes on for the overlap of the settings."""
        store, clock, wanted = self._parts.store, self._parts.clock, self._parts.settings.access
        return await keys.rotate(store, self._scope, id, overlap_hours=wanted.overlap_hours, clock=clock)

    async def revoke_key(self, id: str) -> ApiKey:
        """End a key at once."""
        return await keys.revoke(self._parts.store, self._scope, id, clock=self._parts.clock)

    async def link(self, user: str, *, minutes: float | None = None, read_only: bool = False) -> IssuedLink:
        """A passing credential for one person's own page; a read-only one changes nothing."""
        wanted = self._parts.settings.access.link_minutes if minutes is None else minutes
        scope = Scope(self._scope.tenant, user)
        return await links.issue(
            self._parts.store, scope, minutes=wanted, clock=self._parts.clock, read_only=read_only
        )

    async def logins(self) -> list[Login]:
        """Accounts of people who sign in to the pages, by name."""
        return await logins.listed(self._parts.store, self._scope)

    async def end_login(self, id: str) -> None:
        """Remove an account and end its sessions at once; the last owner stays."""
        await logins.end(self._parts.store, self._scope, id)

    async def invite(self, role: LoginRole, *, user: str | None = None, name: str = "") -> IssuedInvitation:
        """An invitation to open an account, shown this once; one that names an account resets its password."""
        store, wanted, clock = self._parts.store, self._parts.settings.access, self._parts.clock
        return await logins.invite(
            store, self._scope, role=role, user=user, name=name, settings=wanted, clock=clock
        )

    async def invitations(self) -> list[Invitation]:
        """Invitations that still work, newest first; never a token."""
        return await logins.invitations(self._parts.store, self._scope, clock=self._parts.clock)

    async def withdraw_invitation(self, id: str) -> None:
        """End an invitation that nobody has used."""
        await logins.withdraw(self._parts.store, self._scope, id)

    async def usage(self) -> list[Usage]:
        """Return the usage of each meter in its current window, and the limits."""
        return await self._parts.tally.usage(self._scope)

    async def plan(self) -> Plan:
        """The plan in force."""
        return await self._parts.tally.plan(self._scope)
