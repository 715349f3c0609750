"""A stream of events that a client leaves ends once, however often it is told to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from rememora.server.sse import Sent, beating


async def slow_to_end(ended: list[str]) -> AsyncIterator[Sent]:
    """Stores something before it goes, as an answer that was cut short does."""
    try:
        yield Sent(event="first", value=1)
        await asyncio.Event().wait()
    finally:
        for _ in range(5):
            await asyncio.sleep(0)
        ended.append("stored")


@pytest.mark.parametrize("times", [1, 2, 4])
async def test_whoever_leaves_is_told_off_and_nothing_breaks(times: int) -> None:
    """A cancellation may be said again on every turn of the loop: what winds down is not closed a second time."""
    ended: list[str] = []
    heard: list[bytes] = []
    hear = heard.append

    async def listen() -> None:
        async for piece in beating(slow_to_end(ended)):
            hear(piece)

    listening = asyncio.create_task(listen())
    while not heard:
        await asyncio.sleep(0)
    for _ in range(times):
        listening.cancel()
        await asyncio.sleep(0)
    await asyncio.wait([listening])
    for _ in range(20):
        await asyncio.sleep(0)

    assert listening.cancelled()
    assert ["stored"] == ended
