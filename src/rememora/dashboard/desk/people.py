"""People at the desk: a person's memory now or at a moment, and held texts, each under a reason on record."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from urllib.parse import urlencode

import msgspec
from starlette.responses import Response

from rememora.dashboard.answering import PageRequest, Pages
from rememora.dashboard.desk.place import TenantDesk, person_at, place_of, rights_in, show
from rememora.dashboard.frame import SAFE
from rememora.dashboard.visitor import DESK_PATH
from rememora.domain.hit import Hit
from rememora.domain.masked import MaskedMemory
from rememora.domain.memory import Memory
from rememora.handles.user import UserMemory

MEMORIES = 200
HITS = 100
LEAST_DAYS, MOST_DAYS = 30, 3650
HELD = 50


def add_routes(pages: Pages) -> None:
    """Routes of what concerns people."""
    pages.desk(f"{DESK_PATH}/people", explore, right="assist")
    pages.desk(f"{DESK_PATH}/people/export", export, right="tenant", method="POST")
    pages.desk(f"{DESK_PATH}/people/erase", erase, right="tenant", method="POST")
    pages.desk(f"{DESK_PATH}/quarantine", quarantine, right="tenant")
    pages.desk(f"{DESK_PATH}/quarantine/release", release, right="tenant", method="POST")
    pages.desk(f"{DESK_PATH}/quarantine/reject", reject, right="tenant", method="POST")


class PersonView(msgspec.Struct, frozen=True, kw_only=True):
    """Contents of the explorer for one person: memories, or masked ones, and how far back there is anything."""

    memories: tuple[Memory, ...] | None = None
    masked: tuple[MaskedMemory, ...] | None = None
    hits: Mapping[str, Hit] = {}
    days: int = LEAST_DAYS
    next: str | None = None
    """The place from which the next page goes on."""


async def explore(request: PageRequest) -> Response:
    """Show a person's memories on a day, and how each scores for a question; support sees them masked."""
    place, query = await place_of(request), request.query
    user, words = query.get("user", "").strip(), query.get("q", "").strip()[:1000]
    reason = place.officer.glass_reason if place.officer.role == "support" else query.get("reason", "").strip()
    back = _days_back(query)
    looked = PersonLookup(user=user, reason=reason, words=words, back=back, after=query.get("after", ""))
    result = await _explored(request, place, looked)
    return show(
        request,
        place,
        "explored.html" if request.visitor.partial else "people.html",
        found=result,
        user=user,
        reason=reason,
        words=words,
        back=back,
        day=(datetime.now(UTC) - timedelta(days=back)).date(),
        oldest=(datetime.now(UTC) - timedelta(days=result.days)).date(),
        masked_mode=_is_masked(place),
        glass_minutes=round(request.rememora.settings.access.glass_minutes),
        unconfirmed=query.get("unconfirmed") == "1",
    )


class PersonLookup(msgspec.Struct, frozen=True, kw_only=True):
    """Person to look up, the reason, the question, the number of days back, and the place of the page."""

    user: str
    reason: str
    words: str
    back: int
    after: str = ""


async def _explored(request: PageRequest, place: TenantDesk, looked: PersonLookup) -> PersonView:
    if not looked.user:
        return PersonView()
    if _is_masked(place):
        return PersonView(masked=tuple(await place.company.memories.list_masked(looked.user, limit=MEMORIES)))
    if not looked.reason:
        return PersonView()
    person = await person_at(request, place, looked.user, reason=looked.reason)
    now = datetime.now(UTC)
    known, following = await _page(person, looked, now)
    oldest = min((memory.created_at for memory in known), default=now)
    hits: dict[str, Hit] = {}
    if looked.words:
        hits = {hit.id: hit for hit in await person.recall(looked.words, kinds=["memory"], limit=HITS)}
    if not looked.back and not looked.after:
        # What the question finds is shown first, wherever its page would be.
        shown = {memory.id for memory in known}
        known = (*[await person.memories.get(id) for id in hits if id not in shown], *known)
    ranked = sorted(known, key=lambda memory: -hits[memory.id].score if memory.id in hits else 0)
    days = max(LEAST_DAYS, (now - oldest).days + 1, looked.back)
    return PersonView(memories=tuple(ranked), hits=hits, days=days, next=following)


async def _page(person: UserMemory, looked: PersonLookup, now: datetime) -> tuple[tuple[Memory, ...], str | None]:
    """One page of a person's memories, as they are or as they were, and where the next one begins."""
    if not looked.back:
        page = await person.memories.list(limit=MEMORIES, after=looked.after or None)
        return page.items, page.next
    at = datetime.combine((now - timedelta(days=looked.back)).date(), time.max, UTC)
    whole = await person.memories.as_of(at)
    # A past state has no stored order: its pages are places in the list, taken from the address with care.
    after = looked.after if looked.after.isascii() and looked.after.isdigit() and len(looked.after) < 10 else "0"
    begin = int(after)
    end = begin + MEMORIES
    return tuple(whole[begin:end]), str(end) if end < len(whole) else None


def _is_masked(place: TenantDesk) -> bool:
    return not rights_in(place.officer, place.id).read_personal


def _days_back(query: Mapping[str, str]) -> int:
    """Return the number of days back, from the slider or from a date."""
    if day := query.get("at", ""):
        try:
            return min(MOST_DAYS, max(0, (datetime.now(UTC).date() - date.fromisoformat(day)).days))
        except ValueError:
            return 0
    text = query.get("back", "")
    return min(MOST_DAYS, int(text)) if text.isascii() and text.isdigit() and len(text) < 6 else 0


async def export(request: PageRequest) -> Response:
    """A person's copy of what is held about them, for a request of theirs."""
    place = await place_of(request)
    person = await person_at(request, place, request.form.get("user", ""), reason=request.form.get("reason", ""))
    text = msgspec.json.format(msgspec.json.encode(await person.archive.export()), indent=2)
    headers = {**SAFE, "Content-Disposition": 'attachment; filename="rememora.json"'}
    return Response(text, media_type="application/json", headers=headers)


async def erase(request: PageRequest) -> Response:
    """Erase a person permanently at their request, once their name was typed again; the receipt is theirs."""
    place, user, reason = await place_of(request), request.form.get("user", ""), request.form.get("reason", "")
    if not user or request.form.get("confirm", "").strip() != user:
        where = urlencode({"tenant": place.id, "user": user, "reason": reason, "unconfirmed": "1"})
        return request.to(f"{DESK_PATH}/people?{where}")
    receipt = await (await person_at(request, place, user, reason=reason)).erase(person=True)
    written = msgspec.json.format(msgspec.json.encode(receipt), indent=2).decode()
    report = await place.company.audit.verify_receipt(receipt)
    requests = await place.company.audit.requests()
    return show(
        request,
        place,
        "receipt.html",
        requests=requests,
        written=written,
        report=report,
        broken=False,
        erased=user,
    )


async def quarantine(request: PageRequest) -> Response:
    """Texts that tried to give orders, oldest first."""
    place, reason = await place_of(request), request.query.get("reason", "").strip()
    held = None
    if reason:
        await place.company.audit.note_access(reason=reason)
        held = await place.company.quarantine.list(limit=HELD)
    return show(request, place, "quarantine.html", held=held, reason=reason)


async def release(request: PageRequest) -> Response:
    """Let a held text go; it becomes no memory."""
    place = await place_of(request)
    await place.company.quarantine.approve(request.form.get("id", ""))
    return _back(request, place.id)


async def reject(request: PageRequest) -> Response:
    """Reject a quarantined text permanently."""
    place = await place_of(request)
    await place.company.quarantine.reject(request.form.get("id", ""), why=request.form.get("reason", "").strip())
    return _back(request, place.id)


def _back(request: PageRequest, tenant: str) -> Response:
    where = {"tenant": tenant, "reason": request.form.get("reason", "")}
    return request.to(f"{DESK_PATH}/quarantine?{urlencode(where)}")
