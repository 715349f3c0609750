"""Keeps a number of worker processes: a dead one is replaced, with growing delays."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from multiprocessing.process import BaseProcess

from rememora.errors import Unavailable

logger = logging.getLogger(__name__)
STEADY_SECONDS = 30.0
PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.5, 10.0
DEATHS = 5
LOOK_SECONDS = 0.2
Begin = Callable[[], BaseProcess]
ExitHandler = Callable[[BaseProcess], None]


def pause_after(deaths: int) -> float:
    """Return the delay before the next start, after that many early deaths in a row."""
    return min(PAUSE_SECONDS * 2.0 ** (deaths - 1), LONGEST_PAUSE_SECONDS) if deaths else 0.0


class WorkerSlot:
    """State of one worker process, and the number of early deaths in a row."""

    def __init__(self, begin: Begin, on_exit: ExitHandler, *, pace: float) -> None:
        self._begin = begin
        self._on_exit = on_exit
        self._pace = pace
        self._deaths = 0
        self._due: float | None = None
        self._start()

    @property
    def worker(self) -> BaseProcess:
        """Return the current process, or the last one."""
        return self._worker

    @property
    def hopeless(self) -> bool:
        """Return whether so many early deaths in a row make another start hopeless."""
        return self._deaths >= DEATHS and not self._worker.is_alive()

    def look(self) -> None:
        """Replace the process if it has died and its delay is over."""
        now = time.monotonic()
        if self._due is not None:
            if now >= self._due:
                self._start()
        elif not self._worker.is_alive():
            self._on_exit(self._worker)
            self._count(now)

    def _start(self) -> None:
        self._due, self._since = None, time.monotonic()
        self._worker = self._begin()

    def _count(self, now: float) -> None:
        self._deaths = self._deaths + 1 if now - self._since < STEADY_SECONDS else 0
        logger.warning(
            "worker process %s ended with %s; starting another", self._worker.pid, self._worker.exitcode
        )
        self._due = now + pause_after(self._deaths) * self._pace


def keep(
    begin: Begin, count: int, *, on_exit: ExitHandler, stop_requests: Callable[[], int], pace: float = 1.0
) -> None:
    """Keep that many processes until `stop_requests` is 1, then stop them together; at 2 kill them.

    `on_exit` is called for each that died. If no worker can stay alive it gives up; while another one serves, a
    worker that keeps dying is restarted again and again.
    """
    places: list[WorkerSlot] = []
    pause = LOOK_SECONDS * min(1.0, pace)
    try:
        places += (WorkerSlot(begin, on_exit, pace=pace) for _ in range(count) if not stop_requests())
        while not stop_requests():
            for place in places:
                place.look()
            # A fault that stops every worker (a wrong setting, a store that is gone) is not healed by
            # restarting.
            _give_up_without_hope(places)
            time.sleep(pause)
        logger.info("stopping")
    finally:
        _stop([place.worker for place in places], in_a_hurry=lambda: stop_requests() > 1, pause=pause)


def _give_up_without_hope(places: Sequence[WorkerSlot]) -> None:
    if places and all(place.hopeless for place in places):
        raise Unavailable(
            f"worker processes exit right after starting, {DEATHS} in a row, "
            f"the last with exit code {places[-1].worker.exitcode}; "
            "see the log above, and run `rememora doctor`"
        )


def _stop(workers: Sequence[BaseProcess], *, in_a_hurry: Callable[[], bool], pause: float) -> None:
    for worker in workers:
        worker.terminate()
    while any(worker.is_alive() for worker in workers):
        if in_a_hurry():
            for worker in workers:
                worker.kill()
        time.sleep(pause)
