"""Tasks of one user: work that is handed to modules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from rememora.domain.message import Page
from rememora.domain.task import Task, TaskFilter, TaskFilterOptions, TaskOrder
from rememora.events import tasks
from rememora.handles.deprecated import OldCall
from rememora.handles.user.noun import UserNoun


class UserTasks(OldCall, UserNoun):
    """The work that was handed to modules for one user."""

    async def list(
        self, *, limit: int = 50, after: str | None = None, **filters: Unpack[TaskFilterOptions]
    ) -> Page[Task]:
        """List this user's tasks, newest first, filtered by status or module."""
        await self._look()
        return await tasks.page(self._parts.store, self._scope, TaskFilter(**filters), limit=limit, after=after)

    async def get(self, id: str) -> Task:
        """Return one task."""
        await self._look()
        return await tasks.get(self._parts.store, self._scope, id)

    async def delegate(
        self,
        module: str,
        kind: str,
        payload: Mapping[str, Any],
        *,
        correlation: str | None = None,
        key: str | None = None,
        conversation: str | None = None,
    ) -> Task:
        """Hand work to a module; with a `key` it is done once, however often it is requested."""
        scope = self._scope if conversation is None else self._scope.within(conversation)
        order = TaskOrder(module=module, kind=kind, payload=payload, correlation=correlation, key=key)
        store, clock = self._parts.store, self._parts.clock
        return await tasks.delegate(store, scope, order, modules=self._parts.modules, clock=clock)

    async def cancel(self, task: str) -> Task:
        """Cancel a task; a finished one stays as it is."""
        return await tasks.cancel(self._parts.store, self._scope, task, clock=self._parts.clock)
