"""Missions live at the desk: layers, the call graph, budgets and breakers, and a way to stop one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

import msgspec
from starlette.responses import Response, StreamingResponse

from rememora.dashboard.answering import PageRequest, Pages
from rememora.dashboard.charts import call_graph
from rememora.dashboard.demo import DEMO_TENANT
from rememora.dashboard.demo_mission import start_mission
from rememora.dashboard.desk.place import TenantDesk, drawn, place_of, show
from rememora.dashboard.frame import SAFE
from rememora.dashboard.visitor import DESK_PATH
from rememora.dashboard.words import text
from rememora.errors import Forbidden, RememoraError
from rememora.missions.oversee import MissionView

HERE = f"{DESK_PATH}/missions"
EVENTS = "text/event-stream"
LOOK_SECONDS, BEAT_SECONDS, BUSY_MS = 1.0, 15.0, 10_000
LAYERS = ("intake", "orchestrator", "bus", "coordinators", "executors", "final")


def add_routes(pages: Pages) -> None:
    """Routes of missions."""
    pages.desk(HERE, missions, right="assist")
    pages.desk(f"{HERE}/live", live, right="assist")
    pages.desk(f"{HERE}/stop", stop, right="tenant", method="POST")
    pages.desk(f"{HERE}/example", show_example, right="tenant", method="POST")


async def missions(request: PageRequest) -> Response:
    """Show what teams of agents work on now; the page then hears of every change."""
    place = await place_of(request)
    active = await place.company.missions.list()
    return show(request, place, "missions.html", **_shown(request, active))


async def live(request: PageRequest) -> Response:
    """Stream changes of missions to the page, until it is left, the session ends or the server stops."""
    events = _events(request, await place_of(request))
    return StreamingResponse(events, headers={**SAFE, "X-Accel-Buffering": "no"}, media_type=EVENTS)


async def _events(request: PageRequest, place: TenantDesk) -> AsyncIterator[bytes]:
    with request.places.stream(place.officer) as free:
        # All places for streams are taken: the browser is told when to come back.
        if not free:
            yield f"retry: {BUSY_MS}\n\n".encode()
            return
        shown, quiet, until = b"", 0.0, time.monotonic() + request.rememora.settings.server.stream_seconds
        while not request.places.closing.is_set() and time.monotonic() < until:
            now = await _look(request, place)
            if now is None:
                yield _event("ended", "")
                return
            if now != shown:
                yield now
            elif quiet >= BEAT_SECONDS:
                yield b": still here\n\n"
            # Proxies cut silent connections: a comment goes out after a while without news.
            quiet = 0.0 if now != shown or quiet >= BEAT_SECONDS else quiet + LOOK_SECONDS
            shown = now
            with suppress(TimeoutError):
                await asyncio.wait_for(request.places.closing.wait(), LOOK_SECONDS)


async def _look(request: PageRequest, place: TenantDesk) -> bytes | None:
    """The missions as they stand; None where the session has ended, or lost the right it began with."""
    try:
        if "assist" not in (await request.rememora.sessions.admit(request.visitor.session, acting=False)).rights:
            return None
        active = await place.company.missions.list()
    except RememoraError:
        return None
    return _event("missions", drawn(request, place, "missions_live.html", **_shown(request, active)))


def _shown(request: PageRequest, views: list[MissionView]) -> dict[str, Any]:
    title = text(request.visitor.language, "mission.graph")
    return {
        "missions": views,
        "layers": LAYERS,
        "demo": DEMO_TENANT,
        "graph": lambda view: call_graph(view.calls, _states(view), title=title, id=view.id),
    }


def _event(name: str, value: str) -> bytes:
    return f"event: {name}\ndata: {msgspec.json.encode(value).decode()}\n\n".encode()


def _states(mission: MissionView) -> dict[str, str]:
    return {breaker.agent: f"breaker-{breaker.state}" for breaker in mission.breakers}


async def show_example(request: PageRequest) -> Response:
    """Let the team of the demonstration work; asked for twice, it works once."""
    place = await place_of(request)
    if place.id != DEMO_TENANT:
        raise Forbidden("only the demonstration has an example to show")
    await start_mission(request.rememora, request.places.closing)
    return request.to(f"{HERE}?{urlencode({'tenant': place.id})}")


async def stop(request: PageRequest) -> Response:
    """End a mission; asked for twice, it is ended once."""
    place = await place_of(request)
    await place.company.missions.stop(request.form.get("user", ""), request.form.get("id", ""))
    return request.to(f"{HERE}?{urlencode({'tenant': place.id})}")
