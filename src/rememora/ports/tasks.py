"""The seam of tasks: work handed to modules, taken under a lease, ended once."""

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
        """Store a task; False when the user has one under its key."""
        ...

    def get(self, scope: Scope, id: str) -> Task | None: ...

    def with_key(self, scope: Scope, key: str) -> Task | None: ...

    def page(self, scope: Scope, filters: TaskFilter, *, limit: int, before: str | None = None) -> list[Task]:
        """The user's tasks with an id below `before`, newest first."""
        ...

    def of_tenant(self, scope: Scope, filters: TaskFilter, *, limit: int, before: str | None = None) -> list[Task]:
        """The same for every user of the tenant."""
        ...

    def due(self, scope: Scope, module: str, *, now: datetime, limit: int) -> list[Task]:
        """The tenant's tasks that a module may take, the longest waiting first."""
        ...

    def of_anybody(self, scope: Scope, id: str) -> Task | None:
        """Return a task of any user of the tenant."""
        ...

    def claim(self, scope: Scope, task: Task, *, owner: str, until: datetime) -> bool:
        """Take a task as it was seen, with its attempts as given; False when somebody was faster."""
        ...

    def renew(self, scope: Scope, id: str, *, owner: str, until: datetime) -> bool:
        """Keep it; False once it was cancelled, or somebody else has had it."""
        ...

    def postpone(self, scope: Scope, task: Task, *, owner: str, due_at: datetime, at: datetime) -> bool:
        """Let it wait, with its attempts and error as given; False when it is the owner's no longer."""
        ...

    def end(
        self, scope: Scope, id: str, *, status: TaskStatus, ending: Ending, at: datetime, owner: str | None
    ) -> bool:
        """End the task, held by `owner` or, for None, by anyone; False when it has ended or was taken away."""
        ...

    def unjudged(self, scope: Scope, *, limit: int) -> list[Task]:
        """Those that were stored before visibility was decided at writing."""
        ...

    def hide(self, scope: Scope, id: str, hidden: Reason | None) -> None:
        """Set why a task's content is hidden; None makes it visible."""
        ...

    def texts(self, scope: Scope, plan: ErasurePlan) -> list[str]:
        """Return the texts that an erasure removes, for the search of the files."""
        ...


class TaskList(Protocol):
    """An operator's view: the tasks of every tenant, to be looked through and no more."""

    def due(self, module: str, *, now: datetime, limit: int) -> list[Task]:
        """Those that wait for this module or were abandoned by a worker, the longest waiting first."""
        ...

    def waiting(self, module: str) -> int:
        """Count the unfinished tasks."""
        ...
