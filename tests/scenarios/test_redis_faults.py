"""Redis killed and emptied under load: it costs latency, never a message, and no old or foreign window is read."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from tests.engines.redis import RedisEngine, running

from rememora import Rememora, Settings
from rememora.domain.message import Message, every_item

CONVERSATIONS = 4
WINDOW = 20


class History:
    """What was acknowledged, and every read that did not fit it."""

    def __init__(self) -> None:
        self.acknowledged = dict.fromkeys(range(CONVERSATIONS), 0)
        self.faults: list[str] = []
        self.reads = 0

    def check(self, place: int, floor: int, turns: list[Message]) -> None:
        """A window read after `floor` was acknowledged: its own, without a gap, and not older than that."""
        self.reads += 1
        numbers = [int(turn.content.split("-")[1]) for turn in turns]
        if any(not turn.content.startswith(f"{place}-") or turn.conversation != f"c{place}" for turn in turns):
            self.faults.append(f"a foreign window in c{place}")
        if numbers and numbers != list(range(numbers[0], numbers[-1] + 1)):
            self.faults.append(f"a gap in c{place}")
        if (numbers[-1] if numbers else 0) < floor:
            self.faults.append(f"an old window in c{place}: {numbers[-1:]} after {floor}")
        if len(numbers) != min(WINDOW, numbers[-1] if numbers else 0):
            self.faults.append(f"a short window in c{place}")


class Load:
    """Writers and readers on two open memories, until told to stop."""

    def __init__(self, opened: list[Rememora]) -> None:
        self.history = History()
        self._opened = opened
        self._stopped = False
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        for place in range(CONVERSATIONS):
            self._tasks.append(asyncio.create_task(self._write(place)))
            self._tasks += [asyncio.create_task(self._read(place, reader)) for reader in range(2)]

    async def stop(self) -> None:
        self._stopped = True
        await asyncio.gather(*self._tasks)

    async def more(self, reads: int) -> None:
        """Return when so many more reads and a write have been made."""
        expected, written = self.history.reads + reads, sum(self.history.acknowledged.values())
        async with asyncio.timeout(120):
            while self.history.reads < expected or sum(self.history.acknowledged.values()) == written:
                if any(task.done() for task in self._tasks):
                    await asyncio.gather(*self._tasks)
                await asyncio.sleep(0.002)

    async def _write(self, place: int) -> None:
        number = 0
        while not self._stopped:
            number += 1
            chat = self._opened[number % 2].user("ana", tenant="acme").conversation(f"c{place}")
            await chat.append("user", f"{place}-{number}", id=f"{place}-{number}")
            self.history.acknowledged[place] = number
            await asyncio.sleep(0.003)

    async def _read(self, place: int, reader: int) -> None:
        chat = self._opened[reader].user("ana", tenant="acme").conversation(f"c{place}")
        while not self._stopped:
            floor = self.history.acknowledged[place]
            self.history.check(place, floor, await chat.last_turns())
            await asyncio.sleep(0.001)


async def stored(rememora: Rememora, place: int) -> list[str]:
    """Every message of a conversation, from the store alone."""
    chat = rememora.user("ana", tenant="acme").conversation(f"c{place}")
    return [message.content async for message in every_item(chat.messages, limit=1000)]


async def torment(engine: RedisEngine, load: Load, rounds: int) -> None:
    """Alternately kill it, wait, start it again; and empty it."""
    for number in range(rounds):
        if number % 2 == 0:
            await asyncio.to_thread(engine.kill)
            await load.more(20)
            await asyncio.to_thread(engine.start)
        else:
            await asyncio.to_thread(engine.flush)
        await load.more(20)


@pytest.mark.parametrize("persistent", [False, True], ids=["in-memory", "from-disk"])
@pytest.mark.parametrize("trust_ms", [0, 50], ids=["asked", "trusted"])
@pytest.mark.parametrize("rounds", [6, pytest.param(40, marks=pytest.mark.slow)])
async def test_nothing_is_lost_and_nothing_old_is_read(
    tmp_path: Path, rounds: int, persistent: bool, trust_ms: int
) -> None:
    """Half the rounds SIGKILL, half FLUSHALL; a Redis that comes back from disk brings old windows with it."""
    await kill_redis(tmp_path, rounds=rounds, persistent=persistent, trust_ms=trust_ms)


async def kill_redis(folder: Path, *, rounds: int, persistent: bool, trust_ms: int) -> None:
    """Torment a Redis beside a store in this folder, and look at every window and every message."""
    durable = ("--appendonly", "yes", "--appendfsync", "everysec") if persistent else ()
    with running(folder / "redis", *durable) as engine:
        overrides: dict[str, object] = {"store.url": str(folder / "store"), "redis.url": engine.url}
        overrides |= {"redis.rest_seconds": 0.05, "redis.trust_ms": trust_ms}
        overrides |= {"recall.embedder": "none", "store.synchronous": "normal"}
        settings = Settings.load(overrides, environ={})
        async with AsyncExitStack() as stack:
            opened = [
                await stack.enter_async_context(Rememora.open(settings=settings, background=False))
                for _ in range(2)
            ]
            load = Load(opened)
            load.start()
            await load.more(20)
            await torment(engine, load, rounds)
            await load.stop()
            kept = [await stored(opened[0], place) for place in range(CONVERSATIONS)]

    assert [] == load.history.faults[:5]
    for place, messages in enumerate(kept):
        last = load.history.acknowledged[place]

        assert [f"{place}-{number}" for number in range(1, last + 1)] == messages[:last]
