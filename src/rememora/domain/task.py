"""Work handed to a module: what is asked, how it stands, and how it ended."""

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


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of a module; under a `key` it is asked once, however often it is sent."""

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
    """One piece of work for a module; `id` is what a worker deduplicates its effects by."""

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
    """When it may be taken next; while it runs, when it counts as abandoned."""
    result: Any = None
    summary: str | None = None
    error: str | None = None
    created_at: datetime
    updated_at: datetime
    hidden: Reason | None = None
    """Why what it holds is not told to a model."""

    @property
    def scope(self) -> Scope:
        """Whose it is."""
        return Scope(self.tenant, self.user, self.conversation)

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen to it."""
        return self.status not in ("waiting", "running")

    def is_order(self, order: Order, payload: Mapping[str, Any]) -> bool:
        """Whether this is what was asked."""
        return (self.module, self.kind, self.payload) == (order.module, order.kind, payload)

    def without_content(self) -> Task:
        """How it stands, and nothing of what it is about."""
        return msgspec.structs.replace(self, payload={}, result=None, summary=None)


class TaskFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which tasks are wanted; what is not said is not asked for."""

    status: TaskStatus | None = None
    module: str | None = None

    def __post_init__(self) -> None:
        if self.status is not None and self.status not in STATUSES:
            raise InvalidInput("status", f"must be one of {', '.join(STATUSES)}")


class Narrowed(TypedDict, total=False):
    """The ways to narrow a list of tasks."""

    status: TaskStatus | None
    module: str | None


class HeldTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task that somebody took: `lease` is what it is kept and ended by, until it counts as abandoned."""

    task: Task
    lease: str
    until: datetime


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """The work is done; the summary is one line that events may tell, the result stays with the task."""

    summary: str = ""
    result: Any = None
    hidden: Reason | None = None
    """Why neither is told to a model, nor to those who hear of events."""


class Failed(msgspec.Struct, frozen=True, kw_only=True):
    """The work cannot be done, and trying again would not help; `error` is a code, never content."""

    error: str

    def __post_init__(self) -> None:
        check_name("error", self.error)


Ending = Done | Failed


def ending_of(answer: object) -> Ending:
    """What a worker's answer means: nothing, a line of text, or an ending spelt out."""
    if isinstance(answer, Failed):
        return answer
    done = answer if isinstance(answer, Done) else Done(summary=answer if isinstance(answer, str) else "")
    if not isinstance(answer, Done | str | None):
        done = Done(result=answer)
    try:
        check_json("result", done.result)
    except InvalidInput:
        # The work was done: doing it again would do it twice, and bring no better result.
        return Failed(error=BAD_RESULT)
    return msgspec.structs.replace(done, summary=one_line(done.summary))


def one_line(text: str) -> str:
    """A summary as events may tell it: one line, bounded."""
    plain = "".join(char if char.isprintable() else " " for char in text[: SUMMARY_CHARACTERS * 4])
    return " ".join(plain.split())[:SUMMARY_CHARACTERS]


def beginning(task: Task) -> Payload:
    """What is told when a task comes to be."""
    return ModuleTaskCreated(task_id=task.id, correlation_id=task.correlation, module=task.module, kind=task.kind)


def tellings(task: Task, ending: Ending) -> list[Payload]:
    """What is told when a task ends, in order: that it ended and, for the CRM, that its delegation did."""
    named = {"task_id": task.id, "correlation_id": task.correlation}
    about = {**named, "module": task.module, "kind": task.kind}
    if isinstance(ending, Done):
        told: list[Payload] = [ModuleTaskCompleted(**about, attempts=task.attempts)]
        summary = "" if ending.hidden else ending.summary
        sent = CrmDelegationSent(**named, tenant_id=task.tenant, result_summary=summary)
        return [*told, sent] if task.module == CRM else told
    told = [ModuleTaskFailed(**about, attempts=task.attempts, error_code=ending.error)]
    failed = CrmDelegationFailed(**named, tenant_id=task.tenant, error_code=ending.error)
    return [*told, failed] if task.module == CRM else told
