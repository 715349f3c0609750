"""Cancellation of tasks: cancel and wait, wait only, or finish the work first.

A task that awaits another directly may take its own cancellation for the other's, and miss it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


def is_cancelled(error: BaseException) -> bool:
    """Return whether the running task itself was cancelled, not only a task that it waited for."""
    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0


async def cancel_and_wait(task: asyncio.Future[T]) -> None:
    """Cancel a background task and raise its failure; a cancellation of the caller is raised as well."""
    task.cancel()
    await wait_for_end(task)


async def wait_for_end(task: asyncio.Future[T]) -> None:
    """Wait for the end of a background task, and raise its failure."""
    await asyncio.wait([task])
    if not task.cancelled():
        task.result()


async def run_to_end(work: Awaitable[T]) -> T:
    """Run `work` to its end even if the caller is cancelled; the cancellation is raised afterwards."""
    task, left = asyncio.ensure_future(work), None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            left = error
    if left is None:
        return task.result()
    if not task.cancelled():
        # The caller has left; without this, asyncio would log the failure with its message, which may be personal.
        task.exception()
    raise left
