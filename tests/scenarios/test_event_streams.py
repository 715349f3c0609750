"""Events over a Redis stream: all of them, in order, shared by a group, taken over from the dead."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from tests.clock import SetClock
from tests.engines.redis import fresh_cluster, fresh_redis, running, shared_redis
from tests.happening import happen
from typer.testing import CliRunner

from rememora import Event, Rememora, Settings
from rememora.cli import app
from rememora.errors import InvalidInput, SettingsError
from rememora.events.consume import Consumer
from rememora.events.relay import Subscriber
from rememora.wiring.opening import open_stream


@pytest.fixture(params=[fresh_redis, fresh_cluster], ids=["redis", "redis-cluster"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """A store beside a Redis, few attempts, the dead given up on at once."""
    return beside(request.param(), tmp_path)


def beside(redis: dict[str, str], folder: Path, **more: object) -> Settings:
    overrides: dict[str, object] = {"store.url": str(folder / "store"), "recall.embedder": "none"}
    overrides |= {"events.attempts": 3, "events.backoff_seconds": 1, "redis.claim_seconds": 0.001}
    return Settings.load({**overrides, **redis, **more}, environ={})


class Ear:
    """Hears events, and refuses those of the conversations it is told to refuse."""

    def __init__(self, *refused: str) -> None:
        self.heard: list[Event] = []
        self.refused = set(refused)

    async def __call__(self, event: Event) -> None:
        if event.conversation in self.refused:
            raise ConnectionError(event.id)
        self.heard.append(event)

    @property
    def conversations(self) -> list[str]:
        return [event.conversation or "" for event in self.heard]


async def test_every_event_comes_through_in_order(rememora: Rememora) -> None:
    """From the outbox over the stream to the listener, each is whole."""
    ear = Ear()
    await rememora.events.relay_to_redis(from_start=True)
    await rememora.events.consume("crm", ear, from_start=True)
    await happen(rememora, "c1", "c2", "c1", "c3")
    await rememora.settle()

    assert await rememora.tenant("acme", acting="test").events.list() == ear.heard
    assert ["c1", "c2", "c1", "c3"] == ear.conversations


async def test_a_group_shares_and_another_hears_all(rememora: Rememora) -> None:
    """Of one group each event goes to one consumer; a group that came from the start has them all too."""
    pair, alone = [Ear(), Ear()], Ear()
    await rememora.events.relay_to_redis(from_start=True)
    for number, ear in enumerate(pair):
        await rememora.events.consume("crm", ear, consumer=f"n{number}", from_start=True)
    await rememora.events.consume("mail", alone, from_start=True, types=["conversation.deleted"])
    await happen(rememora, *(f"c{number}" for number in range(9)))
    await rememora.settle()

    assert sorted(alone.conversations) == sorted(pair[0].conversations + pair[1].conversations)
    assert 9 == len(alone.heard)


async def test_a_refused_event_waits_with_those_behind_it(rememora: Rememora, clock: SetClock) -> None:
    """Others go on; when its time has come it is first, and nobody has overtaken it."""
    ear = Ear("c1")
    await rememora.events.relay_to_redis(from_start=True)
    await rememora.events.consume("crm", ear, from_start=True)
    await happen(rememora, "c1", "c2", "c1", "c3")
    await rememora.settle()
    before = list(ear.conversations)
    ear.refused.clear()
    await happen(rememora, "c1")
    await rememora.settle()
    waiting = list(ear.conversations)
    clock.advance(2)
    await rememora.settle()
    positions = [event.position for event in ear.heard if event.conversation == "c1"]

    assert ["c2", "c3"] == before == waiting
    assert 3 == len(positions)
    assert sorted(positions) == positions


async def test_what_is_never_taken_is_buried_apart(
    rememora: Rememora, clock: SetClock, settings: Settings
) -> None:
    """After the last try it stands in a stream of its own, with the group and the error."""
    ear = Ear("c1")
    await rememora.events.relay_to_redis(from_start=True)
    await rememora.events.consume("crm", ear, from_start=True)
    await happen(rememora, "c1", "c2")
    for _ in range(3):
        await rememora.settle()
        clock.advance(60)
    if "+cluster" in settings.redis.url:
        return
    with Redis.from_url(settings.redis.url) as client:
        result: Any = client.xrange(f"{settings.redis.prefix}:{{events}}:events.dead")

    assert [(b"crm", b"ConnectionError")] == [(fields[b"group"], fields[b"error"]) for _, fields in result]
    assert "c1" == json.loads(result[0][1][b"event"])["conversation"]


async def test_what_a_dead_consumer_took_goes_to_another(settings: Settings) -> None:
    """Cancelled with events in hand, it never says that it is done; the next consumer of the group hears them."""
    second, begun = Ear(), asyncio.Event()

    async def stuck(event: Event) -> None:
        begun.set()
        await asyncio.sleep(3600)

    async with Rememora.open(settings=settings, background=False) as rememora:
        await rememora.events.relay_to_redis(from_start=True)
        await happen(rememora, "c1", "c2")
        await rememora.settle()
        await rememora.events.consume("crm", stuck, consumer="doomed", from_start=True)
        dying = asyncio.create_task(rememora.settle())
        await begun.wait()
        dying.cancel()
        await asyncio.gather(dying, return_exceptions=True)
    async with Rememora.open(settings=settings, background=False) as rememora:
        await rememora.events.consume("crm", second, consumer="heir")
        await settled(rememora, lambda: len(second.heard) == 2)

    assert ["c1", "c2"] == second.conversations


async def settled(rememora: Rememora, done: Callable[[], bool]) -> None:
    """Settle until it is done; a claim needs a moment of silence first."""
    async with asyncio.timeout(30):
        while not done():
            await rememora.settle()
            await asyncio.sleep(0.01)


async def test_an_outage_costs_no_event_its_tries(tmp_path: Path) -> None:
    """Redis is away for longer than all tries; what happened meanwhile is there when it is back, in order."""
    ear = Ear()
    with running(tmp_path / "redis") as engine:
        expected = beside({"redis.url": engine.url}, tmp_path, **{"events.attempts": 1})
        async with Rememora.open(settings=expected, background=False) as rememora:
            await rememora.events.relay_to_redis(from_start=True)
            await rememora.events.consume("crm", ear, from_start=True)
            await happen(rememora, "c1")
            await rememora.settle()
            engine.kill()
            await happen(rememora, "c2", "c3")
            for _ in range(3):
                with pytest.raises(Exception, match="Redis does not answer"):
                    await rememora.settle()
            engine.start()
            await rememora.settle()
            dead = await rememora.tenant("acme", acting="test").events.dead_letters()

    assert ["c1", "c2", "c3"] == ear.conversations
    assert [] == dead


async def test_a_flushed_stream_goes_on_and_can_be_filled_again(tmp_path: Path) -> None:
    """The group comes back by itself, and the outbox has what the stream lost."""
    ear = Ear()
    with running(tmp_path / "redis") as engine:
        expected = beside({"redis.url": engine.url}, tmp_path)
        async with Rememora.open(settings=expected, background=False) as rememora:
            await rememora.events.relay_to_redis(from_start=True)
            await happen(rememora, "lost")
            await rememora.settle()
            engine.flush()
            await rememora.events.consume("crm", ear, from_start=True)
            engine.flush()
            await happen(rememora, "c1")
            await rememora.settle()
            after = list(ear.conversations)
            await rememora.events.replay("redis", tenant="acme")
            await rememora.settle()

    assert ["c1"] == after
    assert ["c1", "lost", "c1"] == ear.conversations
    assert 2 == len({event.id for event in ear.heard})


async def test_the_stream_is_bounded(tmp_path: Path) -> None:
    """It keeps about as many events as the settings say."""
    expected = beside(fresh_redis(), tmp_path, **{"redis.stream_length": 100})
    async with Rememora.open(settings=expected, background=False) as rememora:
        await rememora.events.relay_to_redis(from_start=True)
        await happen(rememora, *["c1"] * 350)
        await rememora.settle()
    with Redis.from_url(shared_redis()) as client:
        length: Any = client.xlen(f"{expected.redis.prefix}:{{events}}:events")

    assert 100 <= length < 250


async def test_the_setting_begins_it(tmp_path: Path) -> None:
    """With `redis.events` the loops of a process relay by themselves."""
    ear = Ear()
    expected = beside(fresh_redis(), tmp_path, **{"redis.events": True})
    async with Rememora.open(settings=expected) as rememora:
        await rememora.events.consume("crm", ear, from_start=True)
        await happen(rememora, "c1")
        async with asyncio.timeout(30):
            while not ear.heard:
                await asyncio.sleep(0.01)

    assert ["c1"] == ear.conversations


@pytest.mark.parametrize("act", [lambda r: r.events.relay_to_redis(), lambda r: r.events.consume("crm", Ear())])
async def test_without_a_redis_it_is_refused(tmp_path: Path, act: Callable[[Rememora], Awaitable[None]]) -> None:
    """The setting that is missing is named; a filter that matches nothing is refused as elsewhere."""
    async with Rememora.open(settings=beside({}, tmp_path), background=False) as rememora:
        with pytest.raises(SettingsError, match="redis"):
            await act(rememora)
    async with Rememora.open(settings=beside(fresh_redis(), tmp_path), background=False) as rememora:
        with pytest.raises(InvalidInput, match="types"):
            await rememora.events.consume("crm", Ear(), types=["no.such.type"])


async def test_the_command_prints_what_falls_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`rememora events consume` is a consumer like any other."""
    expected = beside(fresh_redis(), tmp_path)
    async with Rememora.open(settings=expected, background=False) as rememora:
        await rememora.events.relay_to_redis(from_start=True)
        await happen(rememora, "c1", "c2")
        await rememora.settle()
    monkeypatch.setenv("REMEMORA_REDIS_URL", expected.redis.url)
    monkeypatch.setenv("REMEMORA_REDIS_PREFIX", expected.redis.prefix)
    monkeypatch.setenv("REMEMORA_RECALL_EMBEDDER", "none")
    command = ["events", "consume", "--group", "crm", "--from-start", "--no-follow", "--json"]
    printed = [
        await asyncio.to_thread(CliRunner().invoke, app, [*command, "--url", expected.store.url]) for _ in range(2)
    ]

    assert [0, 0] == [item.exit_code for item in printed]
    assert ["c1", "c2"] == [json.loads(line)["conversation"] for line in printed[0].stdout.splitlines()]
    assert "" == printed[1].stdout


@pytest.mark.parametrize("turns", range(1, 4))
async def test_a_consumer_is_told_to_stop_in_the_moment_after_a_delivery(tmp_path: Path, turns: int) -> None:
    """Whoever stops keeping others off hears a cancellation that comes just then."""
    patient = beside(fresh_redis(), tmp_path, **{"redis.claim_seconds": 60})
    go_on = asyncio.Event()
    async with Rememora.open(settings=patient, background=False) as rememora:
        stream, clock = open_stream(rememora._parts), rememora._parts.clock
        crm = Subscriber(name="crm", listener=print)
        consumer = Consumer(stream, crm, name="me", settings=patient.events, clock=clock)

        async def consume() -> None:
            async with consumer._kept([]):
                await go_on.wait()
            await asyncio.Event().wait()

        consuming = asyncio.create_task(consume())
        await asyncio.sleep(0.01)
        go_on.set()
        for _ in range(turns):
            await asyncio.sleep(0)
        consuming.cancel()
        async with asyncio.timeout(20):
            await asyncio.wait([consuming])

    assert consuming.cancelled()
