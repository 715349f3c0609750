"""Tasks for modules: the order, its state, and its result."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, TypedDict

import msgspec

from rememora.domain.check import check_json, check_name
from rememora.domain.event import (
    CrmDelegationFailed,
    CrmDelegationSent,
    ModuleTaskCompleted,
    ModuleTaskCreated,
    ModuleTaskFailed,
    Payload,
)
from rememora.domain.modules import CRM
from rememora.domain.scope import Scope
from rememora.domain.visibility import Reason
from rememora.errors import InvalidInput

TaskStatus = Literal["waiting", "running", "completed", "failed", "cancelled"]
STATUSES: tuple[TaskStatus, ...] = ("waiting", "running", "completed", "failed", "cancelled")
SUMMARY_CHARACTERS = 280
CANCELLED = "cancelled"
LOST = "worker_lost"
BAD_RESULT = "bad_result"


class TaskOrder(msgspec.Struct, frozen=True, kw_only=True):
    """An order to a module; with a `key` it is carried out once, however often it is sent."""

    module: str
    kind: str
    payload: Mapping[str, Any]
    correlation: str | None = None
    key: str | None = None

    def __post_init__(self) -> None:
        for field in ("correlation", "key"):
            if getattr(self, field) is not None:
                check_name(field, getattr(self, field))


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One task of a module; a worker deduplicates its effects by `id`."""

    id: str
    tenant: str
    user: str
    conversation: str | None = None
    module: str
    kind: str
    payload: Mapping[str, Any]
    correlation: str
    key: str | None = None
    status: TaskStatus = "waiting"
    attempts: int = 0
    due_at: datetime | None = None
    """Time at which it may be claimed next; while it runs, time at which it counts as abandoned."""
    result: Any = None
    summary: str | None = None
    error: str | None = None
    created_at: datetime
    updated_at: datetime
    hidden: Reason | None = None
    """The reason why its content is hidden from models."""

    @property
    def scope(self) -> Scope:
        """Return the scope of the task's owner."""
        return Scope(self.tenant, self.user, self.conversation)

    @property
    def ended(self) -> bool:
        """Return whether the task is finished for good."""
        return self.status not in ("waiting", "running")

    def is_order(self, order: TaskOrder, payload: Mapping[str, Any]) -> bool:
        """Return whether this task was made from that order."""
        return (self.module, self.kind, self.payload) == (order.module, order.kind, payload)

    def without_content(self) -> Task:
        """Return the task with its state only, without its content."""
        return msgspec.structs.replace(self, payload={}, result=None, summary=None)


class TaskFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Filter on tasks; an unset field means any."""

    status: TaskStatus | None = None
    module: str | None = None

    def __post_init__(self) -> None:
        if self.status is not None and self.status not in STATUSES:
            raise InvalidInput("status", f"must be one of {', '.join(STATUSES)}")


class TaskFilterOptions(TypedDict, total=False):
    """Optional arguments that filter a list of tasks."""

    status: TaskStatus | None
    module: str | None


class HeldTask(msgspec.Struct, frozen=True, kw_only=True):
    """A claimed task: `lease` is needed to renew and to end it."""

    task: Task
    lease: str
    until: datetime


class TaskDone(msgspec.Struct, frozen=True, kw_only=True):
    """The task is done; events may carry the one-line summary, the result stays with the task."""

    summary: str = ""
    result: Any = None
    hidden: Reason | None = None
    """The reason why summary and result are hidden from models and left out of events."""


class TaskFailed(msgspec.Struct, frozen=True, kw_only=True):
    """The task cannot be done, and retrying would not help; `error` is a code, never content."""

    error: str

    def __post_init__(self) -> None:
        check_name("error", self.error)


Ending = TaskDone | TaskFailed


def ending_of(answer: object) -> Ending:
    """Interpret a worker's answer: nothing, a line of text, or an explicit result."""
    if isinstance(answer, TaskFailed):
        return answer
    done = answer if isinstance(answer, TaskDone) else TaskDone(summary=answer if isinstance(answer, str) else "")
    if not isinstance(answer, TaskDone | str | None):
        done = TaskDone(result=answer)
    try:
        check_json("result", done.result)
    except InvalidInput:
        # The work was done: doing it again would do it twice, and bring no better result.
        return TaskFailed(error=BAD_RESULT)
    return msgspec.structs.replace(done, summary=one_line(done.summary))


def one_line(text: str) -> str:
    """Shorten a summary for events: one line, bounded."""
    plain = "".join(char if char.isprintable() else " " for char in text[: SUMMARY_CHARACTERS * 4])
    return " ".join(plain.split())[:SUMMARY_CHARACTERS]


def creation_payload(task: Task) -> Payload:
    """Build the payload of the event for a new task."""
    return ModuleTaskCreated(task_id=task.id, correlation_id=task.correlation, module=task.module, kind=task.kind)


def ending_payloads(task: Task, ending: Ending) -> list[Payload]:
    """Build the payloads of the events for a finished task: its end and, for the CRM, its delegation."""
    named = {"task_id": task.id, "correlation_id": task.correlation}
    about = {**named, "module": task.module, "kind": task.kind}
    if isinstance(ending, TaskDone):
        payloads: list[Payload] = [ModuleTaskCompleted(**about, attempts=task.attempts)]
        summary = "" if ending.hidden else ending.summary
        sent = CrmDelegationSent(**named, tenant_id=task.tenant, result_summary=summary)
        return [*payloads, sent] if task.module == CRM else payloads
    payloads = [ModuleTaskFailed(**about, attempts=task.attempts, error_code=ending.error)]
    failed = CrmDelegationFailed(**named, tenant_id=task.tenant, error_code=ending.error)
    return [*payloads, failed] if task.module == CRM else payloads
