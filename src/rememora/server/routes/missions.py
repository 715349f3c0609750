"""Missions: the working memory of a team of agents on one request, for the minutes it lives."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from rememora.domain.mission import Mission
from rememora.domain.mission_bus import Message as Call
from rememora.domain.mission_intake import Spend
from rememora.errors import InvalidInput
from rememora.missions import Report, Send, Swept, Terms
from rememora.missions.board import Closing
from rememora.server.auth import Ask
from rememora.server.route import Routes
from rememora.server.words import Listed, Name, Prose

routes = Routes("missions")
Path = Annotated[str, Meta(min_length=1, max_length=500)]
Live = Annotated[int, Meta(ge=1, le=200)]


class NewMission(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request that a team is to work on."""

    query: Prose
    terms: Terms | None = None


class Changes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Values to put at paths, all of them or none."""

    changes: Annotated[dict[str, Any], Meta(min_length=1, max_length=100)]


class OnBoard(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Push to a list, increment a number, or pull from a list."""

    act: Literal["push", "increment", "pull"]
    path: Path
    value: Any = 1


class Stands(msgspec.Struct, frozen=True, kw_only=True):
    """What the number is now, or how many the list has."""

    now: float


class NewCall(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A call that one agent wants to make to another, and what it may use at most."""

    sender: Name
    to: Name
    reserve: Spend = Spend()
    operation: Name | None = None
    payload: Any = None
    timeout_s: Annotated[float, Meta(gt=0, le=300)] | None = None
    start: bool = False


class Closed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a mission ends."""

    status: Closing = "completed"


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """Whether it made a difference."""

    done: bool


class Active(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many of the live ones."""

    limit: Live = 50


@routes.get("/missions")
async def list_missions(ask: Ask, query: Active) -> Listed[Mission]:
    """The user's active missions, newest first."""
    return Listed(items=await ask.memory.missions.active(limit=query.limit))


@routes.post("/missions", status=201)
async def create_mission(ask: Ask, body: NewMission) -> Mission:
    """Open a mission, under terms of time and budget."""
    return await ask.memory.missions.create(body.query, terms=body.terms)


@routes.get("/missions/{mission}")
async def get_mission(ask: Ask, mission: Name) -> Mission:
    """The mission as it is now."""
    return await ask.memory.missions.get(mission)


@routes.patch("/missions/{mission}")
async def update_mission(ask: Ask, mission: Name, body: Changes) -> Mission:
    """Put values at paths; a value that breaks the schema changes nothing."""
    return await ask.memory.missions.board(mission).update(body.changes)


@routes.post("/missions/{mission}/board")
async def act_on_mission(ask: Ask, mission: Name, body: OnBoard) -> Stands:
    """Push, increment or pull, atomically."""
    board = ask.memory.missions.board(mission)
    if body.act == "push":
        return Stands(now=await board.push(body.path, body.value))
    if body.act == "pull":
        return Stands(now=await board.pull(body.path, body.value))
    return Stands(now=await board.increment(body.path, _number(body.value)))


@routes.post("/missions/{mission}/calls", status=201)
async def send_call(ask: Ask, mission: Name, body: NewCall) -> Call:
    """Admit a call, or refuse one that would loop, go too deep, pass the budget or the deadline."""
    fields = {name: getattr(body, name) for name in NewCall.__struct_fields__}
    return await ask.memory.missions.bus(mission).send(Send(**fields))


@routes.post("/missions/{mission}/calls/{call}/settle")
async def settle_call(ask: Ask, mission: Name, call: Name, body: Report) -> Done:
    """End a call with what it really used."""
    return Done(done=await ask.memory.missions.bus(mission).settle(call, body))


@routes.post("/missions/{mission}/close")
async def close_mission(ask: Ask, mission: Name, body: Closed) -> Done:
    """End a mission."""
    return Done(done=await ask.memory.missions.board(mission).close(body.status))


@routes.delete("/missions/{mission}", erases=True)
async def delete_mission(ask: Ask, mission: Name) -> Done:
    """Remove a mission and everything in it."""
    return Done(done=await ask.memory.missions.delete(mission))


@routes.get("/debug/missions", right="operate", content="people", development=True)
async def debug_missions(ask: Ask, query: Active) -> Listed[dict[str, Any]]:
    """The active missions of every tenant, whole; in development only."""
    operator = ask.rememora.operator(acting=ask.caller.name)
    return Listed(items=await operator.missions.active(limit=query.limit))


@routes.post("/debug/missions/sweep", right="operate", development=True, once=False)
async def debug_sweep(ask: Ask) -> Swept:
    """Sweep now instead of at the next minute; in development only."""
    return await ask.rememora.operator(acting=ask.caller.name).missions.sweep()


@routes.get("/debug/missions/{mission}", development=True)
async def debug_mission(ask: Ask, mission: Name) -> dict[str, Any]:
    """One mission as it lies, and what is left to it; in development only."""
    return await ask.memory.missions.debug(mission)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput("value", "must be a number to increment by")
    return value
