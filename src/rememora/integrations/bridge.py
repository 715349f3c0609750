"""Calls from a framework's threads, with or without an event loop, into an open memory."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from rememora.app import Rememora
from rememora.sync import SyncRememora

T = TypeVar("T")


class Bridge:
    """Runs verbs of a memory for callers with `await` and for callers without it.

    Over `Rememora`, which belongs to the event loop it was opened in, plain calls work from other threads; over
    `SyncRememora`, which has a loop of its own, they work everywhere.
    """

    def __init__(self, memory: Rememora | SyncRememora) -> None:
        self._portal = memory._portal if isinstance(memory, SyncRememora) else None
        self.memory = memory._inner if isinstance(memory, SyncRememora) else memory
        self._loop = None if self._portal is not None else _running_loop()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for a verb, from a thread that has no event loop."""
        if self._portal is not None:
            return self._portal.run(work)
        loop = self._loop
        if loop is None or _running_loop() is loop or not loop.is_running():
            work.close()
            raise asyncio.InvalidStateError(
                "a plain call needs SyncRememora, or another thread than the one of the memory's event loop; "
                "here, use the method with await"
            )
        return asyncio.run_coroutine_threadsafe(work, loop).result()

    async def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Await a verb, from any event loop."""
        home = self._portal._loop if self._portal is not None else self._loop
        if home is None or home is asyncio.get_running_loop():
            self._loop = self._loop or asyncio.get_running_loop()
            return await work
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, home))


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
