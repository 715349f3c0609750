"""People at the desk: a person's memory now or at a moment, and held texts, each under a reason on record."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from urllib.parse import urlencode

import msgspec
from starlette.responses import Response

from rememora.dashboard.answering import Asked, Pages
from rememora.dashboard.desk.place import person_at, place_of, show
from rememora.dashboard.frame import SAFE
from rememora.dashboard.visitor import DESK_PATH
from rememora.domain.memory import Memory

MEMORIES = 200
HELD = 50


def add_routes(pages: Pages) -> None:
    """Routes of what concerns people."""
    pages.desk(f"{DESK_PATH}/people", explore, right="tenant")
    pages.desk(f"{DESK_PATH}/people/export", export, right="tenant", method="POST")
    pages.desk(f"{DESK_PATH}/people/erase", erase, right="tenant", method="POST")
    pages.desk(f"{DESK_PATH}/quarantine", quarantine, right="tenant")
    pages.desk(f"{DESK_PATH}/quarantine/release", release, right="tenant", method="POST")
    pages.desk(f"{DESK_PATH}/quarantine/reject", reject, right="tenant", method="POST")


async def explore(asked: Asked) -> Response:
    """Show a person's memories, now or at the end of a day."""
    place = await place_of(asked)
    user, reason = asked.query.get("user", "").strip(), asked.query.get("reason", "").strip()
    at = _end_of(asked.query.get("at", ""))
    memories: tuple[Memory, ...] | None = None
    if user and reason:
        person = person_at(asked, place, user, reason=reason)
        known = await person.as_of(at) if at is not None else (await person.memories(limit=MEMORIES)).items
        memories = tuple(known[:MEMORIES])
    day = "" if at is None else at.date().isoformat()
    unconfirmed = asked.query.get("unconfirmed") == "1"
    return show(
        asked,
        place,
        "people.html",
        memories=memories,
        user=user,
        reason=reason,
        day=day,
        unconfirmed=unconfirmed,
    )


async def export(asked: Asked) -> Response:
    """A person's copy of what is held about them, for a request of theirs."""
    place = await place_of(asked)
    person = person_at(asked, place, asked.form.get("user", ""), reason=asked.form.get("reason", ""))
    text = msgspec.json.format(msgspec.json.encode(await person.export()), indent=2)
    headers = {**SAFE, "Content-Disposition": 'attachment; filename="rememora.json"'}
    return Response(text, media_type="application/json", headers=headers)


async def erase(asked: Asked) -> Response:
    """Erase a person for good at their request, once their name was typed again; the receipt is theirs."""
    place, user, reason = await place_of(asked), asked.form.get("user", ""), asked.form.get("reason", "")
    if not user or asked.form.get("confirm", "").strip() != user:
        where = urlencode({"tenant": place.id, "user": user, "reason": reason, "unconfirmed": "1"})
        return asked.to(f"{DESK_PATH}/people?{where}")
    receipt = await person_at(asked, place, user, reason=reason).erase(person=True)
    written = msgspec.json.format(msgspec.json.encode(receipt), indent=2).decode()
    report = await place.company.verify_receipt(receipt)
    return show(asked, place, "receipt.html", written=written, report=report, broken=False, erased=user)


async def quarantine(asked: Asked) -> Response:
    """Texts that tried to give orders, oldest first."""
    place, reason = await place_of(asked), asked.query.get("reason", "").strip()
    held = None
    if reason:
        await place.company.note_access(reason=reason)
        held = await place.company.quarantined(limit=HELD)
    return show(asked, place, "quarantine.html", held=held, reason=reason)


async def release(asked: Asked) -> Response:
    """Let a held text go; it becomes no memory."""
    place = await place_of(asked)
    await place.company.approve(asked.form.get("id", ""))
    return _back(asked, place.id)


async def reject(asked: Asked) -> Response:
    """Keep a held text out for good."""
    place = await place_of(asked)
    await place.company.reject(asked.form.get("id", ""), why=asked.form.get("reason", "").strip())
    return _back(asked, place.id)


def _back(asked: Asked, tenant: str) -> Response:
    where = {"tenant": tenant, "reason": asked.form.get("reason", "")}
    return asked.to(f"{DESK_PATH}/quarantine?{urlencode(where)}")


def _end_of(text: str) -> datetime | None:
    """The last moment of a day, in UTC."""
    try:
        return datetime.combine(date.fromisoformat(text), time.max, UTC) if text else None
    except ValueError:
        return None
