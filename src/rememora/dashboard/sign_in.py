"""Signing in to the pages with a name and a password, signing out, and opening an account by invitation."""

from __future__ import annotations

from starlette.responses import Response

from rememora.dashboard.answering import Asked, Pages
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


async def show(asked: Asked) -> Response:
    """Ask for name and password; somebody who is signed in goes on."""
    if asked.visitor.session:
        try:
            return await _onward(asked, asked.visitor.session)
        except RememoraError:
            response = _form(asked)
            drop_session(response, asked.visitor)
            return response
    return _form(asked)


async def enter(asked: Asked) -> Response:
    """Open a session; a wrong name and a wrong password are told alike."""
    name = asked.form.get("name", "")
    try:
        session = await asked.rememora.sign_in(name, asked.form.get("password", ""), address=asked.visitor.address)
    except TooManyTries:
        return _form(asked, status=429, name=name, wrong="error.tries")
    except KeyRejected:
        return _form(asked, status=401, name=name, wrong="sign.wrong")
    return await _signed_in(asked, session)


async def leave(asked: Asked) -> Response:
    """End the session, here and in the store."""
    await asked.rememora.sign_out(asked.visitor.session)
    response = asked.to("/")
    drop_session(response, asked.visitor)
    return response


async def show_invitation(asked: Asked) -> Response:
    """Ask somebody who was invited for a name and a password."""
    return await _invited(asked, asked.query.get("token", ""))


async def accept(asked: Asked) -> Response:
    """Open the account and sign in."""
    token, form = asked.form.get("token", ""), asked.form
    name, password = form.get("name", ""), form.get("password", "")
    try:
        login = await asked.rememora.accept_invitation(token, name=name, password=password)
    except Conflict:
        return await _invited(asked, token, status=409, name=name, wrong="sign.taken")
    except InvalidInput as error:
        wrong = "sign.short" if error.field == "password" else "sign.name_needed"
        return await _invited(asked, token, status=422, name=name, wrong=wrong)
    return await _signed_in(
        asked, await asked.rememora.sign_in(login.name, password, address=asked.visitor.address)
    )


async def _signed_in(asked: Asked, session: str) -> Response:
    response = await _onward(asked, session)
    # A link of somebody else must not stand before the account that was signed in to.
    drop_link(response, asked.visitor)
    keep_session(response, asked.visitor, session)
    return response


async def _onward(asked: Asked, session: str) -> Response:
    caller = await asked.rememora.admit_session(session)
    return asked.to(DESK_PATH if caller.role in DESK_ROLES else "/me")


async def _invited(asked: Asked, token: str, *, status: int = 200, name: str = "", wrong: str = "") -> Response:
    invitation = await asked.rememora.invitation(token)
    return asked.page(
        "invitation.html",
        status=status,
        invitation=invitation,
        token=token,
        name=name or invitation.name,
        wrong=wrong,
        shortest=SHORTEST_PASSWORD,
    )


def _form(asked: Asked, *, status: int = 200, name: str = "", wrong: str = "") -> Response:
    return asked.page("sign_in.html", status=status, name=name, wrong=wrong)
