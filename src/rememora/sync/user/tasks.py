"""`UserTasks` without `await`; `make sync` writes this file from `handles/user/tasks.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from rememora.domain.message import Page
from rememora.domain.task import Task, TaskFilterOptions
from rememora.handles.deprecated import OldCall
from rememora.handles.user import tasks as wrapped
from rememora.portal import Portal


class SyncUserTasks(OldCall):
    """The work that was handed to modules for one user."""

    def __init__(self, portal: Portal, inner: wrapped.UserTasks) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    def list(
        self, *, limit: int = 50, after: str | None = None, **wanted: Unpack[TaskFilterOptions]
    ) -> Page[Task]:
        """List this user's tasks, newest first, filtered by status or module."""
        return self._portal.run(self._inner.list(limit=limit, after=after, **wanted))

    def get(self, id: str) -> Task:
        """Return one task."""
        return self._portal.run(self._inner.get(id))

    def delegate(
        self,
        module: str,
        kind: str,
        payload: Mapping[str, Any],
        *,
        correlation: str | None = None,
        key: str | None = None,
        conversation: str | None = None,
    ) -> Task:
        """Hand work to a module; under a `key` it is done once, however often it is asked for."""
        return self._portal.run(
            self._inner.delegate(
                module, kind, payload, correlation=correlation, key=key, conversation=conversation
            )
        )

    def cancel(self, task: str) -> Task:
        """Take work back; what has ended already stays as it ended."""
        return self._portal.run(self._inner.cancel(task))
