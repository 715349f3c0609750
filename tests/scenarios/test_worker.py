"""The background loops: they begin, end, come back, and outlive what their steps meet."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress

import pytest
from tests.happening import happen

from rememora import Event, Rememora, Settings
from rememora.cancellation import run_to_end
from rememora.events.relay import Lease, Subscriber
from rememora.settings import WorkerSettings
from rememora.worker import Worker

QUICK = WorkerSettings(poll_seconds=0.01)
PATIENT = WorkerSettings(poll_seconds=3600)


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds; a test that waits in vain fails by its limit."""
    async with asyncio.timeout(20):
        while not holds():
            await asyncio.sleep(0.005)


class Pile:
    """Work in pieces; a piece called "fail" fails once, when its turn comes."""

    def __init__(self, *pieces: str) -> None:
        self.pieces = list(pieces)
        self.done: list[str] = []

    async def step(self) -> bool:
        if not self.pieces:
            return False
        piece = self.pieces.pop(0)
        if piece == "fail":
            raise BlockingIOError
        self.done.append(piece)
        return True


async def test_a_loop_does_what_was_left() -> None:
    """What an earlier run left is done at the start, without a nudge."""
    pile = Pile("a", "b", "c")
    worker = Worker({"pile": pile.step}, PATIENT)
    worker.start()
    await until(lambda: len(pile.done) == 3)
    await worker.stop()

    assert ["a", "b", "c"] == pile.done


async def test_a_nudge_wakes_it() -> None:
    """What is written is looked for at once, however long the poll."""
    pile = Pile()
    worker = Worker({"pile": pile.step}, PATIENT)
    worker.start()
    await asyncio.sleep(0.05)
    pile.pieces.append("a")
    worker.nudge()
    await until(lambda: pile.done == ["a"])
    await worker.stop()


async def test_without_a_nudge_it_polls() -> None:
    """Another process's work is found too."""
    pile = Pile()
    worker = Worker({"pile": pile.step}, QUICK)
    worker.start()
    await asyncio.sleep(0.02)
    pile.pieces.append("a")
    await until(lambda: pile.done == ["a"])
    await worker.stop()


async def test_a_failing_step_does_not_end_its_loop() -> None:
    """It is tried again; another loop does not notice."""
    pile, other = Pile("a", "fail", "b", "fail", "fail", "c"), Pile("x", "y")
    worker = Worker({"pile": pile.step, "other": other.step}, QUICK)
    worker.start()
    await until(lambda: pile.done == ["a", "b", "c"] and other.done == ["x", "y"])
    await worker.stop()

    assert [] == pile.pieces


async def test_settling_tells_a_failure() -> None:
    """Who waits for the work to be done must know when it cannot be."""
    worker = Worker({"pile": Pile("fail").step}, QUICK)
    with pytest.raises(BlockingIOError):
        await worker.settle()


async def test_settling_returns_when_no_step_finds_anything() -> None:
    """Also when one step makes work for another that had already looked."""
    last = Pile()

    async def first() -> bool:
        return False

    async def makes_work() -> bool:
        if last.done or last.pieces:
            return False
        last.pieces.append("late")
        return True

    worker = Worker({"first": first, "last": last.step, "makes": makes_work}, PATIENT)
    await worker.settle()

    assert ["late"] == last.done


async def test_stop_and_start_again() -> None:
    """After stop nothing runs; after start it goes on; both may be said twice."""
    pile = Pile("a")
    worker = Worker({"pile": pile.step}, QUICK)
    worker.start()
    worker.start()
    await until(lambda: pile.done == ["a"])
    await worker.stop()
    await worker.stop()
    pile.pieces.append("b")
    worker.nudge()
    await asyncio.sleep(0.05)

    assert (["a"], False) == (pile.done, worker.running)

    worker.start()
    await until(lambda: pile.done == ["a", "b"])
    await worker.stop()


async def test_a_step_that_keeps_a_cancellation_to_itself_ends_all_the_same() -> None:
    """Steps call code that is not ours: whatever it does with being told to stop, nobody waits for it for good."""
    begun: list[bool] = []

    async def deaf() -> bool:
        begun.append(True)
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        return False

    worker = Worker({"deaf": deaf}, PATIENT)
    worker.start()
    await until(lambda: bool(begun))
    async with asyncio.timeout(20):
        await worker.stop()

    assert [True] == begun


async def test_a_stop_that_is_broken_off_forgets_no_loop() -> None:
    """Whoever stops again waits for what the first did not: nothing is closed under a loop that still runs."""
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow_to_end() -> bool:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            await run_to_end(go_on.wait())
        return False

    worker = Worker({"slow": slow_to_end}, PATIENT)
    worker.start()
    await begun.wait()
    first = asyncio.create_task(worker.stop())
    await asyncio.sleep(0.01)
    first.cancel()
    await asyncio.wait([first])
    asyncio.get_running_loop().call_later(0.05, go_on.set)
    await worker.stop()

    assert go_on.is_set()


async def test_a_step_is_never_run_twice_at_once() -> None:
    """Loop and settling take turns."""
    inside, most = 0, 0

    async def step() -> bool:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        await asyncio.sleep(0.001)
        inside -= 1
        return False

    worker = Worker({"step": step}, QUICK)
    worker.start()
    for _ in range(20):
        await worker.settle()
        worker.nudge()
    await worker.stop()

    assert 1 == most


async def test_no_task_is_left_behind(settings: Settings) -> None:
    """Opening and closing leaves the event loop as it was."""
    before = asyncio.all_tasks()
    async with Rememora.open(settings=settings) as rememora:
        await rememora.events.subscribe("mail", print)
        await rememora.user("ana", tenant="acme").conversation("c1").append("user", "oi")

    assert before == asyncio.all_tasks()


async def test_a_subscriber_added_later_is_served(settings: Settings) -> None:
    """In the background, with nobody settling, what is written is told."""
    heard: list[Event] = []
    async with Rememora.open(settings=settings) as rememora:
        await rememora.events.subscribe("mail", heard.append)
        await happen(rememora, "c1")
        await until(lambda: len(heard) == 1)

    assert ["conversation.deleted"] == [event.type for event in heard]


async def test_a_lease_that_is_let_go_keeps_no_cancellation(rememora: Rememora) -> None:
    """Closing may come in the very moment after a delivery: whoever relays hears it there too."""
    mail, parts = Subscriber(name="mail", listener=print), rememora._parts
    lease = Lease(
        store=parts.store, subscriber=mail, owner="me", settings=parts.settings.events, clock=parts.clock
    )
    go_on = asyncio.Event()

    async def relay() -> None:
        async with lease.renewed():
            await go_on.wait()
        await asyncio.Event().wait()

    relaying = asyncio.create_task(relay())
    await asyncio.sleep(0)
    go_on.set()
    await asyncio.sleep(0)
    relaying.cancel()
    async with asyncio.timeout(20):
        await asyncio.wait([relaying])

    assert relaying.cancelled()


async def test_closing_in_the_middle_of_a_delivery_forgets_nothing(settings: Settings) -> None:
    """An event whose delivery was cut short by closing is delivered after the next opening, without a wait."""
    begun = asyncio.Event()
    heard: list[int] = []

    async def hang(_: Event) -> None:
        begun.set()
        await asyncio.Event().wait()

    async def listen(event: Event) -> None:
        heard.append(event.position)

    async with Rememora.open(settings=settings) as rememora:
        await rememora.events.subscribe("mail", hang)
        await happen(rememora, "c1")
        await begun.wait()
    async with Rememora.open(settings=settings, background=False) as rememora:
        await rememora.events.subscribe("mail", listen)
        await rememora.settle()

    assert [1] == heard


ENDING = """
import asyncio, threading, time
from concurrent.futures import ThreadPoolExecutor
from rememora.settings import WorkerSettings
from rememora.worker import Worker

begun, looked = threading.Event(), threading.Event()

async def step():
    begun.set()
    try:
        await asyncio.to_thread(int)
    except RuntimeError:
        looked.set()
        raise
    return False

async def work():
    worker = Worker({"tell": step}, WorkerSettings(poll_seconds=0.01))
    worker.start()
    while True:
        await asyncio.sleep(0.01)
        worker.nudge()

threading.Thread(target=lambda: asyncio.run(work()), daemon=True).start()
begun.wait()
# The end of the process waits for this, and gives out no more threads meanwhile.
ThreadPoolExecutor(1).submit(looked.wait, 20)
"""


def test_a_process_that_ends_without_closing_says_nothing() -> None:
    """Steps fail for want of threads once the process is about to end: the loop ends, and warns of nothing."""
    done = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True, check=True, timeout=60)

    assert "" == done.stderr
