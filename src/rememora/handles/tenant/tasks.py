"""Tasks of all users of one tenant, for the modules that do them."""

from __future__ import annotations

from typing import Any, Unpack

from rememora.domain.message import Page
from rememora.domain.task import HeldTask, Task, TaskDone, TaskFailed, TaskFilter, TaskFilterOptions
from rememora.events import tasks
from rememora.events.leases import TaskLeases
from rememora.handles.deprecated import OldCall
from rememora.handles.tenant.noun import TenantNoun


class TenantTasks(OldCall, TenantNoun):
    """The work of one tenant's modules: taken under a lease, then completed, failed or given back."""

    async def list(
        self, *, limit: int = 50, after: str | None = None, **wanted: Unpack[TaskFilterOptions]
    ) -> Page[Task]:
        """List the tasks of all users, newest first, without their content; `failed` tasks are final."""
        store, narrowed = self._parts.store, TaskFilter(**wanted)
        return await tasks.page(store, self._scope, narrowed, limit=limit, after=after, everybody=True)

    async def claim(self, module: str, *, seconds: float | None = None) -> HeldTask | None:
        """Take the work that has waited longest for a module, under a lease; None where nothing is due."""
        return await self._hold.claim(module, seconds=seconds)

    async def renew(self, id: str, *, lease: str, seconds: float | None = None) -> HeldTask:
        """Keep a task that is being worked on for longer."""
        return await self._hold.renew(id, lease, seconds=seconds)

    async def complete(self, id: str, *, lease: str, summary: str = "", result: Any = None) -> Task:
        """Complete a task; events may carry the one-line summary, the result stays with the task."""
        return await self._hold.complete(id, lease, TaskDone(summary=summary, result=result))

    async def fail(self, id: str, *, lease: str, error: str, retry: bool = False) -> Task:
        """A module did not do its work; `error` is a code, and `retry` lets it be tried again."""
        return await self._hold.fail(id, lease, TaskFailed(error=error), retry=retry)

    async def release(self, id: str, *, lease: str) -> Task:
        """Give a task back untried."""
        return await self._hold.give_back(id, lease)

    @property
    def _hold(self) -> TaskLeases:
        parts = self._parts
        return TaskLeases(
            store=parts.store,
            scope=self._scope,
            settings=parts.settings.tasks,
            clock=parts.clock,
            modules=self._modules,
        )
