"""A task that is broken off: asked to stop itself, or left by somebody it waited for."""

from __future__ import annotations

import asyncio


def is_ending(error: BaseException) -> bool:
    """Whether the running task was asked to stop, and not only something that it waited for."""
    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0
