"""Windows that are read without asking the store: as right as those that are asked for, as long as Redis is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.behind import behind
from tests.clock import SetClock
from tests.engines.redis import running, shared_cluster, shared_redis
from tests.scenarios.test_hot_windows import beside, copied, opened, texts

from rememora import Conversation, Rememora, Settings
from rememora.domain.scope import Scope

LONG = {"redis.trust_ms": 10_000}


@pytest.fixture(params=[shared_redis, shared_cluster], ids=["redis", "redis-cluster"])
def trusting(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """A store whose windows are trusted for longer than any test takes."""
    return beside(request.param(), tmp_path, **LONG)


@pytest.fixture
async def ana(trusting: Settings, clock: SetClock) -> AsyncIterator[Conversation]:
    async with Rememora.open(settings=trusting, clock=clock, background=False) as rememora:
        yield rememora.user("ana", tenant="acme").conversation("c1")


def change_behind(settings: Settings) -> None:
    """A write that no process of ours made."""
    behind(
        settings.store.url,
        "UPDATE messages SET content = 'changed'",
        "UPDATE conversations SET edition = edition + 1",
    )


async def test_what_is_trusted_is_read_without_the_store(ana: Conversation, trusting: Settings) -> None:
    """The store was changed behind our back, and nobody asked it; what we write ourselves is read at once."""
    await ana.append("user", "um")
    await ana.last_turns()
    change_behind(trusting)
    trusted = await ana.last_turns()
    await ana.append("user", "dois")

    assert ["um"] == texts(trusted)
    assert ["changed", "dois"] == texts(await ana.last_turns())


async def test_a_followed_window_is_trusted_too(ana: Conversation, trusting: Settings) -> None:
    """What was said after the copy was made is in it, and is believed without the store."""
    await ana.append("user", "um")
    await ana.last_turns()
    await ana.append("assistant", "dois")
    change_behind(trusting)

    assert ["um", "dois"] == texts(await ana.last_turns())
    assert ["dois"] == texts(await ana.last_turns(1))


async def test_a_window_read_before_a_write_is_not_kept_after_it(ana: Conversation, trusting: Settings) -> None:
    """A slow reader asked the store, then somebody wrote: what the reader has is refused, and so is its word."""
    await ana.append("user", "um")
    await ana.last_turns()
    windows = opened(trusting)
    line = windows._line
    await line.call("DEL", f"{trusting.redis.prefix}:{{acme/ana}}:sure:c1")
    slow = await windows.get(ana.scope)
    assert slow.window is not None
    await ana.append("user", "dois")
    await windows.put(ana.scope, slow.window, slow.claim)
    await windows.confirm(ana.scope, slow.window.edition, slow.claim)
    await windows.close()

    assert not slow.sure
    assert ["um", "dois"] == await copied(trusting, ana.scope)
    assert ["um", "dois"] == texts(await ana.last_turns())


async def test_a_confirmed_window_is_trusted(ana: Conversation, trusting: Settings) -> None:
    """Trust ran out, the store was asked, and the same copy is sure again."""
    await ana.append("user", "um")
    await ana.last_turns()
    windows = opened(trusting)
    await windows._line.call("DEL", f"{trusting.redis.prefix}:{{acme/ana}}:sure:c1")
    before = await windows.get(ana.scope)
    await ana.last_turns()
    after = await windows.get(ana.scope)
    await windows.close()

    assert (False, True) == (before.sure, after.sure)


@pytest.mark.parametrize("act", ["append", "delete", "erase", "append_many", "import"])
async def test_a_write_that_redis_misses_waits_until_nobody_trusts_the_old(tmp_path: Path, act: str) -> None:
    """The writer does not reach Redis, the reader does: once the write is acknowledged, the reader sees it."""
    reading = beside(shared_redis(), tmp_path, **{"redis.trust_ms": 150})
    cut_off = beside("redis://127.0.0.1:1/0", tmp_path, **{"redis.trust_ms": 150})
    async with (
        Rememora.open(settings=reading, background=False) as one,
        Rememora.open(settings=cut_off, background=False) as other,
    ):
        local, there = (item.user("ana", tenant="acme") for item in (one, other))
        await local.conversation("c1").append("user", "um", id="m1")
        document = await local.archive.export()
        await local.conversation("c1").last_turns()
        if act == "append":
            await there.conversation("c1").append("user", "dois")
        elif act == "append_many":
            await there.conversation("c1").append_many([{"role": "user", "content": "dois"}])
        elif act == "import":
            await there.conversation("c1").delete()
            document["conversations"][0]["messages"][0]["content"] = "dois"
            await there.archive.load(document)
        elif act == "delete":
            await there.conversation("c1").delete()
        else:
            await there.erase(person=True)
        result = texts(await local.conversation("c1").last_turns())
        stored = [message.content for message in (await local.conversation("c1").messages()).items]

    assert stored == result


async def test_what_a_late_redis_does_is_not_trusted(tmp_path: Path) -> None:
    """It stands still for two writes and hears of the first alone: awake, it does that and vouches for nothing."""
    with running(tmp_path / "redis") as engine:
        hasty = {"redis.trust_ms": 100, "redis.timeout_ms": 100, "redis.rest_seconds": 0}
        expected = beside(engine.url, tmp_path, **hasty)
        async with (
            Rememora.open(settings=expected, background=False) as one,
            Rememora.open(settings=expected, background=False) as other,
        ):
            local, there = (item.user("ana", tenant="acme").conversation("c1") for item in (one, other))
            await local.append("user", "um")
            await local.last_turns()
            await there.last_turns()
            with engine.frozen():
                await local.append("user", "dois")
                await local.append("user", "três")
            items = [texts(await there.last_turns()) for _ in range(6)]

    assert [["um", "dois", "três"]] * 6 == items


async def test_trust_is_taken_away_with_the_copy(ana: Conversation, trusting: Settings) -> None:
    """A deleted conversation is empty at once, and what begins anew under its name is its own."""
    await ana.append("user", "before", id="m1")
    await ana.last_turns()
    await ana.delete()
    empty = await ana.last_turns()
    await ana.append("user", "after", id="m1")

    assert [] == empty
    assert ["after"] == texts(await ana.last_turns())
    assert [] == await copied(trusting, Scope("acme", "ana", "c1"))
