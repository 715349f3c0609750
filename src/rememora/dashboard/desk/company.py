"""A tenant at the desk: accounts and plans, keys, events, tasks, audit and receipts."""

from __future__ import annotations

from urllib.parse import urlencode

import msgspec
from starlette.responses import Response

from rememora.dashboard.answering import Asked, Pages
from rememora.dashboard.desk.place import Place, place_of, show
from rememora.dashboard.frame import SAFE
from rememora.dashboard.visitor import DESK_PATH
from rememora.domain.receipt import Receipt, ReceiptReport
from rememora.domain.task import STATUSES, Narrowed
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


async def tenants(asked: Asked) -> Response:
    """Every account."""
    operator = asked.rememora.operator(acting=_name(asked))
    page = await operator.tenants(limit=50, after=asked.query.get("after") or None)
    return show(asked, await place_of(asked), "tenants.html", accounts=page.items, next=page.next, plans=PLANS)


async def open_tenant(asked: Asked) -> Response:
    """Open an account."""
    operator = asked.rememora.operator(acting=_name(asked))
    id, plan = asked.form.get("id", "").strip(), asked.form.get("plan", "")
    await operator.create_tenant(id, name=asked.form.get("name", "").strip() or None, plan=plan)
    return asked.to(f"{DESK_PATH}/tenants")


async def change_tenant(asked: Asked) -> Response:
    """Another plan or standing."""
    operator = asked.rememora.operator(acting=_name(asked))
    status = asked.form.get("status")
    await operator.change_tenant(
        asked.form.get("id", ""),
        plan=asked.form.get("plan") or None,
        status="suspended" if status == "suspended" else "active" if status == "active" else None,
    )
    return asked.to(f"{DESK_PATH}/tenants")


async def keys(asked: Asked) -> Response:
    """Show every key, never a secret."""
    return await _keys(asked, await place_of(asked))


async def issue_key(asked: Asked) -> Response:
    """A new key; its secret is on this page and nowhere else."""
    place, form = await place_of(asked), asked.form
    role = next((each for each in ROLES if each == form.get("role")), None)
    if role is None:
        raise InvalidInput("role", f"must be one of {', '.join(ROLES)}")
    user = form.get("user", "").strip() or None
    label = form.get("label", "").strip()
    issued = await place.company.access.issue_key(role, user=user, label=label, days=_days(form.get("days", "")))
    return await _keys(asked, place, secret=issued.secret)


async def rotate_key(asked: Asked) -> Response:
    """A successor of a key; the old one goes on for a while."""
    place = await place_of(asked)
    return await _keys(
        asked, place, secret=(await place.company.access.rotate_key(asked.form.get("id", ""))).secret
    )


async def revoke_key(asked: Asked) -> Response:
    """End a key at once."""
    place = await place_of(asked)
    await place.company.access.revoke_key(asked.form.get("id", ""))
    return asked.to(f"{DESK_PATH}/keys?{urlencode({'tenant': place.id})}")


async def _keys(asked: Asked, place: Place, *, secret: str = "") -> Response:
    return show(asked, place, "keys.html", keys=await place.company.access.keys(), secret=secret, roles=ROLES)


async def events(asked: Asked) -> Response:
    """Show events, oldest first, and those that a subscriber never took."""
    place = await place_of(asked)
    after = _whole(asked.query.get("after", ""))
    found = await place.company.events(after=after, limit=EVENTS)
    more = found[-1].position if len(found) == EVENTS else None
    seen = {}
    if "operate" in place.officer.rights:
        listed = await asked.rememora.operator(acting=_name(asked)).subscribers()
        seen = {each.name: each.seen_at for each in listed}
    return show(
        asked,
        place,
        "events.html",
        events=found,
        more=more,
        deliveries=await place.company.deliveries(),
        seen=seen,
        dead=await place.company.dead_letters(),
    )


async def retry(asked: Asked) -> Response:
    """Have dead letters told again."""
    place = await place_of(asked)
    await place.company.retry_dead_letters(subscriber=asked.form.get("subscriber") or None)
    return asked.to(f"{DESK_PATH}/events?{urlencode({'tenant': place.id})}")


async def tasks(asked: Asked) -> Response:
    """Show the state of everybody's tasks, newest first, without their content."""
    place = await place_of(asked)
    status = next((each for each in STATUSES if each == asked.query.get("status")), None)
    narrowed: Narrowed = {} if status is None else {"status": status}
    page = await place.company.tasks(limit=TASKS, after=asked.query.get("after") or None, **narrowed)
    return show(asked, place, "tasks.html", page=page, chosen=status or "", statuses=STATUSES)


async def audit(asked: Asked) -> Response:
    """The chain of changes, and whether it holds; what it says of people is not shown here."""
    place = await place_of(asked)
    after = _whole(asked.query.get("after", ""))
    entries = await place.company.audit(after=after, limit=ENTRIES)
    more = entries[-1].position if len(entries) == ENTRIES else None
    report = await place.company.verify_audit() if asked.query.get("verify") == "1" else None
    return show(asked, place, "audit.html", entries=entries, more=more, report=report)


async def receipt(asked: Asked) -> Response:
    """Show requests of persons, and ask for a receipt to check."""
    return await _requests(asked, await place_of(asked))


async def check_receipt(asked: Asked) -> Response:
    """Check a receipt of a person's erasure."""
    place, written = await place_of(asked), asked.form.get("receipt", "")
    try:
        given = msgspec.json.decode(written, type=Receipt)
    except msgspec.MsgspecError:
        return await _requests(asked, place, status=422, written=written, broken=True)
    return await _requests(asked, place, written=written, report=await place.company.verify_receipt(given))


async def receipt_file(asked: Asked) -> Response:
    """A receipt as a file, to hand to the person."""
    headers = {**SAFE, "Content-Disposition": 'attachment; filename="rememora-receipt.json"'}
    return Response(asked.form.get("receipt", ""), media_type="application/json", headers=headers)


async def _requests(
    asked: Asked,
    place: Place,
    *,
    status: int = 200,
    written: str = "",
    report: ReceiptReport | None = None,
    broken: bool = False,
) -> Response:
    return show(
        asked,
        place,
        "receipt.html",
        status=status,
        requests=await place.company.requests(limit=REQUESTS),
        written=written,
        report=report,
        broken=broken,
    )


def _name(asked: Asked) -> str:
    assert asked.visitor.officer is not None
    return asked.visitor.officer.name


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


def _days(text: str) -> float | None:
    days = _whole(text.strip())
    return float(min(days, MOST_DAYS)) if days else None
