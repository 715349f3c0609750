"""A unit of work on its way between the caller's event loop and the thread that runs it, and its outcome back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from rememora.adapters.sql.transaction import Transaction

T = TypeVar("T")
Work = Callable[[Transaction], T]


class Job(NamedTuple):
    """A function for a thread to run, and the future that waits for it."""

    work: Work[Any]
    future: asyncio.Future[Any]
    loop: asyncio.AbstractEventLoop

    @classmethod
    def of(cls, work: Work[Any]) -> Job:
        """A job of the running event loop."""
        loop = asyncio.get_running_loop()
        return cls(work, loop.create_future(), loop)


class JobResult(NamedTuple):
    """Result of a job."""

    job: Job
    value: Any = None
    error: BaseException | None = None


def failed(jobs: Sequence[Job], error: BaseException) -> list[JobResult]:
    """The same failure for each of several jobs."""
    return [JobResult(job, error=error) for job in jobs]


def answer(outcomes: Sequence[JobResult]) -> None:
    """Hand the outcomes to their event loops, one call per loop."""
    for loop in {outcome.job.loop for outcome in outcomes}:
        mine = [outcome for outcome in outcomes if outcome.job.loop is loop]
        try:
            loop.call_soon_threadsafe(_settle, mine)
        except RuntimeError:
            # The caller's loop is closed: nobody waits for the answer any more.
            continue


def _settle(outcomes: Sequence[JobResult]) -> None:
    for job, value, error in outcomes:
        if job.future.done():
            continue
        if error is None:
            job.future.set_result(value)
        else:
            job.future.set_exception(error)
