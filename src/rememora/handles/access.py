"""Access to one tenant: keys, links, accounts, invitations, plan and usage."""

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
    """Manage access to one tenant, and report how much it uses."""

    def __init__(self, parts: Parts, scope: Scope) -> None:
        self._parts = parts
        self._scope = scope

    async def keys(self) -> list[ApiKey]:
        """List all keys, newest first, without their secrets."""
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
        """Issue a key; its secret is shown only once. A `module` key may only do the tasks of its modules."""
        store, clock = self._parts.store, self._parts.clock
        return await keys.issue(
            store, self._scope, role=role, user=user, modules=modules, label=label, days=days, clock=clock
        )

    async def rotate_key(self, id: str) -> IssuedKey:
        """Issue the successor of a key; the old key remains valid for `tenancy.overlap_hours`."""
        store, clock, settings = self._parts.store, self._parts.clock, self._parts.settings.access
        return await keys.rotate(store, self._scope, id, overlap_hours=settings.overlap_hours, clock=clock)

    async def revoke_key(self, id: str) -> ApiKey:
        """Revoke a key at once."""
        return await keys.revoke(self._parts.store, self._scope, id, clock=self._parts.clock)

    async def link(self, user: str, *, minutes: float | None = None, read_only: bool = False) -> IssuedLink:
        """Issue a temporary credential for one person's own page; a read-only one cannot change anything."""
        lifetime = self._parts.settings.access.link_minutes if minutes is None else minutes
        scope = Scope(self._scope.tenant, user)
        return await links.issue(
            self._parts.store, scope, minutes=lifetime, clock=self._parts.clock, read_only=read_only
        )

    async def logins(self) -> list[Login]:
        """List the accounts of people who sign in to the pages, by name."""
        return await logins.listed(self._parts.store, self._scope)

    async def end_login(self, id: str) -> None:
        """Remove an account and end its sessions at once; the last owner stays."""
        await logins.end(self._parts.store, self._scope, id)

    async def invite(self, role: LoginRole, *, user: str | None = None, name: str = "") -> IssuedInvitation:
        """Invite somebody to open an account, or to reset an account's password; the token is shown only once."""
        store, settings, clock = self._parts.store, self._parts.settings.access, self._parts.clock
        return await logins.invite(
            store, self._scope, role=role, user=user, name=name, settings=settings, clock=clock
        )

    async def invitations(self) -> list[Invitation]:
        """List invitations that are still valid, newest first, without their tokens."""
        return await logins.invitations(self._parts.store, self._scope, clock=self._parts.clock)

    async def withdraw_invitation(self, id: str) -> None:
        """Revoke an unused invitation."""
        await logins.withdraw(self._parts.store, self._scope, id)

    async def usage(self) -> list[Usage]:
        """Return the usage of each meter in its current window, and the limits."""
        return await self._parts.tally.usage(self._scope)

    async def plan(self) -> Plan:
        """Return the current plan."""
        return await self._parts.tally.plan(self._scope)
