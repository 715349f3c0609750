"""The layer of delegated work: tasks for modules, their state, and their results."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

from rememora.context.gather import PackRequest, Source
from rememora.domain.context import Item
from rememora.domain.task import Task, TaskFilter, one_line
from rememora.ports.store import StoreReader

LOOKED_AT = 50
TOLD_FOR = timedelta(days=7)
"""Time for which a finished task is shown in conversations other than its own."""
SHOWN_CHARACTERS = 160
_STANDS = {"waiting": "pending", "running": "under way"}


def delegated(store: StoreReader, *, limit: int) -> Source:
    """Return the source of the user's relevant tasks: open, of this conversation, and recently finished."""

    async def read_tasks(request: PackRequest) -> list[Item]:
        scope = request.scope
        newest = await store.read(scope, lambda work: work.tasks.page(scope, TaskFilter(), limit=LOOKED_AT))
        relevant = [task for task in newest if is_relevant(task, conversation=scope.conversation, now=request.now)]
        # Open ones first: what has ended can be asked for again, what is pending must not be done twice.
        chosen = sorted(relevant, key=lambda task: task.ended)[:limit]
        return [_item(task, conversation=scope.conversation) for task in chosen]

    return read_tasks


def is_relevant(task: Task, *, conversation: str | None, now: datetime) -> bool:
    """Return whether a task is relevant in a conversation."""
    if not task.ended or (conversation is not None and task.conversation == conversation):
        return True
    return now - task.updated_at <= TOLD_FOR


def describe_task(task: Task) -> str:
    """Describe a task in one line: the order, the module, and the result."""
    # Order, result and error may repeat what must not be told; the state of the work may be.
    if task.hidden is not None:
        stands = _STANDS.get(task.status, task.status)
        return f"{task.kind} by {task.module}: {stands} (its content is withheld)"
    order = f"{task.kind} by {task.module} ({_short(task.payload)})"
    if not task.ended:
        return f"{order}: {_STANDS[task.status]} since {task.created_at.date().isoformat()}"
    if task.status == "completed":
        came = task.summary or ("" if task.result is None else _short(task.result))
        return f"{order}: done" + (f": {came}" if came else "")
    return f"{order}: {task.status}: {task.error}" if task.status == "failed" else f"{order}: {task.status}"


def _short(value: object) -> str:
    text = one_line(msgspec.json.encode(value).decode())
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[: SHOWN_CHARACTERS - 1]}…"


def _item(task: Task, *, conversation: str | None) -> Item:
    same = conversation is not None and task.conversation == conversation
    return Item(
        section="tasks",
        text=describe_task(task),
        kind="task",
        id=task.id,
        origin="tool" if task.ended else "assistant",
        reason="handed to a module in this conversation" if same else "handed to a module for this person",
        conversation=task.conversation,
        at=task.updated_at,
    )
