"""A tenant at the desk: accounts and plans, keys, events, tasks, audit and receipts."""

from __future__ import annotations

from urllib.parse import urlencode

import msgspec
from starlette.responses import Response

from rememora.dashboard.answering import PageRequest, Pages
from rememora.dashboard.desk.place import TenantDesk, place_of, show
from rememora.dashboard.frame import SAFE
from rememora.dashboard.visitor import DESK_PATH
from rememora.domain.receipt import Receipt, ReceiptReport
from rememora.domain.task import STATUSES, TaskFilterOptions
from rememora.domain.tenancy import PLANS, KeyRole
from rememora.errors import InvalidInput

EVENTS = 50
ENTRIES = 50
TASKS = 50
REQUESTS = 50
ROLES: tuple[KeyRole, ...] = ("service", "user", "admin", "auditor")
MOST_DAYS = 3650


def add_routes(pages: Pages) -> None:
    """Routes of what concerns a whole tenant."""
    pages.desk(f"{DESK_PATH}/tenants", tenants, right="operate")
    pages.desk(f"{DESK_PATH}/tenants", open_tenant, right="operate", method="POST")
    pages.desk(f"{DESK_PATH}/tenants/change", change_tenant, right="operate", method="POST")
    pages.desk(f"{DESK_PATH}/keys", keys, right="tenant")
    pages.desk(f"{DESK_PATH}/keys", issue_key, right="tenant", method="POST")
    pages.desk(f"{DESK_PATH}/keys/rotate", rotate_key, right="tenant", method="POST")
    pages.desk(f"{DESK_PATH}/keys/revoke", revoke_key, right="tenant", method="POST")
    pages.desk(f"{DESK_PATH}/events", events, right="audit")
    pages.desk(f"{DESK_PATH}/events/retry", retry, right="tenant", method="POST")
    pages.desk(f"{DESK_PATH}/tasks", tasks, right="tenant")
    pages.desk(f"{DESK_PATH}/audit", audit, right="audit")
    pages.desk(f"{DESK_PATH}/receipt", receipt, right="tenant")
    pages.desk(f"{DESK_PATH}/receipt", check_receipt, right="tenant", method="POST")
    pages.desk(f"{DESK_PATH}/receipt/file", receipt_file, right="tenant", method="POST")


async def tenants(request: PageRequest) -> Response:
    """Every account."""
    operator = request.rememora.operator(acting=_name(request))
    page = await operator.tenants.list(limit=50, after=request.query.get("after") or None)
    return show(request, await place_of(request), "tenants.html", accounts=page.items, next=page.next, plans=PLANS)


async def open_tenant(request: PageRequest) -> Response:
    """Open an account."""
    operator = request.rememora.operator(acting=_name(request))
    id, plan = request.form.get("id", "").strip(), request.form.get("plan", "")
    await operator.tenants.create(id, name=request.form.get("name", "").strip() or None, plan=plan)
    return request.to(f"{DESK_PATH}/tenants")


async def change_tenant(request: PageRequest) -> Response:
    """Another plan or standing."""
    operator = request.rememora.operator(acting=_name(request))
    status = request.form.get("status")
    await operator.tenants.change(
        request.form.get("id", ""),
        plan=request.form.get("plan") or None,
        status="suspended" if status == "suspended" else "active" if status == "active" else None,
    )
    return request.to(f"{DESK_PATH}/tenants")


async def keys(request: PageRequest) -> Response:
    """Show every key, never a secret."""
    return await _keys(request, await place_of(request))


async def issue_key(request: PageRequest) -> Response:
    """A new key; its secret is on this page and nowhere else."""
    place, form = await place_of(request), request.form
    role = next((key_role for key_role in ROLES if key_role == form.get("role")), None)
    if role is None:
        raise InvalidInput("role", f"must be one of {', '.join(ROLES)}")
    user = form.get("user", "").strip() or None
    label = form.get("label", "").strip()
    issued = await place.company.access.issue_key(role, user=user, label=label, days=_days(form.get("days", "")))
    return await _keys(request, place, secret=issued.secret)


async def rotate_key(request: PageRequest) -> Response:
    """A successor of a key; the old one goes on for a while."""
    place = await place_of(request)
    return await _keys(
        request, place, secret=(await place.company.access.rotate_key(request.form.get("id", ""))).secret
    )


async def revoke_key(request: PageRequest) -> Response:
    """End a key at once."""
    place = await place_of(request)
    await place.company.access.revoke_key(request.form.get("id", ""))
    return request.to(f"{DESK_PATH}/keys?{urlencode({'tenant': place.id})}")


async def _keys(request: PageRequest, place: TenantDesk, *, secret: str = "") -> Response:
    return show(request, place, "keys.html", keys=await place.company.access.keys(), secret=secret, roles=ROLES)


async def events(request: PageRequest) -> Response:
    """Show events, newest first, and those that a subscriber never took."""
    place = await place_of(request)
    page = await place.company.events.newest(before=_whole(request.query.get("before", "")) or None, limit=EVENTS)
    more = page[-1].position if len(page) == EVENTS else None
    seen = {}
    # When a subscriber was last seen concerns every tenant, so only an operator is told.
    if "operate" in place.officer.rights:
        listed = await request.rememora.operator(acting=_name(request)).subscribers()
        seen = {subscribed.name: subscribed.seen_at for subscribed in listed}
    return show(
        request,
        place,
        "events.html",
        events=page,
        more=more,
        deliveries=await place.company.events.deliveries(),
        seen=seen,
        dead=await place.company.events.dead_letters(),
    )


async def retry(request: PageRequest) -> Response:
    """Redeliver dead letters."""
    place = await place_of(request)
    await place.company.events.retry_dead_letters(subscriber=request.form.get("subscriber") or None)
    return request.to(f"{DESK_PATH}/events?{urlencode({'tenant': place.id})}")


async def tasks(request: PageRequest) -> Response:
    """Show the state of everybody's tasks, newest first, without their content."""
    place = await place_of(request)
    status = next((choice for choice in STATUSES if choice == request.query.get("status")), None)
    narrowed: TaskFilterOptions = {} if status is None else {"status": status}
    page = await place.company.tasks.list(limit=TASKS, after=request.query.get("after") or None, **narrowed)
    return show(request, place, "tasks.html", page=page, chosen=status or "", statuses=STATUSES)


async def audit(request: PageRequest) -> Response:
    """The chain of changes, and whether it holds; what it says of people is not shown here."""
    place = await place_of(request)
    before = _whole(request.query.get("before", "")) or None
    entries = await place.company.audit.newest(before=before, limit=ENTRIES)
    more = entries[-1].position if len(entries) == ENTRIES else None
    report = await place.company.audit.verify() if request.query.get("verify") == "1" else None
    return show(request, place, "audit.html", entries=entries, more=more, report=report)


async def receipt(request: PageRequest) -> Response:
    """Show requests of persons, and ask for a receipt to check."""
    return await _requests(request, await place_of(request))


async def check_receipt(request: PageRequest) -> Response:
    """Check a receipt of a person's erasure."""
    place, written = await place_of(request), request.form.get("receipt", "")
    try:
        given = msgspec.json.decode(written, type=Receipt)
    except msgspec.MsgspecError:
        return await _requests(request, place, status=422, written=written, broken=True)
    return await _requests(request, place, written=written, report=await place.company.audit.verify_receipt(given))


async def receipt_file(request: PageRequest) -> Response:
    """A receipt as a file, to hand to the person."""
    headers = {**SAFE, "Content-Disposition": 'attachment; filename="rememora-receipt.json"'}
    return Response(request.form.get("receipt", ""), media_type="application/json", headers=headers)


async def _requests(
    request: PageRequest,
    place: TenantDesk,
    *,
    status: int = 200,
    written: str = "",
    report: ReceiptReport | None = None,
    broken: bool = False,
) -> Response:
    return show(
        request,
        place,
        "receipt.html",
        status=status,
        requests=await place.company.audit.requests(limit=REQUESTS),
        written=written,
        report=report,
        broken=broken,
    )


def _name(request: PageRequest) -> str:
    assert request.visitor.officer is not None
    return request.visitor.officer.name


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


def _days(text: str) -> float | None:
    days = _whole(text.strip())
    return float(min(days, MOST_DAYS)) if days else None
