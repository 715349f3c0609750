"""The way to the desk: a key is exchanged for a passing one that lives in a cookie, and ends when one leaves."""

from __future__ import annotations

from contextlib import suppress

from starlette.responses import Response

from rememora.app import Rememora
from rememora.dashboard.answering import Asked, Pages
from rememora.dashboard.visitor import DESK_PATH, DESK_ROLES, drop_session, keep_session
from rememora.domain.tenancy import EVERY_TENANT, Caller
from rememora.errors import InvalidInput, KeyRejected, RememoraError
from rememora.handles.access import Access

SESSION_DAYS = 8 / 24
SESSION = "page session"
"""The label of the keys that sessions are."""


def add_routes(pages: Pages) -> None:
    """Routes of signing in and out."""
    pages.open(f"{DESK_PATH}/login", ask_key)
    pages.open(f"{DESK_PATH}/login", enter, method="POST")
    pages.desk(f"{DESK_PATH}/leave", leave, right="audit", method="POST")


async def ask_key(asked: Asked) -> Response:
    """Ask for a key."""
    return asked.page("desk/login.html", wrong=False)


async def enter(asked: Asked) -> Response:
    """Exchange a key that may see the desk for a session."""
    try:
        caller = await asked.rememora.admit(asked.form.get("key", "").strip())
        if caller.role not in DESK_ROLES or caller.link:
            raise KeyRejected
    except (InvalidInput, KeyRejected):
        return asked.page("desk/login.html", status=401, wrong=True)
    issued = await access_of(asked.rememora, caller).issue_key(caller.role, label=SESSION, days=SESSION_DAYS)
    response = asked.to(DESK_PATH)
    keep_session(response, asked.visitor, issued.secret)
    return response


async def leave(asked: Asked) -> Response:
    """End the session, here and in the store."""
    officer = asked.visitor.officer
    assert officer is not None
    # One that somebody else ended already needs no end.
    with suppress(RememoraError):
        await access_of(asked.rememora, officer).revoke_key(officer.key)
    response = asked.to("/")
    drop_session(response, asked.visitor)
    return response


def access_of(rememora: Rememora, caller: Caller) -> Access:
    """Return the address of a caller's own key."""
    if caller.tenant == EVERY_TENANT:
        return rememora.operator(acting=caller.name).access
    return rememora.tenant(caller.tenant, acting=caller.name).access
