"""Accounts of people who sign in: invitations, limits, sessions that end, and what support sees."""

from __future__ import annotations

from contextlib import suppress

import pytest
from tests.behind import behind
from tests.clock import SetClock

from rememora import Rememora, Settings
from rememora.domain.login import LoginRole
from rememora.domain.tenancy import EVERY_TENANT
from rememora.errors import Conflict, Forbidden, InvalidInput, KeyRejected, NotFound, RightMissing, TooManyTries
from rememora.handles.access import Access

PASSWORD = "a sentence of some length"
MINUTE, HOUR = 60, 3600


@pytest.fixture
def overrides() -> dict[str, object]:
    """Few tries: each costs what a password costs."""
    return {"access.tries_account": 3, "access.tries_address": 5}


async def opened(
    rememora: Rememora, role: LoginRole = "owner", *, name: str = "ana@acme.com", user: str | None = None
) -> str:
    """The session of a new account in a tenant."""
    with suppress(Conflict):
        await rememora.operator(acting="test").tenants.create("acme")
    issued = await access_of(rememora).invite(role, user=user)
    await rememora.sessions.accept_invitation(issued.token, name=name, password=PASSWORD)
    return await rememora.sessions.sign_in(name, PASSWORD, address="10.0.0.1")


def access_of(rememora: Rememora) -> Access:
    """Open the access handle of the tenant."""
    return rememora.tenant("acme", acting="test").access


async def test_a_page_that_only_stays_open_keeps_no_session_alive(rememora: Rememora, clock: SetClock) -> None:
    """A stream that looks who is signed in is no act of theirs: the session idles on, and ends."""
    session = await opened(rememora)
    minutes = rememora.settings.access.idle_minutes
    for _ in range(3):
        clock.advance(minutes * MINUTE / 4)
        await rememora.sessions.admit(session, acting=False)
    clock.advance(minutes * MINUTE / 4)
    with pytest.raises(KeyRejected):
        await rememora.sessions.admit(session, acting=False)


async def test_an_invitation_opens_one_account_once(rememora: Rememora, clock: SetClock) -> None:
    """Used, withdrawn or late it opens nothing; a short password and a taken name do not use it up."""
    await opened(rememora)
    access = access_of(rememora)
    issued = await access.invite("auditor")
    with pytest.raises(InvalidInput, match="password"):
        await rememora.sessions.accept_invitation(issued.token, name="bia", password="short")
    with pytest.raises(Conflict, match="taken"):
        await rememora.sessions.accept_invitation(issued.token, name="ANA@acme.com ", password=PASSWORD)
    login = await rememora.sessions.accept_invitation(issued.token, name="Bia", password=PASSWORD)
    late, withdrawn = await access.invite("auditor"), await access.invite("auditor")
    await access.withdraw_invitation(withdrawn.invitation.id)
    clock.advance(73 * HOUR)

    assert ("bia", "auditor") == (login.name, login.role)
    for token in (issued.token, late.token, withdrawn.token, "rmi_x", issued.token[:-1] + "x"):
        with pytest.raises(KeyRejected):
            await rememora.sessions.accept_invitation(token, name="caio", password=PASSWORD)
    assert ["ana@acme.com", "bia"] == [item.name for item in await access.logins()]
    assert [] == await access.invitations()


async def test_a_session_ends_when_nothing_is_done(rememora: Rememora, clock: SetClock) -> None:
    """Each look keeps it for as long again, up to its longest life; signing out ends it at once."""
    session = await opened(rememora)
    for _ in range(23):
        clock.advance(29 * MINUTE)
        assert ("owner", "acme") == (
            (await rememora.sessions.admit(session)).role,
            (await rememora.sessions.admit(session)).tenant,
        )
    clock.advance(29 * MINUTE)
    clock.advance(29 * MINUTE)
    with pytest.raises(KeyRejected):
        await rememora.sessions.admit(session)
    old = await rememora.sessions.sign_in("ana@acme.com", PASSWORD)
    for _ in range(25):
        clock.advance(29 * MINUTE)
        with_life = clock.now
        try:
            await rememora.sessions.admit(old)
        except KeyRejected:
            break
    else:
        pytest.fail(f"a session outlived its longest life at {with_life}")
    fresh = await rememora.sessions.sign_in("ana@acme.com", PASSWORD)
    await rememora.sessions.sign_out(fresh)
    await rememora.sessions.sign_out(fresh)
    with pytest.raises(KeyRejected):
        await rememora.sessions.admit(fresh)


async def test_tries_are_limited_by_account_and_by_address(rememora: Rememora, clock: SetClock) -> None:
    """Wrong passwords for a name, from anywhere, close it for a while; right ones are not counted."""
    await opened(rememora)
    for _ in range(4):
        await rememora.sessions.sign_in("ana@acme.com", PASSWORD, address="10.0.0.1")
    for place in range(3):
        with pytest.raises(KeyRejected):
            await rememora.sessions.sign_in("Ana@acme.com", "wrong", address=f"10.0.1.{place}")
    with pytest.raises(TooManyTries, match="too many sign-in attempts"):
        await rememora.sessions.sign_in("ana@acme.com", PASSWORD, address="10.0.0.9")
    clock.advance(15 * MINUTE)
    assert await rememora.sessions.sign_in("ana@acme.com", PASSWORD, address="10.0.0.1")
    for number in range(5):
        with pytest.raises(KeyRejected):
            await rememora.sessions.sign_in(f"nobody-{number}", "wrong", address="10.0.0.66")
    with pytest.raises(TooManyTries):
        await rememora.sessions.sign_in("ana@acme.com", PASSWORD, address="10.0.0.66")
    assert await rememora.sessions.sign_in("ana@acme.com", PASSWORD, address="10.0.0.1")


async def test_passwords_and_tokens_are_stored_as_hashes(rememora: Rememora, settings: Settings) -> None:
    """No row holds a password, a session's token or an invitation's."""
    session = await opened(rememora)
    invited = await access_of(rememora).invite("auditor")
    result = repr([behind(settings.store.url, f"SELECT * FROM {table}") for table in TABLES])

    assert "$argon2id$" in result
    for secret in (PASSWORD, session, invited.token, session[12:40], "10.0.0.1"):
        assert secret not in result


TABLES = ("logins", "login_sessions", "login_invitations", "login_tries")


async def test_a_new_password_ends_sessions(rememora: Rememora) -> None:
    """An invitation that names an account gives it a password; the old one and old sessions are worth nothing."""
    session = await opened(rememora)
    issued = await access_of(rememora).invite("owner", name="ana@acme.com")
    await rememora.sessions.accept_invitation(issued.token, name="ana@acme.com", password="another long sentence")

    with pytest.raises(KeyRejected):
        await rememora.sessions.admit(session)
    with pytest.raises(KeyRejected):
        await rememora.sessions.sign_in("ana@acme.com", PASSWORD)
    assert await rememora.sessions.sign_in("ana@acme.com", "another long sentence")


async def test_the_last_owner_stays_and_others_can_be_removed(rememora: Rememora) -> None:
    """Removing an account ends its sessions; without an owner nobody could invite one."""
    await opened(rememora)
    other = await opened(rememora, "operator", name="bia")
    ana, bia = await access_of(rememora).logins()
    await access_of(rememora).end_login(bia.id)
    with pytest.raises(KeyRejected):
        await rememora.sessions.admit(other)
    with pytest.raises(Conflict, match="last owner"):
        await access_of(rememora).end_login(ana.id)
    with pytest.raises(NotFound):
        await access_of(rememora).end_login(bia.id)


async def test_the_first_owner_is_invited_until_there_is_one(rememora: Rememora) -> None:
    """Each start gives another link and ends the one before; once there is an owner no start gives any."""
    operator = rememora.operator(acting="test")
    first, second = await operator.invite_owner(), await operator.invite_owner()
    assert first is not None
    assert second is not None
    with pytest.raises(KeyRejected):
        await rememora.sessions.accept_invitation(first.token, name="dona", password=PASSWORD)
    await rememora.sessions.accept_invitation(second.token, name="dona", password=PASSWORD)
    caller = await rememora.sessions.admit(await rememora.sessions.sign_in("dona", PASSWORD))

    assert await operator.invite_owner() is None
    assert (EVERY_TENANT, True, True) == (caller.tenant, "operate" in caller.rights, "accounts" in caller.rights)


async def test_an_owner_of_one_tenant_operates_no_other(rememora: Rememora) -> None:
    """The same role, held to its tenant; a suspended tenant lets nobody in."""
    caller = await rememora.sessions.admit(session := await opened(rememora))
    assert "operate" not in caller.rights
    await rememora.operator(acting="test").tenants.change("acme", status="suspended")
    with pytest.raises(Forbidden):
        await rememora.sessions.admit(session)
    with pytest.raises(Forbidden):
        await rememora.sessions.sign_in("ana@acme.com", PASSWORD)


async def test_support_sees_dots_until_the_glass_is_broken(rememora: Rememora, clock: SetClock) -> None:
    """Breaking it needs a reason, is on record under the name, holds for one tenant and for a while."""
    session = await opened(rememora, "support", name="sara")
    await rememora.user("bob", tenant="acme").remember("user.location", "Natal")
    caller = await rememora.sessions.admit(session)
    masked = await rememora.tenant("acme", acting=caller.name).memories.list_masked("bob")
    assert "Natal" not in repr(masked)
    assert ("identity", "•••") == (masked[0].category, masked[0].value)
    with pytest.raises(InvalidInput, match="reason"):
        await rememora.sessions.break_glass(session, tenant="acme", reason="")
    with pytest.raises(RightMissing):
        await rememora.sessions.break_glass(session, tenant="other", reason="curious")
    assert "" == (await rememora.sessions.admit(session)).glass_reason
    await rememora.sessions.break_glass(session, tenant="acme", reason="ticket 7")

    broken = await rememora.sessions.admit(session)
    assert ("acme", "ticket 7") == (broken.glass_tenant, broken.glass_reason)
    entries = await rememora.tenant("acme", acting="support:sara").audit.list()
    assert [("read", "support:sara", "ticket 7")] == [
        (item.action, item.actor, item.why) for item in entries if item.action == "read"
    ]
    clock.advance(16 * MINUTE)
    assert "" == (await rememora.sessions.admit(session)).glass_tenant
    owner = await opened(rememora)
    with pytest.raises(RightMissing):
        await rememora.sessions.break_glass(owner, tenant="acme", reason="an owner has no glass to break")


async def test_erasing_a_person_removes_their_account(rememora: Rememora, settings: Settings) -> None:
    """The name to sign in with is theirs too; erasing a tenant leaves no account of it."""
    session = await opened(rememora, "person", name="bob@home.com", user="bob")
    await opened(rememora)
    assert ("user", "bob") == (
        (await rememora.sessions.admit(session)).role,
        (await rememora.sessions.admit(session)).user,
    )
    exported = await rememora.user("bob", tenant="acme").archive.export()
    assert ["bob@home.com"] == [login["name"] for login in exported["logins"]]
    assert "argon2" not in repr(exported)
    receipt = await rememora.user("bob", tenant="acme").erase(person=True)
    assert 1 == receipt.counts["logins"]
    with pytest.raises(KeyRejected):
        await rememora.sessions.admit(session)
    assert ["ana@acme.com"] == [item.name for item in await access_of(rememora).logins()]
    await rememora.operator(acting="test").tenants.erase("acme", confirm="acme")
    assert [] == behind(settings.store.url, "SELECT * FROM logins WHERE tenant_id = 'acme'")


async def test_what_nobody_needs_is_dropped(rememora: Rememora, clock: SetClock, settings: Settings) -> None:
    """Sessions, invitations and counts of tries go with time; accounts stay."""
    await opened(rememora)
    await access_of(rememora).invite("auditor")
    clock.advance(80 * HOUR)
    await rememora.settle()

    counts = [len(behind(settings.store.url, f"SELECT * FROM {table}")) for table in TABLES]
    assert [1, 0, 0, 0] == counts
