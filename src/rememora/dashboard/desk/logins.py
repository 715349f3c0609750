"""Accounts of people who sign in, at the desk: invite, withdraw, remove, and support breaking the glass."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.responses import Response

from rememora.dashboard.answering import PageRequest, Pages
from rememora.dashboard.desk.place import TenantDesk, place_of, show
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


async def logins(request: PageRequest) -> Response:
    """Show accounts and invitations, of the company or of everywhere."""
    return await _shown(request, await place_of(request))


async def invite(request: PageRequest) -> Response:
    """A link that opens one account, shown on this page and nowhere else."""
    place, form = await place_of(request), request.form
    role = next((login_role for login_role in LOGIN_ROLES if login_role == form.get("role")), None)
    if role is None:
        raise InvalidInput("role", f"must be one of {', '.join(LOGIN_ROLES)}")
    user = form.get("user", "").strip() or None
    issued = await _access(request, place).invite(role, user=user, name=form.get("name", "").strip())
    address = f"{str(request.request.base_url).rstrip('/')}{INVITATION}?{urlencode({'token': issued.token})}"
    return await _shown(request, place, link=address)


async def withdraw(request: PageRequest) -> Response:
    """End an invitation that nobody has used."""
    place = await place_of(request)
    await _access(request, place).withdraw_invitation(request.form.get("id", ""))
    return _back(request, place)


async def end(request: PageRequest) -> Response:
    """Remove an account and end its sessions; the last owner stays."""
    place = await place_of(request)
    try:
        await _access(request, place).end_login(request.form.get("id", ""))
    except Conflict:
        return await _shown(request, place, status=409, wrong="logins.last_owner")
    return _back(request, place)


async def break_glass(request: PageRequest) -> Response:
    """Let support see personal data for a while; the reason goes on record first."""
    place, reason = await place_of(request), request.form.get("reason", "").strip()
    await request.rememora.sessions.break_glass(request.visitor.session, tenant=place.id, reason=reason)
    where = {"tenant": place.id, "user": request.form.get("user", "")}
    return request.to(f"{DESK_PATH}/people?{urlencode(where)}")


async def _shown(
    request: PageRequest, place: TenantDesk, *, status: int = 200, link: str = "", wrong: str = ""
) -> Response:
    access, everywhere = _access(request, place), _is_everywhere(request, place)
    return show(
        request,
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


def _is_everywhere(request: PageRequest, place: TenantDesk) -> bool:
    """Tell whether accounts of every company are meant, which only an owner of every company may see."""
    asks = (request.query.get("everywhere") or request.form.get("everywhere")) == "1"
    return asks and place.officer.tenant == EVERY_TENANT


def _access(request: PageRequest, place: TenantDesk) -> Access:
    if _is_everywhere(request, place):
        return request.rememora.operator(acting=place.officer.name).access
    return place.company.access


def _back(request: PageRequest, place: TenantDesk) -> Response:
    where = {"tenant": place.id, **({"everywhere": "1"} if _is_everywhere(request, place) else {})}
    return request.to(f"{HERE}?{urlencode(where)}")
