"""A Redis whose replica takes over, with and without the newest writes: history holds, missions fail closed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from redis import Redis
from tests.engines.balancer import Balancer
from tests.engines.process import PATIENCE_SECONDS
from tests.engines.redis import RedisEngine, cluster_with_replicas
from tests.happening import happen
from tests.scenarios.test_event_streams import Ear
from tests.scenarios.test_redis_faults import CONVERSATIONS, Load, stored

from rememora import Conversation, Rememora, Settings
from rememora.errors import NotFound, StoreUnavailable
from rememora.handles.missions import UserMissions

TRUST_MS = 200


class Pair:
    """A primary and its replica behind an address that moves."""

    def __init__(self, folder: Path) -> None:
        # A primary waits 5 s for more replicas before it sends the first one its data, unless told not to.
        self.primary = RedisEngine(folder / "primary", "--repl-diskless-sync-delay", "0")
        self.primary.start()
        port = str(self.primary.port)
        self.replica = RedisEngine(folder / "replica", "--replicaof", "127.0.0.1", port)
        self.replica.start()
        self.address = Balancer(self.primary.port)
        self.url = f"redis://127.0.0.1:{self.address.port}/0"
        self.follow()

    def follow(self) -> None:
        """Wait until the replica has all that the primary has."""
        give_up_at = time.monotonic() + PATIENCE_SECONDS
        with Redis.from_url(self.primary.url) as one, Redis.from_url(self.replica.url) as other:
            while True:
                local, there = one.info("replication"), other.info("replication")
                offsets = local["master_repl_offset"], there.get("slave_repl_offset", -1)
                if there.get("master_link_status") == "up" and offsets[0] <= offsets[1]:
                    return
                assert time.monotonic() < give_up_at
                time.sleep(0.02)

    def part(self) -> None:
        """From now on the replica hears nothing more."""
        with Redis.from_url(self.replica.url) as client:
            client.execute_command("REPLICAOF", "NO", "ONE")

    def promote(self) -> None:
        """The primary dies, and the replica is the primary."""
        self.primary.kill()
        self.part()
        self.address.move(self.replica.port)

    def end(self) -> None:
        self.address.close()
        for engine in (self.primary, self.replica):
            engine.kill()


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    made = Pair(tmp_path)
    yield made
    made.end()


def settings_of(url: str, folder: Path, **more: object) -> Settings:
    overrides: dict[str, object] = {"store.url": str(folder / "store"), "redis.url": url, "missions.url": url}
    overrides |= {"recall.embedder": "none", "store.synchronous": "normal", "redis.rest_seconds": 0.05}
    overrides |= {"redis.claim_seconds": 0.001, "redis.timeout_ms": 1000}
    return Settings.load({**overrides, **more}, environ={})


@pytest.fixture
async def rememora(pair: Pair, tmp_path: Path) -> AsyncIterator[Rememora]:
    async with Rememora.open(settings=settings_of(pair.url, tmp_path), background=False) as opened:
        yield opened


@pytest.mark.parametrize("parted", [False, True], ids=["whole", "behind"])
async def test_no_old_window_is_read_from_a_replica_that_takes_over(
    chat: Conversation, pair: Pair, parted: bool
) -> None:
    """It may have missed what was said last: the store says so, and what is said later is read as ever."""
    await chat.append("user", "um")
    await chat.last_turns()
    pair.follow()
    if parted:
        pair.part()
    await chat.append("user", "dois")
    pair.promote()
    first = [turn.content for turn in await chat.last_turns()]
    await chat.append("user", "três")
    second = [turn.content for turn in await chat.last_turns()]

    assert (["um", "dois"], ["um", "dois", "três"]) == (first, second)


async def test_what_was_trusted_runs_out_before_a_failover_is_over(pair: Pair, tmp_path: Path) -> None:
    """A failover that takes longer than trust brings no old window, though the replica missed the last write."""
    settings = settings_of(pair.url, tmp_path, **{"redis.trust_ms": TRUST_MS})
    async with Rememora.open(settings=settings, background=False) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        await chat.append("user", "um")
        await chat.last_turns()
        pair.follow()
        pair.part()
        await chat.append("user", "dois")
        pair.primary.kill()
        await asyncio.sleep(TRUST_MS / 1000)
        pair.promote()

        assert ["um", "dois"] == [turn.content for turn in await chat.last_turns()]


@pytest.mark.parametrize("parted", [False, True], ids=["whole", "behind"])
async def test_missions_do_not_outlive_their_primary(rememora: Rememora, pair: Pair, parted: bool) -> None:
    """The replica has the mission, perhaps with more budget left than there is: it is lost, a new one begins."""
    missions = rememora.user("ana", tenant="acme").missions
    mission = await missions.create("q")
    await missions.board(mission.id).increment("executors.counters.hits")
    pair.follow()
    if parted:
        pair.part()
    await missions.board(mission.id).increment("executors.counters.hits")
    pair.promote()
    with pytest.raises(NotFound):
        await missions.get(mission.id)
    with pytest.raises(NotFound):
        await missions.board(mission.id).increment("executors.counters.hits")
    again = await missions.create("q")

    assert 1 == await missions.board(again.id).increment("executors.counters.hits")


async def test_events_that_the_replica_missed_are_told_again(rememora: Rememora, pair: Pair) -> None:
    """What only the dead primary had is not on the stream, and comes from the outbox when it is asked for."""
    ear = Ear()
    await rememora.events.relay_to_redis(from_start=True)
    await happen(rememora, "c1")
    await rememora.settle()
    pair.follow()
    pair.part()
    await happen(rememora, "c2")
    await rememora.settle()
    pair.promote()
    await rememora.events.consume("crm", ear, from_start=True)
    await rememora.settle()
    missing = list(ear.conversations)
    await rememora.events.replay("redis", tenant="acme")
    await happen(rememora, "c3")
    await rememora.settle()

    assert ["c1"] == missing
    assert ["c1", "c2", "c3"] == list(dict.fromkeys(ear.conversations))


@pytest.mark.parametrize("lost", ["missions", pytest.param("windows", marks=pytest.mark.slow)])
async def test_a_cluster_that_loses_a_primary(tmp_path: Path, lost: str) -> None:
    """Under load a primary is killed and its replica takes over: nothing old is read, its missions are closed."""
    with cluster_with_replicas(tmp_path / "cluster") as (url, kill_owner):
        settings = settings_of(url, tmp_path)
        async with (
            Rememora.open(settings=settings, background=False) as one,
            Rememora.open(settings=settings, background=False) as other,
        ):
            missions = one.user("ana", tenant="acme").missions
            mission = await missions.create("q")
            load = Load([one, other])
            load.start()
            await load.more(50)
            slot = {"missions": "{acme}", "windows": "{acme/ana}"}[lost]
            await asyncio.to_thread(kill_owner, slot)
            await load.more(200)
            stands = await _until_answered(missions, mission.id)
            await load.more(50)
            await load.stop()
            kept = [await stored(one, place) for place in range(CONVERSATIONS)]

    # The two stand in slots of different primaries.
    assert stands is (lost == "windows")
    assert [] == load.history.faults[:5]
    assert [load.history.acknowledged[place] for place in range(CONVERSATIONS)] == [len(item) for item in kept]


async def _until_answered(missions: UserMissions, mission: str) -> bool:
    """Whether a mission is there, once the cluster answers again."""
    give_up_at = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            await missions.get(mission)
        except NotFound:
            return False
        except StoreUnavailable:
            assert time.monotonic() < give_up_at
            await asyncio.sleep(0.1)
        else:
            return True
