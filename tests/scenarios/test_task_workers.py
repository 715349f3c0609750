"""Workers of modules: one at a time on a task, however many there are, and whatever becomes of them."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest
from tests.clock import SetClock
from tests.delegating import Hands, abandon, delegated, told

from rememora import Rememora, Settings, Task
from rememora.domain.modules import CRM


@pytest.fixture
def overrides() -> dict[str, object]:
    """Few tries, first wait of a second, a lease whose heartbeats are further apart than a machine is held up."""
    return {"tasks.attempts": 3, "tasks.backoff_seconds": 1, "tasks.lease_seconds": 12, "tasks.at_once": 2}


async def test_work_is_taken_back_while_it_runs(rememora: Rememora) -> None:
    """The worker hears of it at its next heartbeat, and what it says afterwards does not count."""
    begun, stopped = asyncio.Event(), asyncio.Event()

    async def forever(task: Task) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    await rememora.modules.serve(CRM, forever)
    task = await delegated(rememora)
    working = asyncio.create_task(rememora.settle())
    await begun.wait()
    await rememora.user("ana", tenant="acme").tasks.cancel(task.id)
    async with asyncio.timeout(20):
        await stopped.wait()
        await working

    assert ["module.task.failed", "crm.delegation.failed"] == [e.type for e in (await told(rememora, task))[1:]]


async def test_two_workers_share_the_work(rememora: Rememora, other: Rememora) -> None:
    """Both drain at once: each task is done by one of them, and told once."""
    tried: Counter[str] = Counter()

    async def work(task: Task) -> str:
        tried[task.id] += 1
        await asyncio.sleep(0.002)
        return "ok"

    tasks = [await delegated(rememora) for _ in range(40)]
    for item in (rememora, other):
        await item.modules.serve(CRM, work)
    await asyncio.gather(rememora.settle(), other.settle())
    await rememora.settle()
    types = Counter(event.type for event in await told(rememora))

    assert {task.id: 1 for task in tasks} == tried
    assert {"module.task.created": 40, "module.task.completed": 40, "crm.delegation.sent": 40} == types


async def test_long_work_keeps_its_lease(tmp_path: Path) -> None:
    """While it runs, longer than a lease lasts, nobody else begins with it."""
    overrides = {"store.url": str(tmp_path), "tasks.lease_seconds": 3}
    settings = Settings.load(overrides, environ={})
    tried: list[str] = []

    async def slow(task: Task) -> None:
        tried.append("slow")
        await asyncio.sleep(4)

    async with (
        Rememora.open(settings=settings, background=False) as one,
        Rememora.open(settings=settings, background=False) as two,
    ):
        await one.modules.serve(CRM, slow)
        await two.modules.serve(CRM, lambda _: tried.append("quick"))
        await delegated(one)
        working = asyncio.create_task(one.settle())
        while not tried and not working.done():
            await asyncio.sleep(0.01)
        while not working.done():
            await two.settle()
            await asyncio.sleep(0.02)

    assert ["slow"] == tried


async def test_who_slept_through_the_lease_has_no_say(
    rememora: Rememora, other: Rememora, clock: SetClock
) -> None:
    """Another took over and ended it: the first one's answer changes nothing and tells nothing."""
    await other.modules.serve(CRM, Hands("the other"))

    async def sleepy(task: Task) -> str:
        clock.advance(60)
        await other.settle()
        return "mine"

    await rememora.modules.serve(CRM, sleepy)
    task = await delegated(rememora)
    await rememora.settle()

    assert "the other" == (await rememora.user("ana", tenant="acme").tasks.get(task.id)).summary
    assert 3 == len(await told(rememora, task))


async def test_a_task_that_kills_its_workers_is_given_up(rememora: Rememora, clock: SetClock) -> None:
    """Abandoned as often as it may be tried, it is a dead letter, and not begun again."""
    task = await delegated(rememora)
    for _ in range(3):
        await abandon(rememora, clock)
    hands = Hands()
    await rememora.modules.serve(CRM, hands)
    clock.advance(1)
    await rememora.settle()
    ended = await rememora.user("ana", tenant="acme").tasks.get(task.id)

    assert [] == hands.tried
    assert ("failed", "worker_lost") == (ended.status, ended.error)
    assert ["module.task.failed", "crm.delegation.failed"] == [e.type for e in (await told(rememora, task))[1:]]


async def test_a_worker_that_stops_gives_its_task_back(settings: Settings) -> None:
    """The next one begins at once, and the try that was cut short does not count."""
    begun = asyncio.Event()

    async def forever(task: Task) -> None:
        begun.set()
        await asyncio.Event().wait()

    async with Rememora.open(settings=settings) as rememora:
        await rememora.modules.serve(CRM, forever)
        task = await delegated(rememora)
        await begun.wait()
    hands = Hands()
    async with Rememora.open(settings=settings, background=False) as rememora:
        await rememora.modules.serve(CRM, hands)
        await rememora.settle()
        done = await rememora.user("ana", tenant="acme").tasks.get(task.id)

    assert ("completed", 1) == (done.status, done.attempts)


async def test_work_that_takes_too_long_is_a_failed_try(tmp_path: Path) -> None:
    """It is stopped, and counts."""
    overrides = {"store.url": str(tmp_path), "tasks.work_seconds": 0.05, "tasks.attempts": 1}
    async with Rememora.open(settings=Settings.load(overrides, environ={}), background=False) as rememora:
        await rememora.modules.serve(CRM, lambda _: asyncio.Event().wait())
        task = await delegated(rememora)
        await rememora.settle()

        assert "TimeoutError" == (await rememora.user("ana", tenant="acme").tasks.get(task.id)).error
