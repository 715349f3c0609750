"""What tests of delegation share: work to hand over, hands that do it, and what was told of it."""

from __future__ import annotations

from typing import Any

import msgspec
from tests.clock import SetClock

from rememora import Event, Rememora, Task
from rememora.domain.modules import CRM

SENDING = {"to": "+5511987654321", "text": "o segredo da Ana"}
ENDS = ("module.task.completed", "module.task.failed", "crm.delegation.sent", "crm.delegation.failed")


class Hands:
    """Does what it is told to, and remembers each try."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.tried: list[Task] = []

    async def __call__(self, task: Task) -> object:
        self.tried.append(task)
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, Exception):
            raise answer
        return answer


async def delegated(rememora: Rememora, *, user: str = "ana", **rest: Any) -> Task:
    """A message to be sent."""
    return await rememora.user(user, tenant="acme").tasks.delegate(CRM, "message.send", SENDING, **rest)


async def told(rememora: Rememora, task: Task | None = None) -> list[Event]:
    """What was told of tasks, or of one."""
    events = await rememora.tenant("acme", acting="boss").events.list(limit=1000)
    return [event for event in events if task is None or event.payload.get("task_id") == task.id]


async def abandon(rememora: Rememora, clock: SetClock) -> None:
    """Take the next task as a worker does that dies with it."""
    store = rememora._parts.store
    [seen] = await store.tasks(lambda view: view.due(CRM, now=clock(), limit=1))
    taken = msgspec.structs.replace(seen, attempts=seen.attempts + 1)
    until = clock.advance(1)
    await store.write(seen.scope, lambda work: work.tasks.claim(seen.scope, taken, owner="dead", until=until))
