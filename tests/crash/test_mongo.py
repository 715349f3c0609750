"""MongoDB is killed under missions: they fail closed, and what was acknowledged is there exactly once."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import pytest
from pymongo import MongoClient
from tests.contract.missions.worlds import ANA, World
from tests.engines.mongo import ReplicaSet
from tests.engines.process import PATIENCE_SECONDS, Engine, free_port

from rememora.adapters.mongo.missions import open_missions
from rememora.domain.event import Event
from rememora.domain.scope import Scope
from rememora.errors import StoreUnavailable
from rememora.missions import Board, Missions, sweep
from rememora.settings import MissionSettings, Settings
from rememora.wiring.parts import utc_now

WRITERS = 8
HITS, PUSHED = "executors.counters.hits", "coordinators.funds.warnings"


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[ReplicaSet]:
    """A set of one node whose own clock looks for outlived documents each second."""
    servers = ReplicaSet(tmp_path / "mongo", ttl_seconds=1)
    servers.start()
    yield servers
    servers.kill()


@pytest.fixture
def three(tmp_path: Path) -> Iterator[ReplicaSet]:
    """A set that survives one node."""
    servers = ReplicaSet(tmp_path / "mongo", nodes=3)
    servers.start()
    yield servers
    servers.kill()


def settings_at(folder: Path, url: str) -> Settings:
    return Settings.load({"store.url": str(folder / "store"), "missions.url": url}, environ={})


@pytest.fixture
async def world(alone: ReplicaSet, tmp_path: Path) -> AsyncIterator[World]:
    """Missions on that node, by the clock on the wall, with little patience."""
    settings = settings_at(tmp_path, alone.url(serverSelectionTimeoutMS=1_000))
    async with World.opened(settings) as opened:
        opened.now = utc_now()
        yield opened


class Ledger:
    """What writers were told, to be compared with what is there."""

    def __init__(self) -> None:
        self.kept: Counter[str] = Counter()
        self.unknown: Counter[str] = Counter()

    async def write(self, board: Board, writer: int, enough: asyncio.Event) -> None:
        """Count and push until told to stop; a write that fails is not repeated."""
        number = 0
        while not enough.is_set():
            number += 1
            for act, name in ((board.increment(HITS), HITS), (board.push(PUSHED, f"{writer}-{number}"), PUSHED)):
                item = name if name == HITS else f"{writer}-{number}"
                try:
                    await act
                except StoreUnavailable:
                    self.unknown[item] += 1
                else:
                    self.kept[item] += 1

    async def check(self, board: Board) -> None:
        """Everything acknowledged is there once; what failed is there once or not at all."""
        mission = await board.get()
        pushed = Counter(mission.coordinators["funds"].warnings)
        hits = mission.executors.counters[HITS.rpartition(".")[2]]

        assert {item: 1 for item in self.kept if item != HITS}.items() <= pushed.items()
        assert set(pushed) <= set(self.kept) | set(self.unknown)
        assert {1} == set(pushed.values())
        assert self.kept[HITS] <= hits <= self.kept[HITS] + self.unknown[HITS]


async def writing(world: World, ledger: Ledger) -> tuple[Board, asyncio.Event, list[asyncio.Task[None]]]:
    """A mission, and writers at work on it."""
    board = world.board(ANA, (await world.missions.create(ANA, "q")).id)
    await board.update({"coordinators.funds": {}})
    enough = asyncio.Event()
    return board, enough, [asyncio.create_task(ledger.write(board, number, enough)) for number in range(WRITERS)]


async def reaches(ledger: Ledger, more: int) -> None:
    """Wait for so many more acknowledged writes."""
    aim = ledger.kept.total() + more
    async with asyncio.timeout(PATIENCE_SECONDS):
        while ledger.kept.total() < aim:
            await asyncio.sleep(0.01)


async def test_a_server_that_is_away_fails_closed_and_comes_back(world: World, alone: ReplicaSet) -> None:
    """While the node is dead nothing is acknowledged and nothing read; afterwards it goes on where it was."""
    ledger = Ledger()
    board, enough, writers = await writing(world, ledger)
    await reaches(ledger, 200)
    alone.kill()
    with pytest.raises(StoreUnavailable):
        await board.get()
    with pytest.raises(StoreUnavailable):
        await world.missions.create(ANA, "another")
    alone.engines[0].start()
    await asyncio.to_thread(alone.await_primary)
    await reaches(ledger, 200)
    enough.set()
    await asyncio.gather(*writers)

    await ledger.check(board)


async def test_the_servers_own_clock_is_the_backstop(world: World, alone: ReplicaSet) -> None:
    """Where nobody sweeps, the server takes an outlived mission away by itself."""
    await Missions(world.store, clock=utc_now, settings=MissionSettings(ttl_seconds=0.5)).create(ANA, "a query")
    give_up_at = time.monotonic() + PATIENCE_SECONDS
    with MongoClient[dict[str, object]](alone.url()) as client:
        left = client.get_default_database().get_collection("missions")
        while left.count_documents({}) and time.monotonic() < give_up_at:
            await asyncio.sleep(0.05)

        assert 0 == left.count_documents({})


async def test_events_that_were_not_told_are_told_by_the_sweep(world: World) -> None:
    """The outbox fails after the change was kept: the change stands, and the sweep makes its events good."""

    async def refuse(scope: Scope, events: Sequence[Event]) -> None:
        raise StoreUnavailable

    where = world.settings.missions
    deaf = open_missions(where.url, collection=where.collection, clock=world.clock, tell=refuse)
    missions = Missions(deaf, clock=world.clock)
    board = missions.board(ANA, (await missions.create(ANA, "q")).id)
    ended = await board.close("completed"), await board.delete()
    await deaf.close()
    world.wait(60)
    untold = await world.types()
    await sweep(world.store, now=world.now, settings=MissionSettings())

    assert (True, True) == ended
    assert [] == untold
    assert ["mission.created", "mission.completed", "mission.deleted"] == await world.types()


async def test_a_single_server_is_refused(tmp_path: Path) -> None:
    """Without a replica set a retried write could be made twice: it is refused with what to do."""
    servers = ReplicaSet(tmp_path / "mongo")
    servers.engines[0].start()
    settings = settings_at(tmp_path, servers.url().replace("replicaSet=rs0", "directConnection=true"))
    async with World.opened(settings) as world:
        with pytest.raises(StoreUnavailable, match="replica set"):
            await world.missions.create(ANA, "q")
    servers.kill()


async def test_a_server_that_was_never_there(tmp_path: Path) -> None:
    """The memory opens without it, and only missions are refused."""
    settings = settings_at(tmp_path, f"mongodb://127.0.0.1:{free_port()}/?serverSelectionTimeoutMS=100")
    async with World.opened(settings) as world:
        with pytest.raises(StoreUnavailable):
            await world.missions.create(ANA, "q")


@pytest.mark.slow
async def test_failover_loses_nothing_and_repeats_nothing(three: ReplicaSet, tmp_path: Path) -> None:
    """The primary is killed three times under writers: each time another takes over."""
    async with World.opened(settings_at(tmp_path, three.url())) as world:
        world.now = utc_now()
        ledger = Ledger()
        board, enough, writers = await writing(world, ledger)
        for _ in range(3):
            await reaches(ledger, 200)
            primary: Engine = await asyncio.to_thread(three.await_primary)
            primary.kill()
            await reaches(ledger, 200)
            await asyncio.to_thread(primary.start)
        enough.set()
        await asyncio.gather(*writers)

        await ledger.check(board)
