"""Tasks done by an outside module: it claims a tenant's task under a lease, renews it, and ends it once.

The same rules apply as for a module served here: an abandoned task is due again, one with too many attempts
fails, and a module that lost the lease changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import msgspec

from rememora.domain.check import check_between, check_name
from rememora.domain.ids import new_id
from rememora.domain.retry import retry_at
from rememora.domain.scope import Scope
from rememora.domain.task import LOST, Ending, HeldTask, Task, TaskDone, TaskFailed, ending_of
from rememora.errors import Conflict, NotFound, RightMissing
from rememora.events.tasks import close, judged
from rememora.ports.outside import Clock
from rememora.ports.store import Store, UnitOfWork
from rememora.settings import TaskSettings

LOOK = 16
LONGEST_SECONDS = 3600.0
Act = Callable[[UnitOfWork, Task], bool]


class TaskLeases(msgspec.Struct, frozen=True, kw_only=True):
    """Leases on the tasks of one tenant."""

    store: Store
    scope: Scope
    settings: TaskSettings
    clock: Clock
    modules: frozenset[str] | None = None
    """Modules whose tasks may be claimed; by default all."""

    async def claim(self, module: str, *, seconds: float | None = None) -> HeldTask | None:
        """Claim the task that has waited longest; None if nothing is due."""
        check_name("module", module)
        if not self._may(module):
            raise RightMissing("work")
        until = self._until(seconds)
        return await self.store.write(self.scope, lambda work: self._claim(work, module, until))

    async def renew(self, id: str, lease: str, *, seconds: float | None = None) -> HeldTask:
        """Renew the lease of a task."""
        until = self._until(seconds)

        def renew(work: UnitOfWork, task: Task) -> bool:
            return work.tasks.renew(task.scope, task.id, owner=lease, until=until)

        return HeldTask(task=await self._held(id, lease, renew), lease=lease, until=until)

    async def complete(self, id: str, lease: str, done: TaskDone) -> Task:
        """Complete a task."""
        return await self._end(id, lease, judged(ending_of(done)))

    async def fail(self, id: str, lease: str, failed: TaskFailed, *, retry: bool) -> Task:
        """Fail a task; with `retry` it waits for another attempt, as long as any are left."""
        now = self.clock()

        def fail(work: UnitOfWork, task: Task) -> bool:
            if not retry or task.attempts >= self.settings.attempts:
                return close(work, task, failed, owner=lease, at=now)
            later = retry_at(now, task.attempts, self.settings)
            failed_task = msgspec.structs.replace(task, error=failed.error)
            return work.tasks.postpone(task.scope, failed_task, owner=lease, due_at=later, at=now)

        return await self._held(id, lease, fail)

    async def give_back(self, id: str, lease: str) -> Task:
        """Release a task, so that another worker can claim it at once; the attempt does not count."""
        now = self.clock()

        def give_back(work: UnitOfWork, task: Task) -> bool:
            untried = msgspec.structs.replace(task, attempts=max(0, task.attempts - 1))
            return work.tasks.postpone(task.scope, untried, owner=lease, due_at=now, at=now)

        return await self._held(id, lease, give_back)

    def _claim(self, work: UnitOfWork, module: str, until: datetime) -> HeldTask | None:
        now, lease = self.clock(), new_id()
        for seen in work.tasks.due(self.scope, module, now=now, limit=LOOK):
            if seen.attempts >= self.settings.attempts:
                # Its workers died as often as there are attempts.
                close(work, seen, TaskFailed(error=LOST), owner=None, at=now)
                continue
            task = msgspec.structs.replace(seen, attempts=seen.attempts + 1)
            if work.tasks.claim(task.scope, task, owner=lease, until=until):
                return HeldTask(task=_current(work, task), lease=lease, until=until)
        return None

    async def _end(self, id: str, lease: str, ending: Ending) -> Task:
        now = self.clock()
        return await self._held(id, lease, lambda work, task: close(work, task, ending, owner=lease, at=now))

    async def _held(self, id: str, lease: str, act: Act) -> Task:
        check_name("task", id)
        check_name("lease", lease)

        def run(work: UnitOfWork) -> Task:
            task = work.tasks.of_anybody(self.scope, id)
            if task is None or not self._may(task.module):
                raise NotFound("task", id)
            if not act(work, task):
                raise Conflict("this lease no longer holds the task")
            return _current(work, task)

        return await self.store.write(self.scope, run)

    def _may(self, module: str) -> bool:
        return self.modules is None or module in self.modules

    def _until(self, seconds: float | None) -> datetime:
        if seconds is not None:
            check_between("seconds", seconds, 1, LONGEST_SECONDS)
        return self.clock() + timedelta(seconds=self.settings.lease_seconds if seconds is None else seconds)


def _current(work: UnitOfWork, task: Task) -> Task:
    return work.tasks.get(task.scope, task.id) or task
