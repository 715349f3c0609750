"""Missions: the working memory of a team of agents on one request, for the minutes it lives."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from rememora.domain.memory import Outcome
from rememora.domain.mission import Mission
from rememora.domain.mission_bus import Callback, CallKind, Priority
from rememora.domain.mission_bus import Message as Call
from rememora.domain.mission_intake import Candidate, Classification, Intake, Spend
from rememora.domain.mission_intake import Name as Agent
from rememora.errors import InvalidInput
from rememora.missions import Checkup, Report, Send, Swept, Terms
from rememora.missions.board import Closing
from rememora.missions.guards import Refusal
from rememora.server.auth import Ask
from rememora.server.route import Answer, Routes
from rememora.server.routes.memories import Key, kept
from rememora.server.words import Listed, Name, Prose

routes = Routes("missions")
Path = Annotated[str, Meta(min_length=1, max_length=500)]
Live = Annotated[int, Meta(ge=1, le=200)]


class NewIntake(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first reading of the query: its classification, and the coordinators that could take it."""

    classification: Classification | None = None
    candidates: Annotated[tuple[Candidate, ...], Meta(max_length=100)] = ()
    extra: dict[str, Any] = {}


class NewMission(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request that a team is to work on."""

    query: Prose
    session: Name | None = None
    terms: Terms | None = None
    intake: NewIntake | None = None
    fallbacks: Annotated[dict[Agent, Agent], Meta(max_length=100)] = {}


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

    sender: Agent
    to: Agent
    reserve: Spend = Spend()
    priority: Priority = "normal"
    kind: CallKind = "call"
    callback: Agent | None = None
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
    """How many of the live ones, and of which session."""

    limit: Live = 50
    session: Name | None = None


class Every(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many of the live ones."""

    limit: Live = 50


class Turn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Agent whose calls are meant; every agent where none is named."""

    sender: Agent | None = None


class Next(msgspec.Struct, frozen=True, kw_only=True):
    """The call whose turn it was, started; with a refusal it may not run any more. Neither where none waits."""

    call: Call | None = None
    refusal: Refusal | None = None


class More(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Budget to be set aside for a call on top of what it has."""

    reserve: Spend


class Collector(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The agent that asked to be called back."""

    agent: Agent


class Promoted(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The result that is to outlive its mission, and the key it is to be known under."""

    path: Path
    key: Key


@routes.get("/missions")
async def list_missions(ask: Ask, query: Active) -> Listed[Mission]:
    """The user's active missions, newest first."""
    return Listed(items=await ask.memory.missions.active(limit=query.limit, session=query.session))


@routes.post("/missions", status=201)
async def create_mission(ask: Ask, body: NewMission) -> Mission:
    """Open a mission, under terms of time and budget, with the agents that stand in for others."""
    intake = None
    if body.intake is not None:
        intake = Intake(query=body.query, **msgspec.structs.asdict(body.intake))
    return await ask.memory.missions.create(
        body.query, intake=intake, terms=body.terms, fallbacks=body.fallbacks, session=body.session
    )


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


@routes.post("/missions/{mission}/calls/take")
async def take_call(ask: Ask, mission: Name, body: Turn) -> Next:
    """Start the next waiting call: critical before high before normal before low, in order inside."""
    taken = await ask.memory.missions.bus(mission).take(sender=body.sender)
    return Next() if taken is None else Next(call=taken.message, refusal=taken.refusal)


@routes.post("/missions/{mission}/calls/{call}/extend")
async def extend_call(ask: Ask, mission: Name, call: Name, body: More) -> Call:
    """Set more aside for a call under way, if the budget still has it."""
    return await ask.memory.missions.bus(mission).extend(call, body.reserve)


@routes.post("/missions/{mission}/callbacks/take")
async def take_callbacks(ask: Ask, mission: Name, body: Collector) -> Listed[Callback]:
    """Take the ended calls that an agent asked to be told of; each is handed out once."""
    return Listed(items=list(await ask.memory.missions.bus(mission).collect(body.agent)))


@routes.post("/missions/{mission}/check")
async def check_mission(ask: Ask, mission: Name) -> Checkup:
    """End the calls whose time is over, and say whether the mission has stalled."""
    return await ask.memory.missions.bus(mission).check()


@routes.post("/missions/{mission}/calls/{call}/settle")
async def settle_call(ask: Ask, mission: Name, call: Name, body: Report) -> Done:
    """End a call with what it really used."""
    return Done(done=await ask.memory.missions.bus(mission).settle(call, body))


@routes.post("/missions/{mission}/promote", status=201, also=(202,), answer=Outcome)
async def promote_result(ask: Ask, mission: Name, body: Promoted) -> Answer:
    """Let one result outlive its mission, if the gate lets it; answered like `POST /memories`."""
    return kept(await ask.memory.missions.promote(mission, path=body.path, key=body.key))


@routes.post("/missions/{mission}/close")
async def close_mission(ask: Ask, mission: Name, body: Closed) -> Done:
    """End a mission."""
    return Done(done=await ask.memory.missions.board(mission).close(body.status))


@routes.delete("/missions/{mission}", erases=True)
async def delete_mission(ask: Ask, mission: Name) -> Done:
    """Remove a mission and everything in it."""
    return Done(done=await ask.memory.missions.delete(mission))


@routes.get("/debug/missions", right="operate", content="people", development=True)
async def debug_missions(ask: Ask, query: Every) -> Listed[dict[str, Any]]:
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
