"""Missions held in Redis fail closed: what Redis lost is lost, and nothing goes on with a fresh budget."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import msgspec
import pytest
from redis import Redis
from tests.engines.redis import RedisEngine, running

from rememora import Rememora, Settings
from rememora.domain.mission_intake import Budget, Spend
from rememora.domain.mission_plan import Operation, OperationPlan
from rememora.errors import NotFound, StoreUnavailable
from rememora.missions import CallContext, CallRequest, Report, Terms

TERMS = Terms(budget=Budget(tokens=1000, calls=50))
DURABLE = ("--appendonly", "yes", "--appendfsync", "always")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[RedisEngine]:
    """A Redis that may die."""
    with running(tmp_path / "redis") as started:
        yield started


@pytest.fixture
async def rememora(engine: RedisEngine, tmp_path: Path) -> AsyncIterator[Rememora]:
    async with Rememora.open(settings=settings_of(engine, tmp_path), background=False) as opened:
        yield opened


def settings_of(engine: RedisEngine, folder: Path) -> Settings:
    overrides = {"store.url": str(folder / "store"), "missions.url": engine.url, "recall.embedder": "none"}
    return Settings.load(overrides, environ={})


async def spent(rememora: Rememora) -> str:
    """A mission with most of its budget gone and an agent that keeps failing."""
    missions = rememora.user("ana", tenant="acme").missions
    mission = await missions.create("q", terms=TERMS)
    for _ in range(5):
        send = CallRequest(sender="a", to="b", reserve=Spend(tokens=150), start=True)
        message = await missions.bus(mission.id).send(send)
        await missions.bus(mission.id).settle(message.id, Report(ok=False, spent=Spend(tokens=150)))
    return mission.id


async def refusals(rememora: Rememora, mission: str) -> set[type]:
    """What each way of going on with a mission raises."""
    missions = rememora.user("ana", tenant="acme").missions
    board, bus = missions.board(mission), missions.bus(mission)
    raised: set[type] = set()
    for attempt in (
        missions.get(mission),
        board.increment("executors.counters.hits"),
        board.update({"orchestrator.objective": "go on"}),
        bus.send(CallRequest(sender="a", to="b", reserve=Spend(tokens=900))),
        bus.check(),
        board.close("completed"),
    ):
        try:
            await attempt
        except (NotFound, StoreUnavailable) as error:
            raised.add(type(error))
        else:
            raised.add(type(None))
    return raised


async def test_a_killed_redis_refuses_and_has_lost_the_mission(rememora: Rememora, engine: RedisEngine) -> None:
    """While it is away every act says so; when it is back the mission is not there."""
    mission = await spent(rememora)
    engine.kill()
    away = await refusals(rememora, mission)
    engine.start()
    back = await refusals(rememora, mission)

    assert ({StoreUnavailable}, {NotFound}) == (away, back)


async def test_a_flushed_redis_has_lost_the_mission(rememora: Rememora, engine: RedisEngine) -> None:
    """Nothing recreates it; a new one is another mission."""
    mission = await spent(rememora)
    engine.flush()

    assert {NotFound} == await refusals(rememora, mission)
    assert [] == await rememora.user("ana", tenant="acme").missions.active()
    assert mission != await spent(rememora)


async def test_an_old_file_does_not_bring_a_budget_back(tmp_path: Path) -> None:
    """A Redis that comes back from its disk may have lost what was spent since: the mission is lost too."""
    with running(tmp_path / "redis", *DURABLE) as engine:
        async with Rememora.open(settings=settings_of(engine, tmp_path), background=False) as rememora:
            mission = await spent(rememora)
            engine.kill()
            engine.start()
            with Redis.from_url(engine.url) as client:
                kept = list(client.scan_iter("*:missions:of:*"))

            assert 1 == len(kept)
            assert {NotFound} == await refusals(rememora, mission)


async def test_a_running_mission_ends_with_its_redis(rememora: Rememora, engine: RedisEngine) -> None:
    """Flushed while an agent works, the run raises; no answer is made of what was lost."""

    async def plan(call: CallContext) -> OperationPlan:
        return OperationPlan(operations=(Operation(id="one", executor="hand"),))

    async def work(call: CallContext) -> str:
        engine.flush()
        return "done"

    with pytest.raises(NotFound):
        await rememora.user("ana", tenant="acme").missions.run(
            "q", coordinators={"lead": plan}, executors={"hand": work}
        )


async def test_nothing_of_a_mission_remains_in_redis(rememora: Rememora, engine: RedisEngine) -> None:
    """It has a time to live from the start; deleted, no key of it is left but the tenant's name."""
    mission = await spent(rememora)
    with Redis.from_url(engine.url) as client:
        lives = [client.pttl(key) for key in client.scan_iter("*:missions:of:*")]
        await rememora.user("ana", tenant="acme").missions.delete(mission)
        left = {key.decode() for key in client.scan_iter("*")}

    assert [True] == [0 < life <= 600_000 for life in lives]
    assert {"rememora:missions:tenants"} == left


async def test_what_a_dead_process_did_not_tell_is_told(rememora: Rememora, engine: RedisEngine) -> None:
    """Events wait with their mission until the outbox has them; each is told once by the sweep."""
    mission = await spent(rememora)
    company = rememora.tenant("acme", acting="test")
    events = await company.events.list()
    event = msgspec.structs.replace(events[0], id="late")
    with Redis.from_url(engine.url) as client:
        client.rpush("rememora:{acme}:missions:untold", msgspec.json.encode(event))
    await rememora.settle()
    await rememora.settle()

    assert [*(item.id for item in events), "late"] == [item.id for item in await company.events.list()]
    assert mission == (await rememora.user("ana", tenant="acme").missions.get(mission)).id


async def test_a_tenant_erased_is_gone_from_redis_too(rememora: Rememora, engine: RedisEngine) -> None:
    """No key of Redis holds what it was about, and the receipt counts its missions."""
    await rememora.operator(acting="root").tenants.create("acme")
    for user in ("ana", "bia"):
        await rememora.user(user, tenant="acme").missions.create("canario-7f3a9")
    receipt = await rememora.operator(acting="root").tenants.erase("acme", confirm="acme")
    with Redis.from_url(engine.url) as client:
        left = [key for key in client.scan_iter() if b"acme" in key]

    assert [] == left
    assert 2 == receipt.counts["missions"]
