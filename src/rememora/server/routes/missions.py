"""Missions: the short-lived working memory of a team of agents on one request."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from rememora.domain.memory import Outcome
from rememora.domain.mission import Mission
from rememora.domain.mission_bus import BusMessage as Call
from rememora.domain.mission_bus import Callback, CallKind, Priority
from rememora.domain.mission_intake import Classification, CoordinatorCandidate, Intake, Spend
from rememora.domain.mission_intake import Name as Agent
from rememora.errors import InvalidInput
from rememora.missions import CallRequest, Checkup, Report, Swept, Terms
from rememora.missions.board import Closing
from rememora.missions.guards import CallRefusal
from rememora.server.auth import ApiRequest
from rememora.server.routes.memories import Key, kept
from rememora.server.routing import RouteAnswer, Routes
from rememora.server.words import ItemList, Name, Prose

routes = Routes("missions")
Path = Annotated[str, Meta(min_length=1, max_length=500)]
Live = Annotated[int, Meta(ge=1, le=200)]


class NewIntake(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first reading of the query: its classification, and the candidate coordinators."""

    classification: Classification | None = None
    candidates: Annotated[tuple[CoordinatorCandidate, ...], Meta(max_length=100)] = ()
    extra: dict[str, Any] = {}


class NewMission(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request for a team of agents."""

    query: Prose
    session: Name | None = None
    terms: Terms | None = None
    intake: NewIntake | None = None
    fallbacks: Annotated[dict[Agent, Agent], Meta(max_length=100)] = {}


class MissionUpdate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Values to set at paths, all or none."""

    changes: Annotated[dict[str, Any], Meta(min_length=1, max_length=100)]


class BoardAction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Push to a list, increment a number, or pull from a list."""

    act: Literal["push", "increment", "pull"]
    path: Path
    value: Any = 1


class BoardValue(msgspec.Struct, frozen=True, kw_only=True):
    """New value of the number, or length of the list."""

    now: float


class NewCall(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A call from one agent to another, and the most it may use."""

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


class MissionEnd(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """End of a mission."""

    status: Closing = "completed"


class EffectFlag(msgspec.Struct, frozen=True, kw_only=True):
    """Effect of the request: `changed` if it made a difference."""

    done: bool


class ActiveMissionQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Number of live missions, and their session."""

    limit: Live = 50
    session: Name | None = None


class AllMissionsQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Number of live missions."""

    limit: Live = 50


class AgentTurn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Agent whose calls are meant; by default every agent."""

    sender: Agent | None = None


class NextCall(msgspec.Struct, frozen=True, kw_only=True):
    """The next call, started; with a refusal it may not run any more. Both are absent if none waits."""

    call: Call | None = None
    refusal: CallRefusal | None = None


class BudgetExtension(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Additional budget to reserve for a call."""

    reserve: Spend


class CallbackCollector(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The agent that asked to be notified."""

    agent: Agent


class ResultPromotion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The result to keep as a memory, and its key."""

    path: Path
    key: Key


@routes.get("/missions")
async def list_missions(ask: ApiRequest, query: ActiveMissionQuery) -> ItemList[Mission]:
    """List the user's active missions, newest first."""
    return ItemList(items=await ask.memory.missions.active(limit=query.limit, session=query.session))


@routes.post("/missions", status=201)
async def create_mission(ask: ApiRequest, body: NewMission) -> Mission:
    """Open a mission with a time limit, a budget, and fallbacks for agents."""
    intake = None
    if body.intake is not None:
        intake = Intake(query=body.query, **msgspec.structs.asdict(body.intake))
    return await ask.memory.missions.create(
        body.query, intake=intake, terms=body.terms, fallbacks=body.fallbacks, session=body.session
    )


@routes.get("/missions/{mission}")
async def get_mission(ask: ApiRequest, mission: Name) -> Mission:
    """Return the current mission."""
    return await ask.memory.missions.get(mission)


@routes.patch("/missions/{mission}")
async def update_mission(ask: ApiRequest, mission: Name, body: MissionUpdate) -> Mission:
    """Set values at paths; a value that breaks the schema changes nothing."""
    return await ask.memory.missions.board(mission).update(body.changes)


@routes.post("/missions/{mission}/board")
async def act_on_mission(ask: ApiRequest, mission: Name, body: BoardAction) -> BoardValue:
    """Push, increment or pull, atomically."""
    board = ask.memory.missions.board(mission)
    if body.act == "push":
        return BoardValue(now=await board.push(body.path, body.value))
    if body.act == "pull":
        return BoardValue(now=await board.pull(body.path, body.value))
    return BoardValue(now=await board.increment(body.path, _number(body.value)))


@routes.post("/missions/{mission}/calls", status=201)
async def send_call(ask: ApiRequest, mission: Name, body: NewCall) -> Call:
    """Admit a call, or refuse one that would loop, go too deep, or exceed the budget or the deadline."""
    fields = {name: getattr(body, name) for name in NewCall.__struct_fields__}
    return await ask.memory.missions.bus(mission).send(CallRequest(**fields))


@routes.post("/missions/{mission}/calls/take")
async def take_call(ask: ApiRequest, mission: Name, body: AgentTurn) -> NextCall:
    """Start the next waiting call: critical before high before normal before low, in order within each."""
    taken = await ask.memory.missions.bus(mission).take(sender=body.sender)
    return NextCall() if taken is None else NextCall(call=taken.message, refusal=taken.refusal)


@routes.post("/missions/{mission}/calls/{call}/extend")
async def extend_call(ask: ApiRequest, mission: Name, call: Name, body: BudgetExtension) -> Call:
    """Reserve more budget for a running call, if there is any left."""
    return await ask.memory.missions.bus(mission).extend(call, body.reserve)


@routes.post("/missions/{mission}/callbacks/take")
async def take_callbacks(ask: ApiRequest, mission: Name, body: CallbackCollector) -> ItemList[Callback]:
    """Collect the finished calls that an agent asked to be notified of; each is returned once."""
    return ItemList(items=list(await ask.memory.missions.bus(mission).collect(body.agent)))


@routes.post("/missions/{mission}/check")
async def check_mission(ask: ApiRequest, mission: Name) -> Checkup:
    """End overdue calls, and report whether the mission has stalled."""
    return await ask.memory.missions.bus(mission).check()


@routes.post("/missions/{mission}/calls/{call}/settle")
async def settle_call(ask: ApiRequest, mission: Name, call: Name, body: Report) -> EffectFlag:
    """End a call with its actual usage."""
    return EffectFlag(done=await ask.memory.missions.bus(mission).settle(call, body))


@routes.post("/missions/{mission}/promote", status=201, also=(202,), answer=Outcome)
async def promote_result(ask: ApiRequest, mission: Name, body: ResultPromotion) -> RouteAnswer:
    """Keep one result as a memory, if the gate allows it; answered like `POST /memories`."""
    return kept(await ask.memory.missions.promote(mission, path=body.path, key=body.key))


@routes.post("/missions/{mission}/close")
async def close_mission(ask: ApiRequest, mission: Name, body: MissionEnd) -> EffectFlag:
    """End a mission."""
    return EffectFlag(done=await ask.memory.missions.board(mission).close(body.status))


@routes.delete("/missions/{mission}", erases=True)
async def delete_mission(ask: ApiRequest, mission: Name) -> EffectFlag:
    """Remove a mission and everything in it."""
    return EffectFlag(done=await ask.memory.missions.delete(mission))


@routes.get("/debug/missions", right="operate", content="people", development=True)
async def debug_missions(ask: ApiRequest, query: AllMissionsQuery) -> ItemList[dict[str, Any]]:
    """List the active missions of every tenant, with their content; in development only."""
    operator = ask.rememora.operator(acting=ask.caller.name)
    return ItemList(items=await operator.missions.active(limit=query.limit))


@routes.post("/debug/missions/sweep", right="operate", development=True, once=False)
async def debug_sweep(ask: ApiRequest) -> Swept:
    """Sweep now instead of at the next minute; in development only."""
    return await ask.rememora.operator(acting=ask.caller.name).missions.sweep()


@routes.get("/debug/missions/{mission}", development=True)
async def debug_mission(ask: ApiRequest, mission: Name) -> dict[str, Any]:
    """Return the stored document of one mission and what is left of its limits; in development only."""
    return await ask.memory.missions.debug(mission)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput("value", "must be a number to increment by")
    return value
