"""Delegation: hand work to a module, look up its state, cancel it.

A task ends in one transaction with its events, guarded by the state it leaves. It can leave that state only once,
so each of its events is stored exactly once, even if a process dies in between.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from rememora.domain.check import check_name, check_whole
from rememora.domain.event import event_of
from rememora.domain.ids import new_id
from rememora.domain.message import Page
from rememora.domain.modules import Modules
from rememora.domain.scope import Scope
from rememora.domain.task import (
    CANCELLED,
    Ending,
    Task,
    TaskDone,
    TaskFailed,
    TaskFilter,
    TaskOrder,
    TaskStatus,
    creation_payload,
    ending_payloads,
)
from rememora.errors import Conflict, NotFound
from rememora.ports.outside import Clock
from rememora.ports.store import Store, UnitOfWork
from rememora.visibility.judge import judge_value

PAGE_LIMIT = 1000


async def delegate(store: Store, scope: Scope, order: TaskOrder, *, modules: Modules, clock: Clock) -> Task:
    """Hand work to a module; an invalid payload stores nothing, and a key that was used returns its task."""
    payload = modules.get(order.module).check(order.kind, order.payload)
    task = new_task(scope, msgspec.structs.replace(order, payload=payload), at=clock())
    task = msgspec.structs.replace(task, hidden=judge_value(task.kind, task.payload, third_party=False))
    return await store.write(scope, lambda work: _delegate(work, task, order))


async def get(store: Store, scope: Scope, id: str) -> Task:
    """Return one task of the user."""
    check_name("task", id)
    return await store.read(scope, lambda work: _get(work, scope, id))


async def page(
    store: Store, scope: Scope, filters: TaskFilter, *, limit: int, after: str | None, everybody: bool = False
) -> Page[Task]:
    """List the user's tasks, or those of the whole tenant without their content, newest first."""
    check_whole("limit", limit, 1, PAGE_LIMIT)

    def read(work: UnitOfWork) -> list[Task]:
        look = work.tasks.of_tenant if everybody else work.tasks.page
        # One more than is shown tells whether there is a next page.
        return look(scope, filters, limit=limit + 1, before=after)

    tasks = await store.read(scope, read)
    items = tuple(task.without_content() if everybody else task for task in tasks[:limit])
    return Page(items, items[-1].id if len(tasks) > limit else None)


async def cancel(store: Store, scope: Scope, id: str, *, clock: Clock) -> Task:
    """Cancel a task: it ends now, and its worker is asked to stop; a finished task stays as it is."""
    check_name("task", id)
    return await store.write(scope, lambda work: _cancel(work, scope, id, at=clock()))


def new_task(scope: Scope, order: TaskOrder, *, at: datetime) -> Task:
    """Build a new task; without a correlation id its own id is used."""
    id = new_id()
    return Task(
        id=id,
        tenant=scope.tenant,
        user=scope.user,
        conversation=scope.conversation,
        module=order.module,
        kind=order.kind,
        payload=order.payload,
        correlation=order.correlation or id,
        key=order.key,
        due_at=at,
        created_at=at,
        updated_at=at,
    )


def judged(ending: Ending) -> Ending:
    """Add the visibility verdict on its text to an ending, before it is stored."""
    if not isinstance(ending, TaskDone):
        return ending
    return msgspec.structs.replace(ending, hidden=judge_value(ending.summary, ending.result))


def close(work: UnitOfWork, task: Task, ending: Ending, *, owner: str | None, at: datetime) -> bool:
    """End a task and publish its events, both or neither; False if it has ended, or the owner lost the lease."""
    status = status_of(ending)
    if not work.tasks.end(task.scope, task.id, status=status, ending=ending, at=at, owner=owner):
        return False
    for payload in ending_payloads(task, ending):
        work.outbox.add(task.scope, event_of(task.scope, payload, at=at))
    return True


def status_of(ending: Ending) -> TaskStatus:
    """Return the status of a task after an ending."""
    if isinstance(ending, TaskDone):
        return "completed"
    return "cancelled" if ending.error == CANCELLED else "failed"


def _delegate(work: UnitOfWork, task: Task, order: TaskOrder) -> Task:
    if work.tasks.add(task.scope, task):
        work.outbox.add(task.scope, event_of(task.scope, creation_payload(task), at=task.created_at))
        return task
    known = work.tasks.with_key(task.scope, task.key or "")
    if known is None or not known.is_order(order, task.payload):
        raise Conflict("this key was used for other work")
    return known


def _get(work: UnitOfWork, scope: Scope, id: str) -> Task:
    task = work.tasks.get(scope, id)
    if task is None:
        raise NotFound("task", id)
    return task


def _cancel(work: UnitOfWork, scope: Scope, id: str, *, at: datetime) -> Task:
    task = _get(work, scope, id)
    close(work, task, TaskFailed(error=CANCELLED), owner=None, at=at)
    return _get(work, scope, id)
