"""Accounts of people who sign in to the pages: roles, sessions and invitations."""

from __future__ import annotations

import unicodedata
from datetime import datetime
from typing import Literal, get_args

import msgspec

from rememora.domain.check import check_name
from rememora.errors import InvalidInput

LoginRole = Literal["owner", "operator", "auditor", "support", "person"]
LOGIN_ROLES: tuple[LoginRole, ...] = get_args(LoginRole)
SHORTEST_PASSWORD, LONGEST_PASSWORD = 10, 256


class Login(msgspec.Struct, frozen=True, kw_only=True):
    """One account: the name to sign in with, and its role in its tenant; never the password."""

    tenant: str
    id: str
    name: str
    role: LoginRole
    user: str | None = None
    created_at: datetime
    used_at: datetime | None = None


class Invitation(msgspec.Struct, frozen=True, kw_only=True):
    """An invitation to open one account; its link is shown once and not stored."""

    tenant: str
    id: str
    role: LoginRole
    user: str | None = None
    name: str = ""
    created_by: str
    created_at: datetime
    expires_at: datetime


class IssuedInvitation(msgspec.Struct, frozen=True, kw_only=True):
    """A new invitation with the token that its link carries."""

    invitation: Invitation
    token: str


class LoginSession(msgspec.Struct, frozen=True, kw_only=True):
    """A signed-in person: since when, when they were last seen, and whether they broke the glass."""

    tenant: str
    id: str
    login: str
    created_at: datetime
    seen_at: datetime
    glass_tenant: str = ""
    glass_reason: str = ""
    glass_until: datetime | None = None


class SignInAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """Credentials of one sign-in attempt, and the address it came from."""

    name: str
    password: str
    address: str


def login_name(value: object) -> str:
    """Normalise a name to the form in which it is stored and looked up."""
    name = unicodedata.normalize("NFKC", check_name("name", value)).strip().casefold()
    return check_name("name", name)


def check_password(value: str) -> str:
    """Check that a password is long enough."""
    if not SHORTEST_PASSWORD <= len(value) <= LONGEST_PASSWORD:
        reason = f"must have between {SHORTEST_PASSWORD} and {LONGEST_PASSWORD} characters"
        raise InvalidInput("password", reason)
    return value
