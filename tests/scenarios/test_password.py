"""Changing one's own password: the old one is needed, every session ends but a new one, and it is on record."""

from __future__ import annotations

import pytest
from tests.clock import SetClock

from rememora import Rememora
from rememora.domain.login import LoginRole
from rememora.domain.tenancy import EVERY_TENANT
from rememora.errors import InvalidInput, KeyRejected, TooManyTries

OLD, NEW = "a sentence of some length", "another sentence of some length"


async def account(
    rememora: Rememora, role: LoginRole, *, tenant: str = "acme", user: str | None = None
) -> tuple[str, str]:
    """Two sessions of one new account, `rita`."""
    if tenant != EVERY_TENANT:
        await rememora.operator(acting="root").tenants.create(tenant)
    access = rememora.tenant(tenant, acting="root").access
    token = (await access.invite(role, user=user)).token
    await rememora.sessions.accept_invitation(token, name="rita", password=OLD)
    return await rememora.sessions.sign_in("rita", OLD), await rememora.sessions.sign_in("rita", OLD)


async def is_open(rememora: Rememora, session: str) -> bool:
    """Tell whether a session still admits."""
    try:
        await rememora.sessions.admit(session)
    except KeyRejected:
        return False
    return True


async def test_every_session_ends_but_the_new_one(rememora: Rememora) -> None:
    """Also the one it was changed in: whoever copied its token is out."""
    local, elsewhere = await account(rememora, "auditor")
    renewed = await rememora.sessions.change_password(local, old=OLD, new=NEW)

    assert [False, False, True] == [await is_open(rememora, item) for item in (local, elsewhere, renewed)]
    assert await is_open(rememora, await rememora.sessions.sign_in("rita", NEW))
    with pytest.raises(KeyRejected):
        await rememora.sessions.sign_in("rita", OLD)


async def test_nothing_changes_without_the_old_one(rememora: Rememora) -> None:
    """Nor for a password that is too short or the same, nor for a session that has ended."""
    local, elsewhere = await account(rememora, "auditor")
    with pytest.raises(KeyRejected):
        await rememora.sessions.change_password(local, old="a wrong one", new=NEW)
    for bad in ("short", OLD):
        with pytest.raises(InvalidInput):
            await rememora.sessions.change_password(local, old=OLD, new=bad)
    await rememora.sessions.sign_out(elsewhere)
    with pytest.raises(KeyRejected):
        await rememora.sessions.change_password(elsewhere, old=OLD, new=NEW)

    assert await is_open(rememora, local)
    assert await is_open(rememora, await rememora.sessions.sign_in("rita", OLD))


async def test_the_old_one_cannot_be_guessed(rememora: Rememora, clock: SetClock) -> None:
    """Wrong tries are counted with those at signing in; later it can be changed again."""
    local, _ = await account(rememora, "owner", tenant=EVERY_TENANT)
    tries = rememora.settings.access.tries_account
    for number in range(tries):
        with pytest.raises(KeyRejected):
            await rememora.sessions.change_password(local, old=f"guess {number}", new=NEW)
    with pytest.raises(TooManyTries):
        await rememora.sessions.change_password(local, old=OLD, new=NEW)
    with pytest.raises(TooManyTries):
        await rememora.sessions.sign_in("rita", OLD)
    clock.advance(15 * 60)

    assert await is_open(rememora, await rememora.sessions.change_password(local, old=OLD, new=NEW))


async def test_it_is_on_record(rememora: Rememora) -> None:
    """In the chain of the company, and in the own timeline of a person; never the password."""
    local, _ = await account(rememora, "person", user="rita.p")
    await rememora.sessions.change_password(local, old=OLD, new=NEW)
    acts = [act for act in await rememora.user("rita.p", tenant="acme").audit.list() if act.action == "password"]
    report = await rememora.tenant("acme", acting="root").audit.verify()

    assert [("rita.p", {"login": "rita"})] == [(act.actor, act.after) for act in acts]
    assert NEW not in str(acts)
    assert report.intact


async def test_an_owner_of_everything_is_on_record_too(rememora: Rememora) -> None:
    """In a chain that is no company's, and that holds."""
    local, _ = await account(rememora, "owner", tenant=EVERY_TENANT)
    await rememora.sessions.change_password(local, old=OLD, new=NEW)
    chain = await rememora.tenant(EVERY_TENANT, acting="root").audit.list()

    assert [("password", "owner:rita")] == [(item.action, item.actor) for item in chain]
    assert all(item.intact for item in await rememora.health.verify_audit(acting="root"))
