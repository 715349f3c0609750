"""Accounts of people who sign in, at the desk: invite, withdraw, remove, and support breaking the glass."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.responses import Response

from rememora.dashboard.answering import Asked, Pages
from rememora.dashboard.desk.place import Place, place_of, show
from rememora.dashboard.sign_in import INVITATION
from rememora.dashboard.visitor import DESK_PATH
from rememora.domain.login import LOGIN_ROLES
from rememora.domain.tenancy import EVERY_TENANT
from rememora.errors import Conflict, InvalidInput
from rememora.handles.access import Access

HERE = f"{DESK_PATH}/logins"


def add_routes(pages: Pages) -> None:
    """Routes of accounts."""
    pages.desk(HERE, logins, right="accounts")
    pages.desk(f"{HERE}/invite", invite, right="accounts", method="POST")
    pages.desk(f"{HERE}/withdraw", withdraw, right="accounts", method="POST")
    pages.desk(f"{HERE}/end", end, right="accounts", method="POST")
    pages.desk(f"{DESK_PATH}/glass", break_glass, right="assist", method="POST")


async def logins(asked: Asked) -> Response:
    """Show accounts and invitations, of the company or of everywhere."""
    return await _shown(asked, await place_of(asked))


async def invite(asked: Asked) -> Response:
    """A link that opens one account, shown on this page and nowhere else."""
    place, form = await place_of(asked), asked.form
    role = next((each for each in LOGIN_ROLES if each == form.get("role")), None)
    if role is None:
        raise InvalidInput("role", f"must be one of {', '.join(LOGIN_ROLES)}")
    user = form.get("user", "").strip() or None
    issued = await _access(asked, place).invite(role, user=user, name=form.get("name", "").strip())
    address = f"{str(asked.request.base_url).rstrip('/')}{INVITATION}?{urlencode({'token': issued.token})}"
    return await _shown(asked, place, link=address)


async def withdraw(asked: Asked) -> Response:
    """End an invitation that nobody has used."""
    place = await place_of(asked)
    await _access(asked, place).withdraw_invitation(asked.form.get("id", ""))
    return _back(asked, place)


async def end(asked: Asked) -> Response:
    """Remove an account and end its sessions; the last owner stays."""
    place = await place_of(asked)
    try:
        await _access(asked, place).end_login(asked.form.get("id", ""))
    except Conflict:
        return await _shown(asked, place, status=409, wrong="logins.last_owner")
    return _back(asked, place)


async def break_glass(asked: Asked) -> Response:
    """Let support see personal data for a while; the reason goes on record first."""
    place, reason = await place_of(asked), asked.form.get("reason", "").strip()
    await asked.rememora.break_glass(asked.visitor.session, tenant=place.id, reason=reason)
    where = {"tenant": place.id, "user": asked.form.get("user", "")}
    return asked.to(f"{DESK_PATH}/people?{urlencode(where)}")


async def _shown(asked: Asked, place: Place, *, status: int = 200, link: str = "", wrong: str = "") -> Response:
    access, everywhere = _access(asked, place), _is_everywhere(asked, place)
    return show(
        asked,
        place,
        "logins.html",
        status=status,
        everywhere=everywhere,
        logins=await access.logins(),
        invitations=await access.invitations(),
        roles=[role for role in LOGIN_ROLES if not (everywhere and role == "person")],
        link=link,
        wrong=wrong,
    )


def _is_everywhere(asked: Asked, place: Place) -> bool:
    """Tell whether accounts of every company are meant, which only an owner of every company may see."""
    asks = (asked.query.get("everywhere") or asked.form.get("everywhere")) == "1"
    return asks and place.officer.tenant == EVERY_TENANT


def _access(asked: Asked, place: Place) -> Access:
    if _is_everywhere(asked, place):
        return asked.rememora.operator(acting=place.officer.name).access
    return place.company.access


def _back(asked: Asked, place: Place) -> Response:
    where = {"tenant": place.id, **({"everywhere": "1"} if _is_everywhere(asked, place) else {})}
    return asked.to(f"{HERE}?{urlencode(where)}")
