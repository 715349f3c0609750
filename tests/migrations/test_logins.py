"""Accounts come and go with their version; whatever was there before stays."""

from __future__ import annotations

import pytest
from tests.migrations.test_moves import Kept

from rememora import Rememora
from rememora.errors import KeyRejected

BELOW, TABLES = "0021", ("logins", "login_invitations", "login_sessions", "login_tries")
PASSWORD = "a sentence of some length"


async def test_down_and_up_again_with_accounts(kept: Kept) -> None:
    """Down, accounts are gone and keys stay; up, there is room for new ones, and no old one opens anything."""
    async with Rememora.open(settings=kept.settings, background=False) as rememora:
        await rememora.operator(acting="test").tenants.create("acme")
        access = rememora.tenant("acme", acting="test").access
        key = (await access.issue_key("admin")).secret
        await rememora.sessions.accept_invitation(
            (await access.invite("owner")).token, name="ana", password=PASSWORD
        )
        await access.invite("auditor")
        session = await rememora.sessions.sign_in("ana", PASSWORD, address="10.0.0.1")
        assert [1, 1, 1, 2] == [len(kept.asked(f"SELECT * FROM {table}")) for table in TABLES]
    kept.move(BELOW)
    assert [("admin",)] == kept.asked("SELECT role FROM api_keys")
    kept.move()

    assert [[], [], [], []] == [kept.asked(f"SELECT * FROM {table}") for table in TABLES]
    async with Rememora.open(settings=kept.settings, background=False) as rememora:
        assert "admin" == (await rememora.credentials.admit(key)).role
        with pytest.raises(KeyRejected):
            await rememora.sessions.admit(session)
        access = rememora.tenant("acme", acting="test").access
        await rememora.sessions.accept_invitation(
            (await access.invite("owner")).token, name="ana", password=PASSWORD
        )
        assert "owner" == (await rememora.sessions.admit(await rememora.sessions.sign_in("ana", PASSWORD))).role
