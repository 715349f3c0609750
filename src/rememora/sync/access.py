"""`Access` without `await`; `make sync` writes this file from `handles/access.py`."""

from __future__ import annotations

from collections.abc import Sequence

from rememora.domain.login import Invitation, IssuedInvitation, Login, LoginRole
from rememora.domain.tenancy import ApiKey, IssuedKey, IssuedLink, KeyRole, Plan, Usage
from rememora.handles import access as wrapped
from rememora.portal import Portal


class SyncAccess:
    """Control access to one tenant, and report how much it uses."""

    def __init__(self, portal: Portal, inner: wrapped.Access) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    def keys(self) -> list[ApiKey]:
        """Every key, newest first; never a secret."""
        return self._portal.run(self._inner.keys())

    def issue_key(
        self,
        role: KeyRole,
        *,
        user: str | None = None,
        modules: Sequence[str] = (),
        label: str = "",
        days: float | None = None,
    ) -> IssuedKey:
        """A new key; its secret is shown this once. A `module` key does these modules' tasks, and no more."""
        return self._portal.run(self._inner.issue_key(role, user=user, modules=modules, label=label, days=days))

    def rotate_key(self, id: str) -> IssuedKey:
        """A successor of a key; the old one goes on for the overlap of the settings."""
        return self._portal.run(self._inner.rotate_key(id))

    def revoke_key(self, id: str) -> ApiKey:
        """End a key at once."""
        return self._portal.run(self._inner.revoke_key(id))

    def link(self, user: str, *, minutes: float | None = None, read_only: bool = False) -> IssuedLink:
        """A passing credential for one person's own page; a read-only one changes nothing."""
        return self._portal.run(self._inner.link(user, minutes=minutes, read_only=read_only))

    def logins(self) -> list[Login]:
        """Accounts of people who sign in to the pages, by name."""
        return self._portal.run(self._inner.logins())

    def end_login(self, id: str) -> None:
        """Remove an account and end its sessions at once; the last owner stays."""
        return self._portal.run(self._inner.end_login(id))

    def invite(self, role: LoginRole, *, user: str | None = None, name: str = "") -> IssuedInvitation:
        """An invitation to open an account, shown this once; one that names an account resets its password."""
        return self._portal.run(self._inner.invite(role, user=user, name=name))

    def invitations(self) -> list[Invitation]:
        """Invitations that still work, newest first; never a token."""
        return self._portal.run(self._inner.invitations())

    def withdraw_invitation(self, id: str) -> None:
        """End an invitation that nobody has used."""
        return self._portal.run(self._inner.withdraw_invitation(id))

    def usage(self) -> list[Usage]:
        """Return the usage of each meter in its current window, and the limits."""
        return self._portal.run(self._inner.usage())

    def plan(self) -> Plan:
        """The plan in force."""
        return self._portal.run(self._inner.plan())
