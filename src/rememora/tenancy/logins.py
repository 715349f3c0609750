"""Accounts for the pages: invitations, rate-limited signing in, and sessions that end when idle."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import msgspec

from rememora.domain.check import check_name, check_text
from rememora.domain.ids import new_id
from rememora.domain.login import (
    LOGIN_ROLES,
    LONGEST_PASSWORD,
    Invitation,
    IssuedInvitation,
    Login,
    LoginRole,
    LoginSession,
    SignInAttempt,
    check_password,
    login_name,
)
from rememora.domain.rights import REASON_BYTES
from rememora.domain.scope import SHARED, Scope
from rememora.domain.tenancy import EVERY_TENANT, Caller, Role
from rememora.errors import Conflict, Forbidden, InvalidInput, KeyRejected, NotFound, RightMissing, TooManyTries
from rememora.ports.logins import StoredInvitation, StoredLogin, StoredSession
from rememora.ports.outside import Clock, Passwords
from rememora.ports.store import Store, UnitOfWork
from rememora.settings import AccessSettings
from rememora.tenancy import accounts
from rememora.tenancy.keys import digest_of, id_of, new_secret

SESSION_PREFIX, INVITATION_PREFIX = "rms_", "rmi_"
WINDOW = timedelta(minutes=15)
TOUCH_EVERY = timedelta(seconds=30)
EVERYWHERE = Scope(EVERY_TENANT, "sign-in")
FIRST_RUN = "first-run"


async def invite(
    store: Store,
    scope: Scope,
    *,
    role: LoginRole,
    user: str | None = None,
    name: str = "",
    settings: AccessSettings,
    clock: Clock,
) -> IssuedInvitation:
    """Issue a single-use link for opening an account in the tenant."""
    _check_request(scope, role, user)
    if scope.tenant != EVERY_TENANT:
        await accounts.get(store, scope.tenant, clock=clock)
    now = clock()
    id, token = new_secret(INVITATION_PREFIX)
    invitation = Invitation(
        tenant=scope.tenant,
        id=id,
        role=role,
        user=user,
        name=login_name(name) if name else "",
        created_by=scope.user,
        created_at=now,
        expires_at=now + timedelta(hours=settings.invitation_hours),
    )
    await store.write(scope, lambda work: work.logins.invite(scope, invitation, digest_of(token)))
    return IssuedInvitation(invitation=invitation, token=token)


async def invite_owner(store: Store, *, settings: AccessSettings, clock: Clock) -> IssuedInvitation | None:
    """Issue an invitation for the first owner of every tenant; None if there is an owner. Earlier ones end."""
    scope = Scope(EVERY_TENANT, FIRST_RUN)
    if any(account.role == "owner" for account in await listed(store, scope)):
        return None

    # Each start prints a new link, and only the newest opens the account.
    def withdraw(work: UnitOfWork) -> None:
        for invitation in work.logins.invitations(scope):
            if invitation.created_by == FIRST_RUN:
                work.logins.spend(scope, invitation.id)

    await store.write(scope, withdraw)
    return await invite(store, scope, role="owner", settings=settings, clock=clock)


async def listed(store: Store, scope: Scope) -> list[Login]:
    """List a tenant's accounts, by name."""
    return await store.read(scope, lambda work: work.logins.all(scope))


async def invitations(store: Store, scope: Scope, *, clock: Clock) -> list[Invitation]:
    """List a tenant's valid invitations, newest first."""
    now = clock()
    pending = await store.read(scope, lambda work: work.logins.invitations(scope))
    return [invitation for invitation in pending if now < invitation.expires_at]


async def withdraw(store: Store, scope: Scope, id: str) -> None:
    """Revoke an unused invitation."""
    if not await store.write(scope, lambda work: work.logins.spend(scope, id)):
        raise NotFound("invitation", id)


async def end(store: Store, scope: Scope, id: str) -> None:
    """Remove an account and end its sessions; the last owner of a tenant stays."""

    def remove(work: UnitOfWork) -> None:
        owners = [account.id for account in work.logins.all(scope) if account.role == "owner"]
        if owners == [id]:
            raise Conflict("the last owner cannot be removed: invite another one first")
        if not work.logins.end(scope, id):
            raise NotFound("login", id)

    await store.write(scope, remove)


async def invitation_of(store: Store, token: str, *, clock: Clock) -> Invitation:
    """Return the invitation of a token; `KeyRejected` if it is wrong, expired or used."""
    id = id_of(token, INVITATION_PREFIX)
    stored = await store.sign_ins(lambda view: view.find_invitation(id), reading=True)
    return _genuine(stored, token, clock()).invitation


async def accept(
    store: Store, passwords: Passwords, token: str, *, name: str, password: str, clock: Clock
) -> Login:
    """Open the account of an invitation; one that names an existing account changes its password."""
    invited = await invitation_of(store, token, clock=clock)
    chosen, hashed = login_name(name), await passwords.hash(check_password(password))
    scope, now = Scope(invited.tenant, chosen), clock()

    def put(work: UnitOfWork) -> Login:
        # Spent in the transaction of the account: of two browsers with the same invitation one succeeds.
        if not work.logins.spend(scope, invited.id):
            raise KeyRejected
        held = work.logins.named(scope, chosen)
        # Only an invitation for this very name may set its password; any other would take an account over.
        if held is not None and invited.name != chosen:
            raise Conflict("this name is taken")
        id = new_id() if held is None else held.login.id
        login = Login(
            tenant=invited.tenant, id=id, name=chosen, role=invited.role, user=invited.user, created_at=now
        )
        work.logins.put(scope, login, hashed)
        work.logins.end_sessions(scope, id)
        return login

    return await store.write(scope, put)


async def sign_in(
    store: Store, passwords: Passwords, tried: SignInAttempt, *, settings: AccessSettings, clock: Clock
) -> str:
    """Sign in and return the session's token; wrong names, wrong passwords and too many attempts fail alike."""
    now = clock()
    try:
        name = login_name(tried.name)
    except InvalidInput:
        raise KeyRejected from None
    limits = _limits(name, tried.address, settings)
    await _count(store, limits, now)
    account = await _matching(store, passwords, name, tried.password[: LONGEST_PASSWORD + 1])
    if account.standing == "suspended":
        raise Forbidden("the tenant is suspended")
    hashed = account.password
    if passwords.is_outdated(hashed):
        hashed = await passwords.hash(tried.password)
    await _forgive(store, limits, now)
    return await _open(store, account.login, hashed, now)


async def admit(
    store: Store, token: str, *, settings: AccessSettings, clock: Clock, acting: bool = True
) -> Caller:
    """Return who is signed in; refuse a session that was idle for too long, or is too old.

    A page that only stays open is not `acting`: it keeps no session alive.
    """
    stored, now = await _session(store, token), clock()
    session = stored.session
    idle = now - session.seen_at >= timedelta(minutes=settings.idle_minutes)
    if idle or now - session.created_at >= timedelta(hours=settings.session_hours):
        await _end(store, session)
        raise KeyRejected
    if stored.standing == "suspended":
        raise Forbidden("the tenant is suspended")
    # Not at each request: a write per page view would cost more than the session is worth.
    if acting and now - session.seen_at > TOUCH_EVERY:
        await _put(store, msgspec.structs.replace(session, seen_at=now))
    broken = session.glass_until is not None and now < session.glass_until
    return Caller(
        tenant=session.tenant,
        role=role_of(stored.login),
        user=stored.login.user,
        key=stored.login.name,
        glass_tenant=session.glass_tenant if broken else "",
        glass_reason=session.glass_reason if broken else "",
    )


async def prove(
    store: Store, passwords: Passwords, token: str, *, tried: SignInAttempt, settings: AccessSettings, clock: Clock
) -> StoredLogin:
    """Return the account of a session if the password is right; a wrong one counts as a failed sign-in."""
    login, now = (await _session(store, token)).login, clock()
    scope, limits = Scope(login.tenant, login.name), _limits(login.name, tried.address, settings)
    await _count(store, limits, now)
    held = await store.read(scope, lambda work: work.logins.named(scope, login.name))
    if held is None or not await passwords.verify(held.password, tried.password[: LONGEST_PASSWORD + 1]):
        raise KeyRejected
    await _forgive(store, limits, now)
    return held


def renew(work: UnitOfWork, proven: StoredLogin, hashed: str, *, now: datetime) -> str:
    """Change an account's password, end its sessions, and open a new one; returns its token."""
    login = proven.login
    scope = Scope(login.tenant, login.name)
    held = work.logins.named(scope, login.name)
    if held is None or held.password != proven.password:
        # Removed or changed while the password was compared.
        raise KeyRejected
    id, token = new_secret(SESSION_PREFIX)
    work.logins.put(scope, login, hashed)
    work.logins.end_sessions(scope, login.id)
    session = LoginSession(tenant=login.tenant, id=id, login=login.id, created_at=now, seen_at=now)
    work.logins.open_session(scope, session, digest_of(token))
    return token


async def sign_out(store: Store, token: str) -> None:
    """End a session, if it still exists."""
    try:
        stored = await _session(store, token)
    except KeyRejected:
        return
    await _end(store, stored.session)


async def break_glass(
    store: Store, token: str, *, tenant: str, reason: str, settings: AccessSettings, clock: Clock
) -> None:
    """Let support see personal data of one tenant for a while; the caller records the reason first."""
    check_text("reason", reason, max_bytes=REASON_BYTES)
    stored, now = await _session(store, token), clock()
    if stored.login.role != "support":
        raise RightMissing("assist")
    if stored.login.tenant not in (EVERY_TENANT, tenant):
        raise RightMissing("operate")
    until = now + timedelta(minutes=settings.glass_minutes)
    await _put(
        store,
        msgspec.structs.replace(stored.session, glass_tenant=tenant, glass_reason=reason, glass_until=until),
    )


async def sweep(store: Store, *, settings: AccessSettings, clock: Clock) -> int:
    """Drop expired sessions, invitations and counters."""
    now = clock()
    before = now - max(timedelta(minutes=settings.idle_minutes), 2 * WINDOW)
    return await store.sign_ins(lambda view: view.forget(before=before, now=now))


def role_of(login: Login) -> Role:
    """Return the caller's role for an account: an operator of one tenant administers it."""
    roles: Mapping[LoginRole, Role] = {
        "owner": "owner",
        "operator": "operator" if login.tenant == EVERY_TENANT else "admin",
        "auditor": "auditor",
        "support": "support",
        "person": "user",
    }
    return roles[login.role]


def _check_request(scope: Scope, role: LoginRole, user: str | None) -> None:
    if role not in LOGIN_ROLES:
        raise InvalidInput("role", f"must be one of {', '.join(LOGIN_ROLES)}")
    if (user is not None) != (role == "person"):
        raise InvalidInput("user", "a person's account names its user, and no other account does")
    if user is not None and (check_name("user", user) == SHARED or scope.tenant == EVERY_TENANT):
        raise InvalidInput("user", "must be one person of one tenant")


def _genuine(invitation: StoredInvitation | None, token: str, now: datetime) -> StoredInvitation:
    expected = b"\0" * hashlib.sha256().digest_size if invitation is None else invitation.digest
    matches = hmac.compare_digest(expected, digest_of(token))
    if invitation is None or not matches or now >= invitation.invitation.expires_at:
        raise KeyRejected
    return invitation


async def _session(store: Store, token: str) -> StoredSession:
    id = id_of(token, SESSION_PREFIX)
    stored = await store.sign_ins(lambda view: view.find_session(id), reading=True)
    expected = b"\0" * hashlib.sha256().digest_size if stored is None else stored.digest
    if not hmac.compare_digest(expected, digest_of(token)) or stored is None:
        raise KeyRejected
    return stored


async def _matching(store: Store, passwords: Passwords, name: str, password: str) -> StoredLogin:
    """Return the account with this name and password; an unknown name takes equally long."""
    accounts = await store.sign_ins(lambda view: view.find_logins(name), reading=True)
    for account in accounts:
        if await passwords.verify(account.password, password):
            return account
    if not accounts:
        await passwords.verify("", password)
    raise KeyRejected


def _limits(name: str, address: str, settings: AccessSettings) -> dict[str, int]:
    """Return the number of attempts for the account, and for the address."""
    return {_place("account", name): settings.tries_account, _place("address", address): settings.tries_address}


async def _count(store: Store, limits: Mapping[str, int], now: datetime) -> None:
    """Count an attempt before comparing anything, so that concurrent attempts count too."""
    since = _window(now)

    def count(work: UnitOfWork) -> dict[str, int]:
        return {place: work.logins.count_try(EVERYWHERE, place, since=since) for place in limits}

    for place, tries in (await store.write(EVERYWHERE, count)).items():
        if tries > limits[place]:
            raise TooManyTries("tries", limits[place], since + WINDOW)


async def _forgive(store: Store, limits: Mapping[str, int], now: datetime) -> None:
    """Undo the count of a successful attempt."""
    since = _window(now)

    def uncount(work: UnitOfWork) -> None:
        for place in limits:
            work.logins.count_try(EVERYWHERE, place, since=since, amount=-1)

    await store.write(EVERYWHERE, uncount)


async def _open(store: Store, login: Login, hashed: str, now: datetime) -> str:
    id, token = new_secret(SESSION_PREFIX)
    scope = Scope(login.tenant, login.name)
    session = LoginSession(tenant=login.tenant, id=id, login=login.id, created_at=now, seen_at=now)

    def put(work: UnitOfWork) -> None:
        if work.logins.named(scope, login.name) is None:
            # Removed while the password was compared.
            raise KeyRejected
        work.logins.put(scope, login, hashed)
        work.logins.touch(scope, login.id, at=now)
        work.logins.open_session(scope, session, digest_of(token))

    await store.write(scope, put)
    return token


async def _put(store: Store, session: LoginSession) -> None:
    scope = Scope(session.tenant, session.login)
    await store.write(scope, lambda work: work.logins.put_session(scope, session))


async def _end(store: Store, session: LoginSession) -> None:
    scope = Scope(session.tenant, session.login)
    await store.write(scope, lambda work: work.logins.end_sessions(scope, session.login, only=session.id))


def _place(kind: str, whose: str) -> str:
    """Return the hashed name under which attempts are counted, because names and addresses are personal."""
    return f"{kind}:{hashlib.sha256(whose.encode()).hexdigest()[:32]}"


def _window(now: datetime) -> datetime:
    seconds = int(WINDOW.total_seconds())
    return datetime.fromtimestamp(int(now.timestamp()) // seconds * seconds, UTC)
