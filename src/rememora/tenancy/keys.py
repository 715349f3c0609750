"""API keys: issued once, stored as a hash, checked on every request, rotated without a gap, revoked at once."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import zlib
from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from rememora.domain.check import check_between, check_name
from rememora.domain.scope import Scope
from rememora.domain.tenancy import EVERY_TENANT, KEY_ROLES, ApiKey, Caller, IssuedKey, KeyRole
from rememora.errors import Conflict, Forbidden, InvalidInput, KeyRejected, NotFound
from rememora.ports.outside import Clock
from rememora.ports.store import Store, UnitOfWork
from rememora.tenancy import accounts

PREFIX = "rem_"
ID_BYTES, SECRET_BYTES = 5, 20
ID_CHARACTERS, SECRET_CHARACTERS, CHECK_CHARACTERS = 8, 32, 7
LONGEST_DAYS = 3660
MOST_MODULES = 32
ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
TOUCH_EVERY = timedelta(hours=1)


def new_secret(prefix: str = PREFIX) -> tuple[str, str]:
    """Generate a public id and the whole key: prefix, id, 160 random bits, checksum."""
    id = _text(secrets.token_bytes(ID_BYTES))
    body = f"{prefix}{id}_{_text(secrets.token_bytes(SECRET_BYTES))}"
    return id, body + checksum_of(body)


def id_of(secret: str, prefix: str = PREFIX) -> str:
    """Return the public id inside a key; a malformed key is refused without asking the store."""
    body, checksum = secret[:-CHECK_CHARACTERS], secret[-CHECK_CHARACTERS:]
    shape = len(prefix) + ID_CHARACTERS + 1 + SECRET_CHARACTERS
    if not secret.isascii() or not body.startswith(prefix) or len(body) != shape or checksum != checksum_of(body):
        raise KeyRejected
    return body[len(prefix) : len(prefix) + ID_CHARACTERS]


def digest_of(secret: str) -> bytes:
    """Return the stored digest of a key: it has 160 random bits, so that a plain hash is safe."""
    return hashlib.sha256(secret.encode()).digest()


async def issue(
    store: Store,
    scope: Scope,
    *,
    role: KeyRole,
    user: str | None = None,
    modules: Sequence[str] = (),
    label: str = "",
    days: float | None = None,
    clock: Clock,
) -> IssuedKey:
    """Issue a key of a tenant or, in the scope of every tenant, of an operator."""
    _check_request(scope, role, user)
    _check_modules(role, modules)
    if label:
        check_name("label", label)
    if scope.tenant != EVERY_TENANT:
        await accounts.get(store, scope.tenant, clock=clock)
    now = clock()
    id, secret = new_secret()
    key = ApiKey(
        tenant=scope.tenant,
        id=id,
        role=role,
        user=user,
        # Each once, in the order given: the list is shown to people.
        modules=tuple(dict.fromkeys(modules)),
        label=label,
        created_at=now,
        expires_at=_expiry(now, days),
    )
    await store.write(scope, lambda work: _add(work, scope, key, secret))
    return IssuedKey(key=key, secret=secret)


async def rotate(store: Store, scope: Scope, id: str, *, overlap_hours: float, clock: Clock) -> IssuedKey:
    """Issue a successor of a key with the same rights; the old one stays valid a while, at most two at once."""
    now = clock()
    fresh_id, secret = new_secret()

    def replace(work: UnitOfWork) -> ApiKey:
        old = _held(work, scope, id)
        if not old.usable(now) or old.successor is not None:
            raise Conflict(f"key {id!r} is expired, revoked or already replaced")
        end = now + timedelta(hours=overlap_hours)
        # The overlap never prolongs the old key, and the new one lives as long as the old one was meant to.
        retiring = min(end, old.expires_at) if old.expires_at else end
        life = old.expires_at - old.created_at if old.expires_at else None
        new = msgspec.structs.replace(
            old, id=fresh_id, created_at=now, expires_at=now + life if life else None, used_at=None
        )
        work.keys.put(scope, msgspec.structs.replace(old, expires_at=retiring, successor=fresh_id))
        work.keys.add(scope, new, digest_of(secret))
        return new

    return IssuedKey(key=await store.write(scope, replace), secret=secret)


async def revoke(store: Store, scope: Scope, id: str, *, clock: Clock) -> ApiKey:
    """Revoke a key at once, in every process."""
    now = clock()

    def end(work: UnitOfWork) -> ApiKey:
        old = _held(work, scope, id)
        ended = msgspec.structs.replace(old, revoked_at=old.revoked_at or now)
        work.keys.put(scope, ended)
        return ended

    return await store.write(scope, end)


async def listed(store: Store, scope: Scope) -> list[ApiKey]:
    """List a tenant's keys, newest first."""
    return await store.read(scope, lambda work: work.keys.all(scope))


async def admit(store: Store, secret: str, *, clock: Clock) -> Caller:
    """Return the owner of a key; unknown, wrong, expired and revoked keys are refused alike."""
    id = id_of(secret)
    stored = await store.accounts(lambda view: view.find_key(id), reading=True)
    now = clock()
    # The comparison runs whether or not the id is known, and takes as long wherever it differs.
    expected = b"\0" * hashlib.sha256().digest_size if stored is None else stored.digest
    matches = hmac.compare_digest(expected, digest_of(secret))
    if stored is None or not matches or not stored.key.usable(now):
        raise KeyRejected
    if stored.standing == "suspended":
        raise Forbidden("the tenant is suspended")
    key = stored.key
    if key.used_at is None or now - key.used_at > TOUCH_EVERY:
        await store.accounts(lambda view: view.touch_key(key.id, at=now))
    return Caller(tenant=key.tenant, role=key.role, user=key.user, key=key.id, modules=key.modules)


def _check_request(scope: Scope, role: KeyRole, user: str | None) -> None:
    if role not in KEY_ROLES:
        raise InvalidInput("role", f"must be one of {', '.join(KEY_ROLES)}")
    if (scope.tenant == EVERY_TENANT) != (role == "operator"):
        raise InvalidInput("role", "an operator's key belongs to no tenant, and every other key to one")
    if (user is not None) != (role == "user"):
        raise InvalidInput("user", "a user's key names its user, and no other key does")
    if user is not None:
        check_name("user", user)


def _check_modules(role: KeyRole, modules: Sequence[str]) -> None:
    if isinstance(modules, str) or len(modules) > MOST_MODULES:
        raise InvalidInput("modules", f"must be a list of at most {MOST_MODULES} names")
    if bool(modules) != (role == "module"):
        raise InvalidInput("modules", "a module's key names its modules, and no other key does")
    for module in modules:
        check_name("modules", module)


def _add(work: UnitOfWork, scope: Scope, key: ApiKey, secret: str) -> None:
    if key.tenant != EVERY_TENANT and work.usages.link_secret(scope) is None:
        raise NotFound("tenant", key.tenant)
    work.keys.add(scope, key, digest_of(secret))


def _held(work: UnitOfWork, scope: Scope, id: str) -> ApiKey:
    key = work.keys.get(scope, id)
    if key is None:
        raise NotFound("key", id)
    return key


def _expiry(now: datetime, days: float | None) -> datetime | None:
    if days is None:
        return None
    check_between("days", days, 0, LONGEST_DAYS)
    return now + timedelta(days=days)


def _text(raw: bytes) -> str:
    return base64.b32encode(raw).decode().rstrip("=").lower()


def checksum_of(body: str) -> str:
    """Return the checksum at the end of a key, by which typing errors are detected without the store."""
    left = zlib.crc32(body.encode())
    letters = ""
    for _ in range(CHECK_CHARACTERS):
        left, place = divmod(left, len(ALPHABET))
        letters += ALPHABET[place]
    return letters
