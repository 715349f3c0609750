"""Missions live at the desk: layers, the call graph, budgets and breakers, and a way to stop one."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.responses import Response

from rememora.dashboard.answering import Asked, Pages
from rememora.dashboard.charts import call_graph
from rememora.dashboard.desk.place import place_of, show
from rememora.dashboard.visitor import DESK_PATH
from rememora.dashboard.words import text
from rememora.missions.oversee import MissionView

HERE = f"{DESK_PATH}/missions"
LAYERS = ("intake", "orchestrator", "bus", "coordinators", "executors", "final")


def add_routes(pages: Pages) -> None:
    """Routes of missions."""
    pages.desk(HERE, missions, right="assist")
    pages.desk(f"{HERE}/stop", stop, right="tenant", method="POST")


async def missions(asked: Asked) -> Response:
    """Show what teams of agents work on now; the page asks again every two seconds."""
    place = await place_of(asked)
    found = await place.company.missions()
    title = text(asked.visitor.language, "mission.graph")
    return show(
        asked,
        place,
        "missions_live.html" if asked.visitor.partial else "missions.html",
        missions=found,
        layers=LAYERS,
        graph=lambda mission: call_graph(mission.calls, _states(mission), title=title, id=mission.id),
    )


def _states(mission: MissionView) -> dict[str, str]:
    return {each.agent: f"breaker-{each.state}" for each in mission.breakers}


async def stop(asked: Asked) -> Response:
    """End a mission; asked for twice, it is ended once."""
    place = await place_of(asked)
    await place.company.stop_mission(asked.form.get("user", ""), asked.form.get("id", ""))
    return asked.to(f"{HERE}?{urlencode({'tenant': place.id})}")
