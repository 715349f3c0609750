"""Signed links: a temporary credential for one person's own page, verified without being stored.

A link never erases on its own: each erasure needs a signed, fresh, single-use confirmation.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from datetime import UTC, datetime, timedelta

import msgspec

from rememora.domain.scope import SHARED, Scope
from rememora.domain.tenancy import Caller, Confirmation, IssuedLink
from rememora.errors import ConfirmationRejected, Forbidden, InvalidInput, KeyRejected, NotFound
from rememora.ports.outside import Clock
from rememora.ports.store import Store, UnitOfWork
from rememora.ports.tenancy import IdempotentAnswer
from rememora.tenancy import accounts

PREFIX = "rml_"
CONFIRM_PREFIX = "rmc_"
CONFIRM_FOR = timedelta(minutes=5)
LONGEST_TOKEN = 4096
NONCE_BYTES = 9


class _Claim(msgspec.Struct, array_like=True):
    """Claims of a link."""

    tenant: str
    user: str
    until: int
    nonce: str
    read_only: bool = False


class _Consent(msgspec.Struct, array_like=True):
    """Claims of a confirmation; `act` is the fingerprint of the one request that it is for."""

    user: str
    until: int
    nonce: str
    act: str


async def issue(
    store: Store, scope: Scope, *, minutes: float, clock: Clock, read_only: bool = False
) -> IssuedLink:
    """Issue a link for the scope's user, signed with the tenant's secret."""
    if scope.user == SHARED:
        raise InvalidInput("user", f"{SHARED!r} is reserved for all users of a tenant")
    # A tenant that only the library wrote for has no account, and so no secret, until it is asked for.
    await accounts.get(store, scope.tenant, clock=clock)
    secret = await _secret(store, scope)
    until = (clock() + timedelta(minutes=minutes)).replace(microsecond=0)
    claim = _Claim(scope.tenant, scope.user, int(until.timestamp()), _nonce(), read_only)
    token = _signed(PREFIX, msgspec.json.encode(claim), secret)
    return IssuedLink(token=token, user=scope.user, expires_at=until, read_only=read_only)


async def admit(store: Store, token: str, *, clock: Clock) -> Caller:
    """Return the owner of the page that a link opens; a forged, changed or expired one is refused."""
    body, _, signature = token.removeprefix(PREFIX).partition(".")
    claim, scope = _read(token, body)
    secret = await store.read(scope, lambda work: work.usages.link_secret(scope))
    # Compared also where the tenant has no secret, so that the time of a refusal tells nothing.
    expected = _text(_signature(PREFIX, secret or b"", body))
    genuine = hmac.compare_digest(expected.encode(), signature.encode())
    if secret is None or not genuine or clock() >= datetime.fromtimestamp(claim.until, UTC):
        raise KeyRejected
    account = await store.accounts(lambda view: view.get(scope.tenant), reading=True)
    if account is None or account.status == "suspended":
        raise Forbidden("the tenant is suspended")
    return Caller(
        tenant=scope.tenant, role="user", user=scope.user, key="link", link=True, read_only=claim.read_only
    )


async def ask_to_confirm(store: Store, scope: Scope, act: bytes, *, clock: Clock) -> Confirmation:
    """Issue a token that lets the scope's user do one action within the next minutes."""
    secret = await _secret(store, scope)
    until = (clock() + CONFIRM_FOR).replace(microsecond=0)
    consent = _Consent(scope.user, int(until.timestamp()), _nonce(), act.hex())
    return Confirmation(token=_signed(CONFIRM_PREFIX, msgspec.json.encode(consent), secret), expires_at=until)


async def confirm(store: Store, scope: Scope, token: str, act: bytes, *, clock: Clock) -> None:
    """Use up a confirmation; refused unless it is genuine, fresh, unused, and for this person and this action."""
    secret = await _secret(store, scope)
    now = clock()
    consent = _consent(token, secret)
    late = consent is None or now >= datetime.fromtimestamp(consent.until, UTC)
    if consent is None or late or consent.user != scope.user or consent.act != act.hex():
        raise ConfirmationRejected
    # Under the tenant, not the person: erasing the person must not make the token usable again.
    place, used = scope.shared(), IdempotentAnswer(fingerprint=act, begun_at=now)

    def spend(work: UnitOfWork) -> bool:
        return work.answers.spend(place, f"{CONFIRM_PREFIX}{consent.nonce}", used)

    if not await store.write(place, spend):
        raise ConfirmationRejected


async def _secret(store: Store, scope: Scope) -> bytes:
    secret = await store.read(scope, lambda work: work.usages.link_secret(scope))
    if secret is None:
        raise NotFound("tenant", scope.tenant)
    return secret


def _consent(token: str, secret: bytes) -> _Consent | None:
    """Read a confirmation that this tenant signed."""
    body, _, signature = token.removeprefix(CONFIRM_PREFIX).partition(".")
    if not token.isascii() or len(token) > LONGEST_TOKEN or not token.startswith(CONFIRM_PREFIX):
        return None
    if not hmac.compare_digest(_text(_signature(CONFIRM_PREFIX, secret, body)), signature):
        return None
    return msgspec.json.decode(_bytes(body), type=_Consent)


def _read(token: str, body: str) -> tuple[_Claim, Scope]:
    if not token.isascii() or len(token) > LONGEST_TOKEN:
        raise KeyRejected
    try:
        claim = msgspec.json.decode(_bytes(body), type=_Claim)
        return claim, Scope(claim.tenant, claim.user)
    except (binascii.Error, msgspec.MsgspecError, InvalidInput, UnicodeDecodeError):
        raise KeyRejected from None


def _signed(prefix: str, raw: bytes, secret: bytes) -> str:
    body = _text(raw)
    return f"{prefix}{body}.{_text(_signature(prefix, secret, body))}"


def _signature(prefix: str, secret: bytes, body: str) -> bytes:
    return hmac.digest(secret, f"{prefix}{body}".encode(), hashlib.sha256)


def _nonce() -> str:
    return secrets.token_urlsafe(NONCE_BYTES)


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
