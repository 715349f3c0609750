"""Runs the tasks of a module: claims one under a lease, renews it during the work, and ends it once.

The work itself may run more than once (a worker can die after the effect and before the record), so it must
deduplicate by the task's id; the events about the task are published once.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta

import msgspec

from rememora.cancellation import cancel_and_wait, is_cancelled
from rememora.domain.ids import new_id
from rememora.domain.retry import retry_at
from rememora.domain.task import LOST, Ending, Task, TaskFailed, ending_of
from rememora.errors import RememoraError, Unavailable
from rememora.events.tasks import close, judged
from rememora.ports.outside import Clock
from rememora.ports.store import Store, UnitOfWork
from rememora.settings import TaskSettings

logger = logging.getLogger(__name__)

Work = Callable[[Task], Awaitable[object] | object]
"""Async or plain; a plain one runs on a thread of its own. It returns nothing, a one-line summary, `Done`, or
`TaskFailed` if retrying would not help; any exception is retried."""

LOOK = 16
HEARTBEATS = 3


class Drain(msgspec.Struct, frozen=True, kw_only=True):
    """One module's work, and its dependencies."""

    store: Store
    module: str
    work: Work
    settings: TaskSettings
    clock: Clock

    async def step(self) -> bool:
        """Do one task; False when none is due."""
        owner = new_id()
        task = await self._take(owner)
        if task is None:
            return False
        if task.attempts > self.settings.attempts:
            # Its workers died as often as there are attempts.
            held = msgspec.structs.replace(task, attempts=self.settings.attempts)
            await self._end(held, TaskFailed(error=LOST), owner)
            return True
        try:
            outcome = await self._attend(task, owner)
        except asyncio.CancelledError:
            await self._give_back(task, owner)
            raise
        await self._record(task, outcome, owner)
        return True

    async def _take(self, owner: str) -> Task | None:
        due = await self.store.tasks(lambda view: view.due(self.module, now=self.clock(), limit=LOOK))
        for seen in due:
            task = msgspec.structs.replace(seen, attempts=seen.attempts + 1)
            if await self.store.write(task.scope, self._claim(task, owner)):
                return task
        return None

    def _claim(self, task: Task, owner: str) -> Callable[[UnitOfWork], bool]:
        return lambda work: work.tasks.claim(task.scope, task, owner=owner, until=self._until())

    async def _attend(self, task: Task, owner: str) -> Ending | BaseException | None:
        """Make one attempt: return an ending, an error, or None if the task was taken away."""
        trying = asyncio.create_task(call(self.work, task))
        async with self._kept(task, owner, trying) as beat:
            try:
                async with asyncio.timeout(self.settings.work_seconds):
                    return judged(ending_of(await trying))
            except (Exception, asyncio.CancelledError) as error:
                if is_cancelled(error):
                    raise
                # Work is somebody else's code: whatever it raises is a failed try, never the worker's end.
                return None if beat.done() else error

    @asynccontextmanager
    async def _kept(
        self, task: Task, owner: str, trying: asyncio.Task[object]
    ) -> AsyncIterator[asyncio.Task[None]]:
        """Renew the lease while the work runs; the renewing task ends by itself only if the lease is lost."""
        beat = asyncio.create_task(self._beat(task, owner, trying))
        try:
            yield beat
        finally:
            await cancel_and_wait(beat)

    async def _beat(self, task: Task, owner: str, trying: asyncio.Task[object]) -> None:
        while True:
            await asyncio.sleep(self.settings.lease_seconds / HEARTBEATS)
            # A store that is away for a moment takes nothing from anybody.
            with suppress(Unavailable):
                if not await self._renew(task, owner):
                    trying.cancel()
                    return

    async def _renew(self, task: Task, owner: str) -> bool:
        return await self.store.write(
            task.scope, lambda work: work.tasks.renew(task.scope, task.id, owner=owner, until=self._until())
        )

    async def _record(self, task: Task, outcome: Ending | BaseException | None, owner: str) -> None:
        if outcome is None:
            return
        if not isinstance(outcome, BaseException):
            await self._end(task, outcome, owner)
            return
        code = error_code(outcome)
        logger.warning("task %s of %s failed, try %d: %s", task.id, task.module, task.attempts, code)
        if task.attempts >= self.settings.attempts:
            await self._end(task, TaskFailed(error=code), owner)
            return
        later = retry_at(self.clock(), task.attempts, self.settings)
        await self._postpone(msgspec.structs.replace(task, error=code), owner, later)

    async def _end(self, task: Task, ending: Ending, owner: str) -> None:
        await self.store.write(task.scope, lambda work: close(work, task, ending, owner=owner, at=self.clock()))

    async def _give_back(self, task: Task, owner: str) -> None:
        """Release the task because the worker stops: the attempt does not count, and another may start at once."""
        untried = msgspec.structs.replace(task, attempts=task.attempts - 1)
        await self._postpone(untried, owner, self.clock())

    async def _postpone(self, task: Task, owner: str, due_at: datetime) -> None:
        await self.store.write(
            task.scope,
            lambda work: work.tasks.postpone(task.scope, task, owner=owner, due_at=due_at, at=self.clock()),
        )

    def _until(self) -> datetime:
        return self.clock() + timedelta(seconds=self.settings.lease_seconds)


def error_code(error: BaseException) -> str:
    """Return the public name of an error: its code or its type, because its message may contain content."""
    return error.code if isinstance(error, RememoraError) else type(error).__name__


async def call(work: Work, task: Task) -> object:
    """Call the work, async or plain, and return its result."""
    if inspect.iscoroutinefunction(work):
        return await work(task)
    answer = await asyncio.to_thread(work, task)
    return await answer if inspect.isawaitable(answer) else answer
