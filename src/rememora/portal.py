"""An event loop on a thread of its own, through which plain code calls the async verbs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Iterator
from typing import Any, TypeVar

from rememora.errors import StoreForked, StoreUnavailable, UsageError
from rememora.forked import ProcessGuard

T = TypeVar("T")
_END: Any = object()


async def _next(source: AsyncIterator[T]) -> T:
    return await anext(source, _END)


async def _end(source: AsyncGenerator[T, None]) -> None:
    await source.aclose()


class Portal:
    """Runs coroutines for threads that have no event loop."""

    def __init__(self) -> None:
        self._birthplace = ProcessGuard()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="rememora-portal", daemon=True)
        self._thread.start()

    @property
    def closed(self) -> bool:
        """Return whether the loop has been stopped."""
        return self._loop.is_closed()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for the result of `work`."""
        if self._birthplace.left:
            work.close()
            raise StoreForked
        if self.closed:
            work.close()
            raise StoreUnavailable("the store is not open")
        if threading.current_thread() is self._thread:
            work.close()
            raise UsageError("a verb of SyncRememora was called from inside its own event loop")
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def iterate(self, source: AsyncIterator[T]) -> Iterator[T]:
        """Yield the items of `source`, waiting for each; closing early closes it too."""
        try:
            while (item := self.run(_next(source))) is not _END:
                yield item
        finally:
            if isinstance(source, AsyncGenerator):
                self.run(_end(source))

    def close(self) -> None:
        """Stop the loop and its thread."""
        if self.closed or self._birthplace.left:
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
