"""Accounts for the pages at the terminal: invited, listed, removed."""

from __future__ import annotations

from tests.doors.terminal import Terminal

from rememora import SyncRememora

PASSWORD = "a sentence of some length"


def test_accounts_are_invited_listed_and_removed(terminal: Terminal) -> None:
    """The printed address opens the account; removing it ends it; a wrong role is refused with the list."""
    terminal.answer("tenants", "create", "acme")
    invited = terminal.answer("logins", "invite", "support", "--tenant", "acme")
    token = invited["address"].partition("token=")[2]
    with SyncRememora.open(str(terminal.folder), background=False) as rememora:
        rememora.sessions.accept_invitation(token, name="Sara", password=PASSWORD)
    (listed,) = terminal.answer("logins", "list", "--tenant", "acme")

    assert ("sara", "support") == (listed["name"], listed["role"])
    assert "/invitation?token=rmi_" in terminal.run("logins", "invite", "owner").stdout
    assert "sara" in terminal.run("logins", "list", "--tenant", "acme").stdout
    assert {"ended": listed["id"]} == terminal.answer("logins", "end", listed["id"], "--tenant", "acme")
    assert [] == terminal.answer("logins", "list", "--tenant", "acme")
    assert terminal.run("logins", "invite", "king").exit_code
