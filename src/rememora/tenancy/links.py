"""Signed links: a passing credential for one person's own page, checked without being stored."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from datetime import UTC, datetime, timedelta

import msgspec

from rememora.domain.scope import SHARED, Scope
from rememora.domain.tenancy import Caller, IssuedLink
from rememora.errors import Forbidden, InvalidInput, KeyRejected, NotFound
from rememora.ports.outside import Clock
from rememora.ports.store import Store
from rememora.tenancy import accounts

PREFIX = "rml_"
LONGEST_TOKEN = 4096
NONCE_BYTES = 9


class _Claim(msgspec.Struct, array_like=True):
    """What a link says of itself."""

    tenant: str
    user: str
    until: int
    nonce: str


async def issue(store: Store, scope: Scope, *, minutes: float, clock: Clock) -> IssuedLink:
    """A link for the scope's user, signed with the tenant's secret."""
    if scope.user == SHARED:
        raise InvalidInput("user", f"{SHARED!r} stands for all users of a tenant")
    # A tenant that only the library wrote for has no account, and so no secret, until it is asked for.
    await accounts.get(store, scope.tenant, clock=clock)
    secret = await store.read(scope, lambda work: work.usages.link_secret(scope))
    if secret is None:
        raise NotFound("tenant", scope.tenant)
    until = (clock() + timedelta(minutes=minutes)).replace(microsecond=0)
    claim = _Claim(scope.tenant, scope.user, int(until.timestamp()), secrets.token_urlsafe(NONCE_BYTES))
    body = _text(msgspec.json.encode(claim))
    token = f"{PREFIX}{body}.{_text(_signature(secret, body))}"
    return IssuedLink(token=token, user=scope.user, expires_at=until)


async def admit(store: Store, token: str, *, clock: Clock) -> Caller:
    """Whose page a link opens; a forged, changed or late one opens none."""
    body, _, signature = token.removeprefix(PREFIX).partition(".")
    claim, scope = _read(token, body)
    secret = await store.read(scope, lambda work: work.usages.link_secret(scope))
    expected = _text(_signature(secret or b"", body))
    genuine = hmac.compare_digest(expected.encode(), signature.encode())
    if secret is None or not genuine or clock() >= datetime.fromtimestamp(claim.until, UTC):
        raise KeyRejected
    account = await store.accounts(lambda view: view.get(scope.tenant), reading=True)
    if account is None or account.status == "suspended":
        raise Forbidden("the tenant is suspended")
    return Caller(tenant=scope.tenant, role="user", user=scope.user, key="link")


def _read(token: str, body: str) -> tuple[_Claim, Scope]:
    if not token.isascii() or len(token) > LONGEST_TOKEN:
        raise KeyRejected
    try:
        raw = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))
        claim = msgspec.json.decode(raw, type=_Claim)
        return claim, Scope(claim.tenant, claim.user)
    except (binascii.Error, msgspec.MsgspecError, InvalidInput, UnicodeDecodeError):
        raise KeyRejected from None


def _signature(secret: bytes, body: str) -> bytes:
    return hmac.digest(secret, f"{PREFIX}{body}".encode(), hashlib.sha256)


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
