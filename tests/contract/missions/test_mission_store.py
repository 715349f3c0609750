"""What every mission store promises: atomic changes, no way across scopes, and nothing left behind."""

from __future__ import annotations

import asyncio
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NoReturn

import msgspec
import pytest
from tests.contract.missions.worlds import ANA, SETTINGS, START, World

from rememora.domain.event import MissionStalled
from rememora.domain.mission import Mission, MissionChange, Status
from rememora.domain.mission_intake import Budget, Spend
from rememora.domain.mission_limits import cutoffs
from rememora.domain.scope import SHARED, Scope
from rememora.engines import open_database, open_missions
from rememora.errors import (
    BreakerOpen,
    Conflict,
    InvalidInput,
    LoopRefused,
    MissionRefused,
    NotFound,
    SettingsError,
)
from rememora.missions import CallRequest, Report, Terms, sweep
from rememora.settings import MissionSettings, Settings
from rememora.wiring.parts import utc_now

OTHERS = [Scope("other", "ana", "c1"), Scope("acme", "bob", "c1"), Scope("acme", "ana", "c2")]


def close(mission: Mission) -> MissionChange[str]:
    closed = msgspec.structs.replace(mission, status="failed", closed_at=mission.created_at)
    return MissionChange(outcome="closed", mission=closed, events=(MissionStalled(mission_id=mission.id),))


@pytest.mark.parametrize("other", OTHERS, ids=str)
async def test_nothing_crosses_a_scope(world: World, other: Scope) -> None:
    """To another tenant, user or conversation the mission is not there: not to read, change, list or delete."""
    mission = await world.missions.create(ANA, "mine")

    for attempt in (world.store.get(other, mission.id), world.store.change(other, mission.id, plan=close)):
        with pytest.raises(NotFound):
            await attempt
    assert not await world.store.delete(other, mission.id)
    assert 0 == await world.store.erase(other)
    assert await world.store.find_active(other) == []
    assert [mission.id] == [result.id for result in await world.store.find_active(ANA)]
    assert (await world.store.get(Scope("acme", "ana"), mission.id)).intake.query == "mine"


async def test_one_id_may_be_of_two_tenants(world: World) -> None:
    """The same id under two tenants is two missions; twice under one user it is a conflict."""
    mission = await world.missions.create(ANA, "mine")
    theirs = msgspec.structs.replace(mission, tenant="other")
    await world.store.create(OTHERS[0], theirs)
    await world.store.change(OTHERS[0], mission.id, plan=close)

    assert (await world.store.get(ANA, mission.id)).status == "active"
    with pytest.raises(Conflict):
        await world.store.create(ANA, mission)


async def test_erasing_takes_every_mission_of_a_scope(world: World) -> None:
    """A conversation's go with the conversation, a user's with the user, in whatever state; others stay."""
    mission = await world.missions.create(ANA, "aqui")
    await world.store.change(ANA, mission.id, plan=close)
    there = await world.missions.create(Scope(ANA.tenant, ANA.user, "elsewhere"), "ali")
    theirs = await world.missions.create(OTHERS[0], "deles")

    assert 1 == await world.store.erase(ANA)
    assert there == await world.store.get(Scope(ANA.tenant, ANA.user), there.id)
    assert 1 == await world.store.erase(Scope(ANA.tenant, ANA.user))
    with pytest.raises(NotFound):
        await world.store.get(Scope(ANA.tenant, ANA.user), there.id)
    assert theirs == await world.store.get(OTHERS[0], theirs.id)


async def test_erasing_a_tenant_takes_every_users_missions(world: World) -> None:
    """All users' go, in whatever state; another tenant's stay, and no byte of an id is a pattern."""
    mine = [await world.missions.create(Scope(ANA.tenant, user, "c"), "q") for user in ("ana", "bia", "a/b")]
    await world.store.change(mine[1].scope, mine[1].id, plan=close)
    theirs = await world.missions.create(Scope(f"{ANA.tenant}2", "ana"), "deles")

    assert 3 == await world.store.erase(Scope(ANA.tenant, SHARED))
    assert [] == [result for item in mine for result in await world.store.find_active(item.scope)]
    assert [theirs.id] == [item.id for item in await world.store.find_active_everywhere()]


async def test_what_was_created_is_got(world: World) -> None:
    """The document comes back whole."""
    terms = Terms(timeout_s=30, budget=Budget(tokens=1000, calls=5))
    mission = await world.missions.create(ANA, "Quanto rendeu?", terms=terms, fallbacks={"a": "b"})

    assert mission == await world.store.get(ANA, mission.id)
    assert await world.types() == ["mission.created"]


async def test_the_verbs_of_the_board(world: World) -> None:
    """Update, push, increment, pull: each returns what it became, and the revision counts the changes."""
    board = world.board(ANA, (await world.missions.create(ANA, "q")).id)
    await board.update({"coordinators.funds": {"cycle": 1}, "orchestrator.objective": "net"})

    lengths = [await board.push("coordinators.funds.warnings", item=item) for item in "ab"]

    assert lengths == [1, 2]
    assert await board.pull("coordinators.funds.warnings", match="a") == 1
    assert await board.increment("executors.counters.hits", by=5) == 5
    assert await board.read("coordinators.funds.warnings") == ("b",)
    assert (await board.get()).revision == 5
    assert await board.delete()
    assert not await board.delete()


async def test_a_bad_write_is_refused_whole(world: World) -> None:
    """If one of several values is bad, none of them is written, and the path is named."""
    mission = await world.missions.create(ANA, "q")

    with pytest.raises(InvalidInput) as refused:
        await world.board(ANA, mission.id).update(
            {"orchestrator.objective": "x", "coordinators.funds": {"completeness": 200}}
        )

    assert refused.value.field == "coordinators.funds.completeness"
    assert mission == await world.store.get(ANA, mission.id)


async def test_a_plan_that_raises_changes_nothing(world: World) -> None:
    """Neither the mission nor the outbox knows of a change that failed."""

    def plan(mission: Mission) -> MissionChange[NoReturn]:
        close(mission)
        raise LookupError(mission.id)

    mission = await world.missions.create(ANA, "q")
    with pytest.raises(LookupError, match=mission.id):
        await world.store.change(ANA, mission.id, plan=plan)

    assert mission == await world.store.get(ANA, mission.id)
    assert await world.types() == ["mission.created"]


async def test_change_and_event_are_one(world: World) -> None:
    """What a plan tells is in the outbox, in the mission's conversation, with no content."""
    mission = await world.missions.create(ANA, "a secret query")

    assert await world.store.change(Scope("acme", "ana"), mission.id, plan=close) == "closed"
    events = await world.events()
    assert [event.type for event in events] == ["mission.created", "mission.stalled"]
    assert {"c1"} == {event.conversation for event in events}
    assert "secret" not in msgspec.json.encode(events).decode()


async def test_a_closed_mission_takes_no_more(world: World) -> None:
    """Writes by path and sends are over once it is closed; closing twice is closing once."""
    mission = await world.missions.create(ANA, "q")

    assert (
        await world.board(ANA, mission.id).close("completed"),
        await world.board(ANA, mission.id).close("failed"),
    ) == (True, False)
    with pytest.raises(MissionRefused):
        await world.board(ANA, mission.id).increment("executors.counters.hits")
    with pytest.raises(MissionRefused):
        await world.bus(ANA, mission.id).send(CallRequest(sender="a", to="b"))
    assert (await world.store.get(ANA, mission.id)).status == "completed"


async def test_refusals_are_typed_counted_and_told_once(world: World) -> None:
    """The first refusal of a kind is an event; all of them are counted in the mission."""
    mission = await world.missions.create(ANA, "q")
    await world.bus(ANA, mission.id).send(CallRequest(sender="a", to="b"))
    for _ in range(3):
        with pytest.raises(LoopRefused, match="b -> a -> b"):
            await world.bus(ANA, mission.id).send(CallRequest(sender="b", to="a"))

    assert (await world.store.get(ANA, mission.id)).bus.totals.refused == {"loop": 3}
    assert (await world.types()).count("mission.refused") == 1


async def test_the_breaker_is_the_missions_not_the_processes(abroad: World) -> None:
    """What one process saw failing, another leaves alone."""
    mission = await abroad.missions.create(ANA, "q", fallbacks={"b": "c"})
    for _ in range(5):
        message = await abroad.bus(ANA, mission.id).send(CallRequest(sender="a", to="b", start=True))
        await abroad.bus(ANA, mission.id).settle(message.id, Report(ok=False))

    async with World.opened(abroad.settings) as elsewhere:
        with pytest.raises(BreakerOpen) as refused:
            await elsewhere.bus(ANA, mission.id).send(CallRequest(sender="a", to="b"))
    assert (refused.value.agent, refused.value.fallback) == ("b", "c")


async def test_parallel_calls_cannot_overspend(world: World) -> None:
    """Of a hundred calls at once only those are admitted whose reservations fit together."""
    terms = Terms(budget=Budget(tokens=1000, calls=50))
    mission = await world.missions.create(ANA, "q", terms=terms)
    send = CallRequest(sender="a", to="b", reserve=Spend(tokens=70))
    results = await asyncio.gather(
        *(world.bus(ANA, mission.id).send(send) for _ in range(100)), return_exceptions=True
    )

    assert sum(not isinstance(result, BaseException) for result in results) == 14
    held = (await world.store.get(ANA, mission.id)).bus.messages.values()
    assert sum(message.reserved.tokens for message in held) == 980


async def test_paths_create_what_is_missing_for_many_writers_at_once(world: World) -> None:
    """Twenty writers push, count and set under coordinators that nobody made: nothing of theirs is lost."""
    board = world.board(ANA, (await world.missions.create(ANA, "q")).id)
    await asyncio.gather(
        *(board.push("coordinators.Preços do dia.warnings", f"w{number}") for number in range(20)),
        *(board.increment("coordinators.Preços do dia.extra.seen.times") for _ in range(20)),
        *(board.update({f"coordinators.c{number}.runs.op 1.state": "running"}) for number in range(20)),
    )
    after = await board.get()

    assert {f"w{number}" for number in range(20)} == set(after.coordinators["Preços do dia"].warnings)
    assert 20 == await board.read("coordinators.Preços do dia.extra.seen.times")
    assert 21 == len(after.coordinators)
    assert 0 == await board.pull("coordinators.late.warnings", match="x")
    assert "late" not in (await board.get()).coordinators


async def test_what_no_schema_knows_is_kept(world: World) -> None:
    """Fields of an agent's own come back from the store as they were written, keys of any form included."""
    board = world.board(ANA, (await world.missions.create(ANA, "q")).id)
    mine = {"a.b": {"$set": [1, {"x y": None}]}, "é": "sim"}
    await board.update({"final.consolidation": {"supporting": {}, "etc": mine}})
    await board.push("coordinators.c1.decisions", {"what": "w", "reason": "r", "at": START, "mood": mine})
    after = await board.get()

    assert after.final.consolidation is not None
    assert {"etc": mine} == after.final.consolidation.extra
    assert {"mood": mine} == after.coordinators["c1"].decisions[0].extra
    with pytest.raises(InvalidInput, match="`hours`"):
        await board.update({"coordinators.c1.share": {"hours": 1}})


async def test_calls_leave_times_kinds_and_callbacks(world: World) -> None:
    """An edge says when and how it was taken; whoever asked to be called back is told once, with the result."""
    mission = await world.missions.create(ANA, "q")
    bus = world.bus(ANA, mission.id)
    first = await bus.send(
        CallRequest(sender="lead", to="Agente Um", kind="operation", callback="lead", start=True)
    )
    world.wait(2)
    await bus.send(CallRequest(sender="lead", to="Agente Um", kind="fallback"))
    await bus.settle(first.id, Report(result={"price": 3}))
    callbacks = await bus.collect("lead")
    edge = (await world.board(ANA, mission.id).get()).bus.edges["lead"]["Agente Um"]

    assert (START, START + timedelta(seconds=2)) == (edge.first_at, edge.last_at)
    assert {"operation": 1, "fallback": 1} == edge.kinds
    assert [(first.id, "Agente Um", True, {"price": 3})] == [
        (item.message, item.called, item.ok, item.result) for item in callbacks
    ]
    assert () == await bus.collect("lead")


async def test_find_active_is_newest_first_and_scoped_by_conversation(world: World) -> None:
    """A user sees all of theirs, a conversation its own, a closed one nobody's."""
    ids = []
    for scope in (ANA, ANA, OTHERS[2]):
        ids.append((await world.missions.create(scope, "q")).id)
        world.wait(1)
    await world.board(ANA, ids[0]).close("completed")

    assert [ids[2], ids[1]] == [result.id for result in await world.store.find_active(Scope("acme", "ana"))]
    assert [ids[1]] == [result.id for result in await world.store.find_active(ANA)]
    assert len(await world.store.find_active_everywhere(limit=1)) == 1


@pytest.mark.parametrize(
    ("status", "early", "due"),
    [("active", 299, 300), ("completed", 0, 1), ("timeout", 59, 60), ("failed", 59, 60)],
)
async def test_the_times_of_a_mission(world: World, status: Status, early: float, due: float) -> None:
    """Each state has its time: not due before, due then."""
    settings = MissionSettings(delete_delay_seconds=1)
    mission = await world.missions.create(ANA, "q")
    if status != "active":
        await world.board(ANA, mission.id).close(status)
    items = [
        await world.store.find_expired_everywhere(cutoffs(START + timedelta(seconds=seconds), settings))
        for seconds in (early, due)
    ]

    assert [[], [(mission.id, status)]] == [[(item.mission_id, item.status) for item in batch] for batch in items]


async def test_the_time_to_live_is_the_backstop(world: World) -> None:
    """After ten minutes a mission is not there, swept or not, and the tenant's next one takes it away."""
    mission = await world.missions.create(ANA, "q")
    world.wait(600)
    with pytest.raises(NotFound):
        await world.store.get(ANA, mission.id)
    result = await world.store.find_expired_everywhere(cutoffs(world.now, SETTINGS))
    await world.missions.create(ANA, "another")

    assert [item.expired for item in result] == [True]
    assert await world.store.find_expired_everywhere(cutoffs(world.now, SETTINGS)) == []


async def test_the_sweep_takes_all_tenants_in_batches(world: World) -> None:
    """Everything due is done in one sweep, however many there are."""
    for number in range(7):
        mission = await world.missions.create(Scope(f"t{number % 3}", "ana"), "q")
        if number % 2:
            await world.board(mission.scope, mission.id).close("completed")
    world.wait(301)
    first = await sweep(world.store, now=world.now, settings=SETTINGS, batch=2)
    world.wait(61)
    second = await sweep(world.store, now=world.now, settings=SETTINGS, batch=2)

    assert (first.timed_out, first.deleted) == (4, 3)
    assert (second.timed_out, second.deleted) == (0, 4)
    assert await world.store.find_active_everywhere() == []


async def written_by_two(abroad: World, times: int) -> None:
    """Thirty-two writers in two processes, each so many increments and pushes, end exact."""
    abroad.now = datetime.now(UTC)
    mission = await abroad.missions.create(ANA, "q")
    await abroad.board(ANA, mission.id).update({"coordinators.funds": {}})
    command = abroad.child("write", mission.id, times)
    processes = [await asyncio.create_subprocess_exec(*command) for _ in range(2)]
    codes = [await process.wait() for process in processes]
    after = await abroad.store.get(ANA, mission.id)
    pushed = [str(warning) for warning in after.coordinators["funds"].warnings]

    assert codes == [0, 0]
    assert after.executors.counters["hits"] == 32 * times
    assert 32 * times == len(pushed) == len(set(pushed))
    for process in processes:
        items = [item for item in pushed if item.startswith(f"{process.pid}-")]
        for writer in range(16):
            numbers = [int(item.rsplit("-", 1)[1]) for item in items if item.split("-")[1] == str(writer)]
            assert list(range(times)) == numbers


async def test_no_update_is_lost_between_processes(abroad: World) -> None:
    """However their writes fall between each other."""
    await written_by_two(abroad, 4)


@pytest.mark.slow
async def test_no_update_of_many_is_lost_between_processes(abroad: World) -> None:
    """The same with up to 200 increments and 200 pushes of each writer."""
    await written_by_two(abroad, abroad.many)


async def test_a_dead_process_is_timed_out_by_another(abroad: World) -> None:
    """A process is killed at work; this one times its mission out after five minutes and removes it after six."""
    command = abroad.child("die", "-")
    child = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=False)
    abroad.now = datetime.now(UTC)
    before = await abroad.store.get(ANA, child.stdout)
    abroad.wait(301)
    await sweep(abroad.store, now=abroad.now, settings=SETTINGS)
    timed_out = await abroad.store.get(ANA, child.stdout)
    abroad.wait(60)
    await sweep(abroad.store, now=abroad.now, settings=SETTINGS)

    assert (before.status, len(before.bus.messages)) == ("active", 1)
    assert timed_out.status == "timeout"
    assert await abroad.types() == ["mission.created", "mission.timeout", "mission.deleted"]
    with pytest.raises(NotFound):
        await abroad.store.get(ANA, child.stdout)


async def test_nothing_of_a_mission_remains_in_the_files(on_disk: World) -> None:
    """After deletion and sweep no byte of query, result or answer is in any file of the store."""
    canaries = ["zqxquery", "vkwresult", "jpzanswer", "wfgearlier"]
    mission = await on_disk.missions.create(ANA, canaries[0] * 50)
    await on_disk.board(ANA, mission.id).update({"coordinators.funds": {"collected": {"x": canaries[3] * 2000}}})
    await on_disk.board(ANA, mission.id).update({"coordinators.funds": {"collected": {"x": canaries[1] * 3000}}})
    await on_disk.board(ANA, mission.id).update({"final.answer": canaries[2] * 10})
    before = files_with(on_disk.folder, canaries)
    await on_disk.board(ANA, mission.id).close("completed")
    swept = await sweep(on_disk.store, now=on_disk.now, settings=SETTINGS)

    assert set(canaries[:3]) <= before
    assert swept.deleted == 1
    assert set() == files_with(on_disk.folder, canaries)


def files_with(folder: Path, canaries: list[str]) -> set[str]:
    bodies = [file.read_bytes() for file in folder.rglob("*") if file.is_file()]
    return {canary for canary in canaries for body in bodies if canary.encode() in body}


async def test_an_engine_nobody_knows_is_refused(tmp_path: Path) -> None:
    """A URL of no known engine is refused by the setting's name, and what it holds is not shown."""
    settings = Settings.load({"store.url": str(tmp_path), "missions.url": "gopher://me:secret@here"}, environ={})
    database = await open_database(settings)

    with pytest.raises(SettingsError, match=r"missions\.url") as refused:
        await open_missions(settings, database, clock=utc_now)
    await database.close()
    assert "secret" not in str(refused.value)
