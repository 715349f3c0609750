"""How tasks end: whoever is cancelled while it waits for another is cancelled, whatever becomes of the other."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from rememora.cancellation import cancel_and_wait, is_cancelled, run_to_end, wait_for_end


async def slow_to_end(turns: int = 5) -> None:
    """Cancelled, it still takes some turns of the loop."""
    try:
        await asyncio.Event().wait()
    finally:
        for _ in range(turns):
            await asyncio.sleep(0)


async def deaf() -> str:
    """Keeps a cancellation to itself."""
    with suppress(asyncio.CancelledError):
        await asyncio.Event().wait()
    return "done"


async def turn() -> None:
    """Let everybody who is ready take one step."""
    await asyncio.sleep(0)


@pytest.mark.parametrize("meanwhile", [slow_to_end, deaf])
@pytest.mark.parametrize("turns", range(1, 7))
async def test_whoever_is_cancelled_while_it_ends_another_is(
    meanwhile: Callable[[], Awaitable[object]], turns: int
) -> None:
    """At every turn of the other's end; what stands behind it is never reached by one who was told to stop."""
    other = asyncio.ensure_future(meanwhile())
    reached: list[bool] = []

    async def live() -> None:
        await cancel_and_wait(other)
        reached.append(True)

    living = asyncio.create_task(live())
    for _ in range(turns):
        await turn()
    cancelled = living.cancel()
    await asyncio.wait([living, other])

    assert living.cancelled() is cancelled is (not reached)


async def test_an_end_tells_of_a_failure() -> None:
    """What runs beside may have failed before anybody ended it, or while it ends."""

    async def fail() -> None:
        raise ZeroDivisionError

    failed = asyncio.ensure_future(fail())
    await turn()
    with pytest.raises(ZeroDivisionError):
        await cancel_and_wait(failed)
    with pytest.raises(ZeroDivisionError):
        await wait_for_end(asyncio.ensure_future(fail()))


async def test_who_was_cancelled_stays_until_the_work_is_done() -> None:
    """And is cancelled then, also where the work failed."""
    go_on, done = asyncio.Event(), []

    async def work(failing: bool) -> None:
        await go_on.wait()
        done.append(failing)
        if failing:
            raise ZeroDivisionError

    waiting = [asyncio.create_task(run_to_end(work(failing))) for failing in (False, True)]
    await turn()
    await turn()
    for item in waiting:
        item.cancel()
    await turn()
    still = [entry.done() for entry in waiting]
    go_on.set()
    await asyncio.wait(waiting)

    assert ([False, False], [False, True]) == (still, done)
    assert [True, True] == [entry.cancelled() for entry in waiting]


@pytest.mark.parametrize("failing", [False, True])
async def test_who_is_cancelled_again_stays_all_the_same(failing: bool, caplog: pytest.LogCaptureFixture) -> None:
    """What is worked on is not the caller's alone; and what failed is logged by nobody."""
    go_on = asyncio.Event()

    async def work() -> None:
        await go_on.wait()
        if failing:
            raise ValueError("a secret")

    waiting = asyncio.create_task(run_to_end(work()))
    for _ in range(3):
        await turn()
        waiting.cancel()
    await turn()
    early = waiting.done()
    go_on.set()
    await asyncio.wait([waiting])
    gc.collect()

    assert (False, True) == (early, waiting.cancelled())
    assert "secret" not in caplog.text


async def test_only_whoever_was_told_is_ending() -> None:
    """Somebody else's cancellation is a failure like any other."""
    left = asyncio.ensure_future(asyncio.Event().wait())
    left.cancel()
    with pytest.raises(asyncio.CancelledError) as others:
        await left

    items: list[bool] = []

    async def live() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as error:
            items.append(is_cancelled(error))

    living = asyncio.create_task(live())
    await turn()
    living.cancel()
    await asyncio.wait([living])

    assert (False, [True]) == (is_cancelled(others.value), items)
