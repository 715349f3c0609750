"""Signing in to the pages with a name and a password, signing out, and opening an account by invitation."""

from __future__ import annotations

from starlette.responses import Response

from rememora.dashboard.answering import PageRequest, Pages
from rememora.dashboard.visitor import DESK_PATH, DESK_ROLES, drop_link, drop_session, keep_session
from rememora.domain.login import SHORTEST_PASSWORD
from rememora.errors import Conflict, InvalidInput, KeyRejected, RememoraError, TooManyTries

SIGN_IN, INVITATION = "/sign-in", "/invitation"


def add_routes(pages: Pages) -> None:
    """Routes of signing in and out."""
    pages.open(SIGN_IN, show)
    pages.open(SIGN_IN, enter, method="POST")
    pages.open("/sign-out", leave, method="POST")
    pages.open(INVITATION, show_invitation)
    pages.open(INVITATION, accept, method="POST")


async def show(request: PageRequest) -> Response:
    """Ask for name and password; somebody who is signed in goes on."""
    if request.visitor.session:
        try:
            return await _onward(request, request.visitor.session)
        except RememoraError:
            response = _form(request)
            drop_session(response, request.visitor)
            return response
    return _form(request)


async def enter(request: PageRequest) -> Response:
    """Open a session; a wrong name and a wrong password get the same message."""
    name = request.form.get("name", "")
    try:
        session = await request.rememora.sessions.sign_in(
            name, request.form.get("password", ""), address=request.visitor.address
        )
    except TooManyTries:
        return _form(request, status=429, name=name, wrong="error.tries")
    except KeyRejected:
        return _form(request, status=401, name=name, wrong="sign.wrong")
    return await _signed_in(request, session)


async def leave(request: PageRequest) -> Response:
    """End the session, here and in the store."""
    await request.rememora.sessions.sign_out(request.visitor.session)
    response = request.to("/")
    drop_session(response, request.visitor)
    return response


async def show_invitation(request: PageRequest) -> Response:
    """Ask somebody who was invited for a name and a password."""
    try:
        return await _invited(request, request.query.get("token", ""))
    except KeyRejected:
        return _over(request)


async def accept(request: PageRequest) -> Response:
    """Open the account and sign in."""
    token, form = request.form.get("token", ""), request.form
    name, password = form.get("name", ""), form.get("password", "")
    try:
        login = await request.rememora.sessions.accept_invitation(token, name=name, password=password)
    except Conflict:
        return await _invited(request, token, status=409, name=name, wrong="sign.taken")
    except InvalidInput as error:
        wrong = "sign.short" if error.field == "password" else "sign.name_needed"
        return await _invited(request, token, status=422, name=name, wrong=wrong)
    except KeyRejected:
        return _over(request)
    return await _signed_in(
        request, await request.rememora.sessions.sign_in(login.name, password, address=request.visitor.address)
    )


def _over(request: PageRequest) -> Response:
    """Say that an invitation opens nothing any more, and what to do."""
    return request.page("error.html", status=401, message="sign.over", partial=False)


async def _signed_in(request: PageRequest, session: str) -> Response:
    response = await _onward(request, session)
    # A link of somebody else must not stand before the account that was signed in to.
    drop_link(response, request.visitor)
    keep_session(response, request.visitor, session)
    return response


async def _onward(request: PageRequest, session: str) -> Response:
    caller = await request.rememora.sessions.admit(session)
    return request.to(DESK_PATH if caller.role in DESK_ROLES else "/me")


async def _invited(
    request: PageRequest, token: str, *, status: int = 200, name: str = "", wrong: str = ""
) -> Response:
    invitation = await request.rememora.sessions.invitation(token)
    return request.page(
        "invitation.html",
        status=status,
        invitation=invitation,
        token=token,
        name=name or invitation.name,
        wrong=wrong,
        shortest=SHORTEST_PASSWORD,
    )


def _form(request: PageRequest, *, status: int = 200, name: str = "", wrong: str = "") -> Response:
    return request.page("sign_in.html", status=status, name=name, wrong=wrong)
