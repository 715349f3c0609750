"""Health at the desk: the engines, what waits, the chains, and a look through the whole store on demand."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from starlette.responses import Response

from rememora.dashboard.answering import PageRequest, Pages
from rememora.dashboard.desk.overview import MOST_COUNTED, bounded
from rememora.dashboard.desk.place import TenantDesk, place_of, show
from rememora.dashboard.visitor import DESK_PATH
from rememora.errors import SigningKeyChanged

HERE = f"{DESK_PATH}/health"
MOST_WAITING = 1000
State = Literal["ok", "warn", "fail"]


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """One checked item and its state, in the words of the pages."""

    state: State
    name: str
    values: dict[str, Any] = {}
    detail: str = ""


def add_routes(pages: Pages) -> None:
    """Routes of health."""
    pages.desk(HERE, health, right="operate")
    pages.desk(HERE, doctor, right="operate", method="POST")


async def health(request: PageRequest) -> Response:
    """Show the state that is available at once."""
    place = await place_of(request)
    checks = await quick(request, place)
    return show(request, place, "health.html", checks=checks, whole=False)


async def doctor(request: PageRequest) -> Response:
    """Look through everything that is stored, and check every chain."""
    place = await place_of(request)
    checks = [*await quick(request, place), *await thorough(request)]
    return show(request, place, "health.html", checks=checks, whole=True)


async def quick(request: PageRequest, place: TenantDesk) -> list[Checked]:
    """The engines, the key, what waits for the index, and subscribers with what they did not get."""
    rememora = request.rememora
    checks = [Checked(state="ok", name="health.store")]
    for name, fault in (await rememora.health.ask_engines()).items():
        state: State = "fail" if fault else "ok"
        checks.append(Checked(state=state, name="health.engine", values={"name": name}, detail=fault))
    try:
        await rememora.health.check_signing_key()
        checks.append(Checked(state="ok", name="health.key"))
    except SigningKeyChanged as error:
        checks.append(Checked(state="fail", name="health.key_changed", detail=error.message))
    lag = await rememora.health.index_lag(most=MOST_COUNTED)
    state = "ok" if lag < MOST_WAITING else "warn"
    checks.append(Checked(state=state, name="health.index", values={"n": bounded(lag, MOST_COUNTED)}))
    dead = await undelivered(place)
    lacking = {check.values["name"] for check in dead}
    for subscribed in await rememora.operator(acting="desk").subscribers():
        # Its dead letters are listed below; "all received" beside them would contradict them.
        if subscribed.name in lacking and not subscribed.missed:
            continue
        state = "warn" if subscribed.missed else "ok"
        values = {"name": subscribed.name, "n": subscribed.missed}
        checks.append(
            Checked(state=state, name="health.missed" if subscribed.missed else "health.heard", values=values)
        )
    return [*checks, *dead]


async def undelivered(place: TenantDesk) -> list[Checked]:
    """The subscribers that did not get events of this company."""
    company = place.account.name
    return [
        Checked(
            state="warn",
            name="health.dead",
            values={"name": delivery.subscriber, "n": delivery.dead, "company": company},
        )
        for delivery in await place.company.events.deliveries()
        if delivery.dead
    ]


async def thorough(request: PageRequest) -> list[Checked]:
    """Every page and row of the store, and the chain of every company."""
    integrity = await request.rememora.health.check_integrity()
    checks = [Checked(state="ok", name="health.whole")] if integrity.intact else []
    checks += [Checked(state="fail", name="health.damaged", detail=str(fault)) for fault in integrity.faults]
    assert request.visitor.officer is not None
    names = {account.id: account.name for account in (await place_of(request)).tenants}
    for report in await request.rememora.health.verify_audit(acting=request.visitor.officer.name):
        name = "health.chain" if report.intact else "health.chain_broken"
        values = {"name": names.get(report.tenant, report.tenant), "n": report.entries}
        checks.append(Checked(state="ok" if report.intact else "fail", name=name, values=values))
    return checks
