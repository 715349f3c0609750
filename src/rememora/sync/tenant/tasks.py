"""`TenantTasks` without `await`; `make sync` writes this file from `handles/tenant/tasks.py`."""

from __future__ import annotations

from typing import Any, Unpack

from rememora.domain.message import Page
from rememora.domain.task import HeldTask, Task, TaskFilterOptions
from rememora.handles.deprecated import OldCall
from rememora.handles.tenant import tasks as wrapped
from rememora.portal import Portal


class SyncTenantTasks(OldCall):
    """The work of one tenant's modules: taken under a lease, then completed, failed or given back."""

    def __init__(self, portal: Portal, inner: wrapped.TenantTasks) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    def list(
        self, *, limit: int = 50, after: str | None = None, **wanted: Unpack[TaskFilterOptions]
    ) -> Page[Task]:
        """List the tasks of all users, newest first, without their content; `failed` tasks are final."""
        return self._portal.run(self._inner.list(limit=limit, after=after, **wanted))

    def claim(self, module: str, *, seconds: float | None = None) -> HeldTask | None:
        """Take the work that has waited longest for a module, under a lease; None where nothing is due."""
        return self._portal.run(self._inner.claim(module, seconds=seconds))

    def renew(self, id: str, *, lease: str, seconds: float | None = None) -> HeldTask:
        """Keep a task that is being worked on for longer."""
        return self._portal.run(self._inner.renew(id, lease=lease, seconds=seconds))

    def complete(self, id: str, *, lease: str, summary: str = "", result: Any = None) -> Task:
        """Complete a task; events may carry the one-line summary, the result stays with the task."""
        return self._portal.run(self._inner.complete(id, lease=lease, summary=summary, result=result))

    def fail(self, id: str, *, lease: str, error: str, retry: bool = False) -> Task:
        """A module did not do its work; `error` is a code, and `retry` lets it be tried again."""
        return self._portal.run(self._inner.fail(id, lease=lease, error=error, retry=retry))

    def release(self, id: str, *, lease: str) -> Task:
        """Give a task back untried."""
        return self._portal.run(self._inner.release(id, lease=lease))
