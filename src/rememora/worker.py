"""The background loops: work that writes leave is done here, and repeated after a crash.

Each loop repeats one step. A step says whether more work remains; an idle loop sleeps until something is written
here, or until it is time to look for another process's work. A failing step is retried with growing delays.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

from rememora.settings import WorkerSettings

logger = logging.getLogger(__name__)

Step = Callable[[], Awaitable[bool]]
"""Does a limited amount of work; True if more remains."""

GATHER_SECONDS = 0.02
LONGEST_PAUSE_SECONDS = 60.0
DOUBLINGS = 20


class Worker:
    """Runs named steps until it is stopped."""

    def __init__(self, steps: Mapping[str, Step], settings: WorkerSettings) -> None:
        self._steps = dict(steps)
        self._settling: dict[str, Step] = {}
        self._settings = settings
        self._bells: dict[str, asyncio.Event] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._turns: dict[str, asyncio.Lock] = {name: asyncio.Lock() for name in steps}
        self._running = False

    @property
    def running(self) -> bool:
        """Return whether loops run, or would run as soon as there is a step."""
        return self._running

    def add(self, name: str, step: Step, *, settling: Step | None = None) -> None:
        """Add a loop, which starts at once if the others run; `settling` is its step for `settle`."""
        self._steps[name] = step
        self._settling[name] = settling or step
        self._turns[name] = asyncio.Lock()
        if self.running:
            self._begin(name)

    def start(self) -> None:
        """Start every loop; each first looks for work left by an earlier run."""
        self._running = True
        for name in self._steps:
            self._begin(name)

    def nudge(self) -> None:
        """Wake the loops, because something was written."""
        for bell in self._bells.values():
            bell.set()

    async def settle(self) -> None:
        """Run the steps until none finds work; a failing step raises here."""
        busy = True
        while busy:
            busy = False
            for name in list(self._steps):
                while await self._turn(name, self._settling.get(name, self._steps[name])):
                    busy = True

    async def stop(self) -> None:
        """Stop every loop between two steps, or inside a step that is cancellable."""
        self._running = False
        for task in self._tasks.values():
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks.values())
        self._tasks.clear()

    def _begin(self, name: str) -> None:
        if name not in self._tasks:
            self._bells[name] = asyncio.Event()
            self._tasks[name] = asyncio.create_task(self._loop(name), name=f"rememora-{name}")

    async def _turn(self, name: str, step: Step) -> bool:
        async with self._turns[name]:
            return await step()

    async def _loop(self, name: str) -> None:
        failures = 0
        # Not only until it is cancelled: a step calls code that is not ours, which may keep that to itself.
        while self._running:
            try:
                more = await self._turn(name, self._steps[name])
                failures = 0
            except Exception as error:
                # A loop outlives whatever its step meets: the store may be away, a model may be down.
                if self._ends_with(error):
                    # A step that was stopped halfway fails of that, which is no news.
                    return
                failures += 1
                more = False
                logger.warning("%s failed %d times in a row: %s", name, failures, type(error).__name__)
            if not more and self._running:
                await self._pause(name, failures)

    def _ends_with(self, error: Exception) -> bool:
        """Return whether the loops are to end: they are stopped, or the process gives out no more threads.

        The end of a process waits for the threads that work, so that its loops may run on for a while. Python says
        this by no type of its own: the texts of `concurrent.futures`, `asyncio` and `threading` have the word.
        """
        return not self._running or (isinstance(error, RuntimeError) and "shutdown" in str(error))

    async def _pause(self, name: str, failures: int) -> None:
        if failures:
            await asyncio.sleep(pause_seconds(failures, self._settings))
            return
        bell = self._bells[name]
        with suppress(TimeoutError):
            async with asyncio.timeout(self._settings.poll_seconds):
                await bell.wait()
            # Writes come in bursts: one look serves all of them.
            await asyncio.sleep(GATHER_SECONDS)
        bell.clear()


def pause_seconds(failures: int, settings: WorkerSettings) -> float:
    """Return the pause after that many failures in a row: it doubles each time, up to a limit."""
    doublings = min(failures, DOUBLINGS)
    return min(settings.poll_seconds * 2.0**doublings, LONGEST_PAUSE_SECONDS)


def paced(step: Step, seconds: float) -> Step:
    """Return a step that acts at most once in that many seconds, however often its loop runs."""
    last = -math.inf

    async def act() -> bool:
        nonlocal last
        now = time.monotonic()
        if now - last < seconds:
            return False
        last = now
        return await step()

    return act
