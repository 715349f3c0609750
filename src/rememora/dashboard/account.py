"""The account page: who is signed in, and a change of password with the current one."""

from __future__ import annotations

import msgspec
from starlette.responses import Response

from rememora.dashboard.answering import PageRequest, Pages
from rememora.dashboard.frame import render
from rememora.dashboard.visitor import DESK_PATH, DESK_ROLES, drop_session, keep_session
from rememora.domain.login import SHORTEST_PASSWORD
from rememora.domain.tenancy import Caller
from rememora.errors import InvalidInput, KeyRejected, TooManyTries

HERE = "/account"


def add_routes(pages: Pages) -> None:
    """Routes of one's own account."""
    pages.open(HERE, show)
    pages.open(HERE, change, method="POST")


async def show(request: PageRequest) -> Response:
    """Show who is signed in, with a form for another password."""
    caller = await _signed_in(request)
    return _to_sign_in(request) if caller is None else _form(request, caller)


async def change(request: PageRequest) -> Response:
    """Change the password, given the current one; every other browser is signed out."""
    caller = await _signed_in(request)
    if caller is None:
        return _to_sign_in(request)
    form, session = request.form, request.visitor.session
    if form.get("new", "") != form.get("again", ""):
        return _form(request, caller, status=422, wrong="account.differ")
    try:
        renewed = await request.rememora.sessions.change_password(
            session, old=form.get("old", ""), new=form.get("new", ""), address=request.visitor.address
        )
    except TooManyTries:
        return _form(request, caller, status=429, wrong="error.tries")
    except KeyRejected:
        return _form(request, caller, status=403, wrong="account.wrong")
    except InvalidInput:
        # The library refuses both for one field; the page tells which of them it was.
        same = form.get("new") == form.get("old")
        return _form(request, caller, status=422, wrong="account.same" if same else "sign.short")
    response = request.to(f"{HERE}?changed=1")
    keep_session(response, request.visitor, renewed)
    return response


async def _signed_in(request: PageRequest) -> Caller | None:
    """Return who is signed in with a name and a password; None for a link, or for nobody."""
    try:
        return await request.rememora.sessions.admit(request.visitor.session)
    except KeyRejected:
        return None


def _to_sign_in(request: PageRequest) -> Response:
    response = request.to("/sign-in")
    if request.visitor.session:
        drop_session(response, request.visitor)
    return response


def _form(request: PageRequest, caller: Caller, *, status: int = 200, wrong: str = "") -> Response:
    at_desk = caller.role in DESK_ROLES
    visitor = msgspec.structs.replace(request.visitor, officer=caller) if at_desk else request.visitor
    return render(
        visitor,
        "account.html",
        status=status,
        who=caller,
        home=DESK_PATH if at_desk else "/me",
        wrong=wrong,
        changed=request.query.get("changed") == "1",
        shortest=SHORTEST_PASSWORD,
    )
