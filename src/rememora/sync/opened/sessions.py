"""`StoreSessions` without `await`; `make sync` writes this file from `handles/opened/sessions.py`."""

from __future__ import annotations

from rememora.domain.login import Invitation, Login
from rememora.domain.tenancy import Caller
from rememora.handles.opened import sessions as wrapped
from rememora.portal import Portal


class SyncStoreSessions:
    """The sessions and accounts of people who sign in to the pages."""

    def __init__(self, portal: Portal, inner: wrapped.StoreSessions) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    def sign_in(self, name: str, password: str, *, address: str = "") -> str:
        """The token of a session at the pages; too many wrong ones for a name or from an address are refused."""
        return self._portal.run(self._inner.sign_in(name, password, address=address))

    def sign_out(self, token: str) -> None:
        """End a session."""
        return self._portal.run(self._inner.sign_out(token))

    def admit(self, token: str) -> Caller:
        """Return who is signed in; refuse a session that was idle for too long."""
        return self._portal.run(self._inner.admit(token))

    def change_password(self, token: str, *, old: str, new: str, address: str = "") -> str:
        """Give the account of a session another password; its sessions end, and a new one's token is returned."""
        return self._portal.run(self._inner.change_password(token, old=old, new=new, address=address))

    def invitation(self, token: str) -> Invitation:
        """Return the account that an invitation opens; refuse one that is wrong, late or used."""
        return self._portal.run(self._inner.invitation(token))

    def accept_invitation(self, token: str, *, name: str, password: str) -> Login:
        """Open the account that an invitation is for."""
        return self._portal.run(self._inner.accept_invitation(token, name=name, password=password))

    def break_glass(self, token: str, *, tenant: str, reason: str) -> None:
        """Let support see personal data of a tenant for a while, under a reason that goes on record."""
        return self._portal.run(self._inner.break_glass(token, tenant=tenant, reason=reason))
