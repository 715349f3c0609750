"""Accounts of people who sign in to the pages: their roles, their sessions, and invitations to get one."""

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
    """One account: a name to sign in with, and what it may do in its tenant; never the password."""

    tenant: str
    id: str
    name: str
    role: LoginRole
    user: str | None = None
    created_at: datetime
    used_at: datetime | None = None


class Invitation(msgspec.Struct, frozen=True, kw_only=True):
    """A chance to open one account; its link is shown once and stored nowhere."""

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
    """Somebody who is signed in: since when, when they were last seen, and whether they broke the glass."""

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
    """A name to sign in with, in the one form that it is stored and looked for."""
    name = unicodedata.normalize("NFKC", check_name("name", value)).strip().casefold()
    return check_name("name", name)


def check_password(value: str) -> str:
    """A password that is long enough to be one."""
    if not SHORTEST_PASSWORD <= len(value) <= LONGEST_PASSWORD:
        reason = f"must have between {SHORTEST_PASSWORD} and {LONGEST_PASSWORD} characters"
        raise InvalidInput("password", reason)
    return value
