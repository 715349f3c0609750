"""Port of signing in: a tenant's accounts, invitations and sessions, and the view that finds them."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

import msgspec

from rememora.domain.login import Invitation, Login, LoginSession
from rememora.domain.scope import Scope
from rememora.domain.tenancy import Standing
from rememora.ports.erasable import Erasable


class StoredLogin(msgspec.Struct, frozen=True, kw_only=True):
    """An account with the hash of its password."""

    login: Login
    password: str
    standing: Standing = "active"


class StoredSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session with the account it belongs to and the hash of its token."""

    session: LoginSession
    digest: bytes
    login: Login
    standing: Standing


class StoredInvitation(msgspec.Struct, frozen=True, kw_only=True):
    """An invitation with the hash of its token."""

    invitation: Invitation
    digest: bytes


class Logins(Erasable, Protocol):
    """A tenant's accounts, invitations and sessions."""

    def all(self, scope: Scope) -> list[Login]:
        """List accounts by name."""

    def named(self, scope: Scope, name: str) -> StoredLogin | None: ...

    def put(self, scope: Scope, login: Login, password: str) -> None:
        """Create an account, or change its password and role."""

    def touch(self, scope: Scope, id: str, *, at: datetime) -> None: ...

    def end(self, scope: Scope, id: str) -> bool:
        """Remove an account; False if there is none."""

    def invite(self, scope: Scope, invitation: Invitation, digest: bytes) -> None: ...

    def invitations(self, scope: Scope) -> list[Invitation]:
        """List invitations, newest first."""

    def spend(self, scope: Scope, id: str) -> bool:
        """Remove an invitation; False if it was used or revoked before."""

    def open_session(self, scope: Scope, session: LoginSession, digest: bytes) -> None: ...

    def put_session(self, scope: Scope, session: LoginSession) -> None:
        """Record when it was last seen, and whether the glass was broken."""

    def end_sessions(self, scope: Scope, login: str, *, only: str | None = None) -> None:
        """End every session of an account, or only one."""

    def count_try(self, scope: Scope, place: str, *, since: datetime, amount: int = 1) -> int:
        """Count a sign-in attempt from an address; returns the count in this window."""


class SignIns(Protocol):
    """An operator's view: finds the owner of a name, a session or an invitation."""

    def find_logins(self, name: str) -> list[StoredLogin]: ...

    def find_session(self, id: str) -> StoredSession | None: ...

    def find_invitation(self, id: str) -> StoredInvitation | None: ...

    def forget(self, *, before: datetime, now: datetime) -> int:
        """Drop sessions and attempts from before a moment, and expired invitations."""
