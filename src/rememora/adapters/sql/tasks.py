"""Tasks in SQL: one row each, whose `due_at` says when a worker may take it, and is empty once it has ended."""

from __future__ import annotations

from datetime import datetime

import msgspec

from rememora.adapters.sql.columns import RowDecoder, from_json, of_person, or_none, to_micros
from rememora.adapters.sql.transaction import Repository
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope
from rememora.domain.task import Ending, Task, TaskDone, TaskFilter, TaskStatus
from rememora.domain.visibility import Reason


class SqlTasks(Repository):
    """Tasks that one user handed to modules, in SQL."""

    def add(self, scope: Scope, task: Task) -> bool:
        return self._tx.run("add_task", {**_columns(task), **of_person(scope)}) == 1

    def get(self, scope: Scope, id: str) -> Task | None:
        return self._find("task", {**of_person(scope), "id": id}, _task)

    def with_key(self, scope: Scope, key: str) -> Task | None:
        return self._find("task_with_key", {**of_person(scope), "key": key}, _task)

    def page(self, scope: Scope, filters: TaskFilter, *, limit: int, before: str | None = None) -> list[Task]:
        params = {**of_person(scope), **_narrowed(filters), "limit": limit, "before": before}
        return [_task(row) for row in self._tx.all("tasks_page", params)]

    def of_tenant(self, scope: Scope, filters: TaskFilter, *, limit: int, before: str | None = None) -> list[Task]:
        params = {"tenant": scope.tenant, **_narrowed(filters), "limit": limit, "before": before}
        return [_task(row) for row in self._tx.all("tasks_of_tenant", params)]

    def due(self, scope: Scope, module: str, *, now: datetime, limit: int) -> list[Task]:
        params = {"tenant": scope.tenant, "module": module, "now": to_micros(now), "limit": limit}
        return [_task(row) for row in self._tx.all("due_tasks_of_tenant", params)]

    def of_anybody(self, scope: Scope, id: str) -> Task | None:
        return self._find("task_of_tenant", {"tenant": scope.tenant, "id": id}, _task)

    def claim(self, scope: Scope, task: Task, *, owner: str, until: datetime) -> bool:
        seen = None if task.due_at is None else to_micros(task.due_at)
        lease = {"attempts": task.attempts, "seen": seen, "owner": owner, "until": to_micros(until)}
        return self._tx.run("claim_task", {**of_person(scope), "id": task.id, **lease}) == 1

    def renew(self, scope: Scope, id: str, *, owner: str, until: datetime) -> bool:
        lease = {"owner": owner, "until": to_micros(until)}
        return self._tx.run("renew_task", {**of_person(scope), "id": id, **lease}) == 1

    def postpone(self, scope: Scope, task: Task, *, owner: str, due_at: datetime, at: datetime) -> bool:
        times = {"due_at": to_micros(due_at), "at": to_micros(at)}
        stand = {"attempts": task.attempts, "error": task.error, "owner": owner}
        return self._tx.run("postpone_task", {**of_person(scope), "id": task.id, **stand, **times}) == 1

    def end(
        self, scope: Scope, id: str, *, status: TaskStatus, ending: Ending, at: datetime, owner: str | None
    ) -> bool:
        params = {**of_person(scope), "id": id, "status": status, **_ending(ending), "at": to_micros(at)}
        if owner is None:
            return self._tx.run("end_task_of_anybody", params) == 1
        return self._tx.run("end_task", {**params, "owner": owner}) == 1

    def unjudged(self, scope: Scope, *, limit: int) -> list[Task]:
        return [_task(row) for row in self._tx.all("unjudged_tasks", {**of_person(scope), "limit": limit})]

    def hide(self, scope: Scope, id: str, hidden: Reason | None) -> None:
        self._tx.send("hide_task", {**of_person(scope), "id": id, "hidden": hidden})

    def texts(self, scope: Scope, plan: ErasurePlan) -> list[str]:
        if not plan.person and plan.conversation is None:
            return []
        params = {**of_person(scope), "conversation": None if plan.person else plan.conversation}
        return [text for row in self._tx.all("task_texts", params) for text in row if text]

    def erase(self, scope: Scope, plan: ErasurePlan) -> int:
        if plan.person:
            return self._tx.run("erase_tasks", of_person(scope))
        if plan.conversation is None:
            return 0
        return self._tx.run("erase_conversation_tasks", {**of_person(scope), "conversation": plan.conversation})


class SqlTaskList(Repository):
    """The tasks of every tenant, in SQL."""

    def due(self, module: str, *, now: datetime, limit: int) -> list[Task]:
        params = {"module": module, "now": to_micros(now), "limit": limit}
        return [_task(row) for row in self._tx.all("due_tasks", params)]

    def waiting(self, module: str) -> int:
        return self._number("count_tasks", {"module": module})


def _narrowed(filters: TaskFilter) -> dict[str, object]:
    return {"status": filters.status, "module": filters.module}


def _ending(ending: Ending) -> dict[str, object]:
    if isinstance(ending, TaskDone):
        result = None if ending.result is None else msgspec.json.encode(ending.result).decode()
        return {"result": result, "summary": ending.summary, "error": None, "hidden": ending.hidden}
    return {"result": None, "summary": None, "error": ending.error, "hidden": None}


def _columns(task: Task) -> dict[str, object]:
    return {
        **msgspec.structs.asdict(task),
        "conversation": task.conversation or "",
        "payload": msgspec.json.encode(task.payload).decode(),
        "due_at": None if task.due_at is None else to_micros(task.due_at),
        "created_at": to_micros(task.created_at),
        "updated_at": to_micros(task.updated_at),
    }


# Columns in the order of the queries of tasks.
_task = RowDecoder(
    Task,
    "tenant user id conversation module kind payload correlation key status attempts due_at result summary error "
    "created_at updated_at hidden",
    conversation=or_none,
    payload=from_json,
    result=lambda text: None if text is None else from_json(text),
)
