"""Tasks for modules: created by a user, and done by a module that claims them under a lease."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from rememora.domain.message import Page
from rememora.domain.task import SUMMARY_CHARACTERS, HeldTask, Task, TaskStatus
from rememora.server.auth import ApiRequest
from rememora.server.routes.conversations import once_id
from rememora.server.routing import Routes
from rememora.server.words import Limit, Name

routes = Routes("tasks")
Seconds = Annotated[float, Meta(ge=1, le=3600, description="Length of the lease.")]


class NewTask(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Work for a module; with a `key` it is done once, however often it is requested."""

    module: Name
    kind: Name
    payload: dict[str, Any]
    correlation: Name | None = None
    key: Name | None = None
    conversation: Name | None = None


class TaskQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Filter on tasks."""

    limit: Limit = 50
    after: Name | None = None
    status: TaskStatus | None = None
    module: Name | None = None


class TaskClaim(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Module whose tasks are claimed, and the length of the lease."""

    module: Name
    seconds: Seconds | None = None


class ClaimedTask(msgspec.Struct, frozen=True, kw_only=True):
    """The claimed task; empty if none is due."""

    held: HeldTask | None


class TaskLease(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The lease of a claimed task."""

    lease: Name


class LeaseRenewal(TaskLease, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The lease, and its new length."""

    seconds: Seconds | None = None


class TaskCompletion(TaskLease, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Result of the work: a one-line summary for events, and a result that stays with the task."""

    summary: Annotated[str, Meta(max_length=4 * SUMMARY_CHARACTERS)] = ""
    result: Any = None


class TaskFailure(TaskLease, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Error code of failed work; `retry` lets it be tried again later."""

    error: Name
    retry: bool = False


@routes.get("/tasks")
async def list_tasks(ask: ApiRequest, query: TaskQuery) -> Page[Task]:
    """List the user's tasks, newest first."""
    return await ask.memory.tasks.list(
        limit=query.limit, after=query.after, status=query.status, module=query.module
    )


@routes.post("/tasks", status=201)
async def create_task(ask: ApiRequest, body: NewTask) -> Task:
    """Hand work to a module."""
    return await ask.memory.tasks.delegate(
        body.module,
        body.kind,
        body.payload,
        correlation=body.correlation,
        key=body.key or once_id(ask),
        conversation=body.conversation,
    )


@routes.get("/tasks/all", right="tenant")
async def list_all_tasks(ask: ApiRequest, query: TaskQuery) -> Page[Task]:
    """List the tasks of all the tenant's users, newest first, without their content."""
    return await ask.company.tasks.list(
        limit=query.limit, after=query.after, status=query.status, module=query.module
    )


@routes.post("/tasks/claim", right="work", content="people", once=False)
async def claim_task(ask: ApiRequest, body: TaskClaim) -> ClaimedTask:
    """Claim the task that has waited longest for a module; nobody else gets it until the lease ends."""
    return ClaimedTask(held=await ask.company.tasks.claim(body.module, seconds=body.seconds))


@routes.get("/tasks/{task}")
async def get_task(ask: ApiRequest, task: Name) -> Task:
    """Return one task."""
    return await ask.memory.tasks.get(task)


@routes.post("/tasks/{task}/cancel")
async def cancel_task(ask: ApiRequest, task: Name) -> Task:
    """Cancel a task; a finished one stays as it is."""
    return await ask.memory.tasks.cancel(task)


@routes.post("/tasks/{task}/renew", right="work", content="people", once=False)
async def renew_task(ask: ApiRequest, task: Name, body: LeaseRenewal) -> HeldTask:
    """Extend the lease of a task."""
    return await ask.company.tasks.renew(task, lease=body.lease, seconds=body.seconds)


@routes.post("/tasks/{task}/complete", right="work", content="people")
async def complete_task(ask: ApiRequest, task: Name, body: TaskCompletion) -> Task:
    """Complete a task."""
    return await ask.company.tasks.complete(task, lease=body.lease, summary=body.summary, result=body.result)


@routes.post("/tasks/{task}/fail", right="work", content="people")
async def fail_task(ask: ApiRequest, task: Name, body: TaskFailure) -> Task:
    """Report that a task failed."""
    return await ask.company.tasks.fail(task, lease=body.lease, error=body.error, retry=body.retry)


@routes.post("/tasks/{task}/release", right="work", content="people")
async def release_task(ask: ApiRequest, task: Name, body: TaskLease) -> Task:
    """Release a task without counting an attempt."""
    return await ask.company.tasks.release(task, lease=body.lease)
