"""How tasks end: asked to, left by whom they waited for, or not before their work is done.

A task that waits for another by `await` alone, and takes a cancellation for the other's, may not hear its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


def is_ending(error: BaseException) -> bool:
    """Whether the running task was asked to stop, and not only something that it waited for."""
    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0


async def end(beside: asyncio.Future[T]) -> None:
    """Stop what runs beside the running task, and raise what it failed of; whoever is cancelled meanwhile, is."""
    beside.cancel()
    await ended(beside)


async def ended(beside: asyncio.Future[T]) -> None:
    """Wait for the end of what runs beside the running task, and raise what it failed of."""
    await asyncio.wait([beside])
    if not beside.cancelled():
        beside.result()


async def through(work: Awaitable[T]) -> T:
    """What comes of `work`; whoever is cancelled meanwhile, however often, waits for its end, and then is."""
    task, left = asyncio.ensure_future(work), None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            left = error
    if left is None:
        return task.result()
    if not task.cancelled():
        # Whoever would be told of a failure has left; untold, asyncio would log it, words and all.
        task.exception()
    raise left
