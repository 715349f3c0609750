"""Port of tasks: work handed to modules, claimed under a lease, ended once."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope
from rememora.domain.task import Ending, Task, TaskFilter, TaskStatus
from rememora.domain.visibility import Reason
from rememora.ports.erasable import Erasable


class Tasks(Erasable, Protocol):
    """Tasks that one user handed to modules."""

    def add(self, scope: Scope, task: Task) -> bool:
        """Store a task; False if the user already has one under its key."""

    def get(self, scope: Scope, id: str) -> Task | None: ...

    def with_key(self, scope: Scope, key: str) -> Task | None: ...

    def page(self, scope: Scope, filters: TaskFilter, *, limit: int, before: str | None = None) -> list[Task]:
        """List the user's tasks with an id below `before`, newest first."""

    def of_tenant(self, scope: Scope, filters: TaskFilter, *, limit: int, before: str | None = None) -> list[Task]:
        """List the tasks of every user of the tenant in the same way."""

    def due(self, scope: Scope, module: str, *, now: datetime, limit: int) -> list[Task]:
        """List the tenant's tasks that a module may claim, the longest waiting first."""

    def of_anybody(self, scope: Scope, id: str) -> Task | None:
        """Return a task of any user of the tenant."""

    def claim(self, scope: Scope, task: Task, *, owner: str, until: datetime) -> bool:
        """Claim a task in the state it was seen in, with its attempts as given; False when somebody was faster."""

    def renew(self, scope: Scope, id: str, *, owner: str, until: datetime) -> bool:
        """Renew the lease; False if the task was cancelled or claimed by somebody else."""

    def postpone(self, scope: Scope, task: Task, *, owner: str, due_at: datetime, at: datetime) -> bool:
        """Return a task to the queue, with its attempts and error as given; False if the owner lost it."""

    def end(
        self, scope: Scope, id: str, *, status: TaskStatus, ending: Ending, at: datetime, owner: str | None
    ) -> bool:
        """End the task, held by `owner` or, for None, by anyone; False if it has ended or was taken over."""

    def unjudged(self, scope: Scope, *, limit: int) -> list[Task]:
        """List tasks that were stored before visibility was decided at writing."""

    def hide(self, scope: Scope, id: str, hidden: Reason | None) -> None:
        """Set the reason for hiding a task's content; None makes it visible."""

    def texts(self, scope: Scope, plan: ErasurePlan) -> list[str]:
        """Return the texts that an erasure removes, for the search of the files."""


class TaskList(Protocol):
    """An operator's view: the tasks of every tenant, read-only."""

    def due(self, module: str, *, now: datetime, limit: int) -> list[Task]:
        """List tasks that wait for this module or were abandoned by a worker, the longest waiting first."""

    def waiting(self, module: str) -> int:
        """Count the unfinished tasks."""
