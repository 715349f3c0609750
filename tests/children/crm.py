"""Lives that hand work to the CRM, do it, and hear of it, until a test ends them with SIGKILL.

Effects go to another database, as a real consumer's would: each is written together with the id that it is dropped
by when it comes again, and each coming is counted.
"""

from __future__ import annotations

import asyncio
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.children.forking import fork, tell

from rememora import Event, Rememora, Settings, Task, TaskDone, TaskFailed

CRM = "mod-02-whatsapp-crm"
EFFECTS = "effects.db"
TABLES = """
CREATE TABLE IF NOT EXISTS comings (consumer TEXT, id TEXT, life INTEGER);
CREATE TABLE IF NOT EXISTS effects (consumer TEXT, id TEXT, what TEXT, PRIMARY KEY (consumer, id));
"""


class Consumer:
    """Does what comes once, however often it comes."""

    def __init__(self, folder: str, life: int) -> None:
        self._life = life
        self._connection = sqlite3.connect(Path(folder) / EFFECTS, isolation_level=None, timeout=30)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.executescript(TABLES)

    def take(self, consumer: str, id: str, what: str) -> None:
        """Note the coming; the effect and its id are one transaction."""
        self._connection.execute("INSERT INTO comings VALUES (?, ?, ?)", (consumer, id, self._life))
        self._connection.execute("INSERT OR IGNORE INTO effects VALUES (?, ?, ?)", (consumer, id, what))


async def live(folder: str, *, life: int, done: bool) -> None:
    """Hand over, work and hear, all at once; a last life only ends what is left."""
    consumer = Consumer(folder, life)
    overrides = {"store.url": folder, "tasks.attempts": 100, "tasks.backoff_seconds": 0, "events.batch": 5}
    settings = Settings.load({**overrides, "worker.poll_seconds": 0.01, "tasks.at_once": 2}, environ={})

    def clock() -> datetime:
        # Later in each life, so that the leases of the one before have run out.
        return datetime.now(UTC) + timedelta(minutes=life)

    async def work(task: Task) -> TaskDone | TaskFailed:
        consumer.take("task", task.id, task.key or "")
        await asyncio.sleep(0.001)
        return TaskFailed(error="blocked") if task.payload["text"].endswith("3") else TaskDone(summary="sent")

    async def hear(event: Event) -> None:
        consumer.take("event", event.id, event.type)
        await asyncio.sleep(0.001)

    async with Rememora.open(settings=settings, clock=clock, background=not done) as rememora:
        await rememora.events.subscribe("mail", hear, from_start=True)
        await rememora.modules.serve(CRM, work)
        tell("open", life)
        if done:
            await rememora.settle()
            tell("done", life)
            return
        ana = rememora.user("ana", tenant="acme")
        for number in range(1_000_000):
            key = f"{life}/{number}"
            payload = {"to": "+5511987654321", "text": f"pedido {number}"}
            tell("try", key)
            task = await ana.tasks.delegate(CRM, "message.send", payload, key=key, correlation=f"of {key}")
            tell("ack", key, task.id)
            await asyncio.sleep(0.004)


if __name__ == "__main__":
    fork(live)
