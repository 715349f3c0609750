"""The line to Redis: it can be cancelled, names what is wrong with a URL, and rests when nobody answers."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from redis import Redis
from tests.engines.redis import running, shared_cluster, shared_redis

from rememora import Event, Rememora, Settings
from rememora.adapters.redis.client import Cooldown, RedisClient
from rememora.errors import SettingsError, StoreUnavailable


def line_to(url: str, *, seconds: float = 5) -> RedisClient:
    return RedisClient(url, field="redis.url", seconds=seconds, connections=4)


@pytest.mark.parametrize("url", [shared_redis, shared_cluster], ids=["redis", "redis-cluster"])
async def test_a_cancelled_call_ends(url: object) -> None:
    """At whatever point it is cancelled, whoever waits for it hears of it."""
    assert callable(url)
    # Where the package swallows it, the call goes on for as long as it waits for an answer.
    line = line_to(url(), seconds=0.15)
    ends = []
    for pauses in range(40):
        task = asyncio.create_task(line.call("BLPOP", "nobody-pushes-here", 60))
        for _ in range(pauses):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})
        ends.append(task.cancelled())
    await line.close()

    assert [True] * 40 == ends


@pytest.mark.parametrize("url", ["http://127.0.0.1", "127.0.0.1:6379", "redis://host:port"])
def test_a_url_of_something_else_is_refused(url: str) -> None:
    """By the name of the setting, without a word of what it holds."""
    with pytest.raises(SettingsError, match=r"redis\.url"):
        line_to(url)


@pytest.mark.parametrize("scheme", ["redis", "redis+cluster"])
async def test_nobody_there_is_one_error_of_ours(scheme: str) -> None:
    """Whatever the package raises, and with none of its words."""
    line = line_to(f"{scheme}://127.0.0.1:1")
    with pytest.raises(StoreUnavailable, match="Redis does not answer"):
        await line.call("GET", "key")
    await line.close()


async def test_who_does_not_answer_is_left_alone() -> None:
    """One failure is paid for; then nobody asks until the rest is over, and then one asks for all."""
    now, items, up = 0.0, [0], [False]
    rest = Cooldown(10, clock=lambda: now)

    async def ask() -> str:
        items[0] += 1
        await asyncio.sleep(0)
        if not up[0]:
            raise StoreUnavailable
        return "here"

    first = [await rest.attempt(ask) for _ in range(5)]
    paid = items[0]
    now = 11
    await asyncio.gather(*(rest.attempt(ask) for _ in range(5)))
    looked = items[0]
    now, up[0] = 22, True
    back = [await rest.attempt(ask) for _ in range(3)]

    assert [None] * 5 == first
    assert (1, 2) == (paid, looked)
    assert ["here"] * 3 == back


async def test_the_rights_that_the_manual_names_are_enough(tmp_path: Path) -> None:
    """A user of Redis who may do no more than that has windows, events and missions."""
    page = Path(__file__).parents[2] / "docs" / "how-to" / "redis.md"
    rights = ["~rememora:*", "+@read", "+@write", "+@scripting", "+@connection", "+info"]
    heard: list[Event] = []

    async def hear(event: Event) -> None:
        heard.append(event)

    with running(tmp_path / "redis") as engine:
        with Redis.from_url(engine.url) as client:
            client.execute_command("ACL SETUSER", "app", "on", ">secret", "resetkeys", *rights)
            client.execute_command("ACL SETUSER", "default", "off")
        url = engine.url.replace("redis://", "redis://app:secret@")
        overrides = {"store.url": str(tmp_path / "store"), "redis.url": url, "missions.url": url}
        settings = Settings.load({**overrides, "recall.embedder": "none", "redis.timeout_ms": 20_000}, environ={})
        async with Rememora.open(settings=settings, background=False) as rememora:
            await rememora.events.relay_to_redis(from_start=True)
            await rememora.events.consume("crm", hear, from_start=True)
            ana = rememora.user("ana", tenant="acme")
            await ana.conversation("c1").append("user", "oi")
            await ana.conversation("c1").last_turns()
            removed = await ana.conversation("c1").delete()
            mission = await ana.missions.create("q")
            await ana.missions.board(mission.id).increment("executors.counters.hits")
            await ana.missions.delete(mission.id)
            await rememora.settle()

    assert "+@read +@write +@scripting +@connection" in page.read_text(encoding="utf-8")
    assert removed.cached >= 1
    assert ["conversation.deleted", "mission.created", "mission.deleted"] == [event.type for event in heard]
