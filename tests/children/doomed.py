"""Lives that a test ends with SIGKILL: forked from one warm process, so that each begins in milliseconds.

The test writes one JSON line per life; this process forks, and the life tells what it does on standard output.
Lines are written with one `write` each, so that the pipe holds exactly what happened before the end.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from rememora import Conversation, Event, Rememora, Settings

GROUP, BULK = 6, 20


def tell(*words: object) -> None:
    """One line, whole or not at all."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


async def append(chat: Conversation, lane: str, number: int, *, life: int) -> None:
    """One message, its id told before and after."""
    id = f"{chat.scope.conversation}/{life}/{lane}/{number}"
    tell("try", id)
    message = await chat.append("user", id, id=id)
    tell("ack", id, message.seq)


async def append_bulk(chat: Conversation, number: int, *, life: int) -> None:
    """Several messages that are kept together or not at all."""
    ids = [f"{chat.scope.conversation}/{life}/bulk/{number * BULK + each}" for each in range(BULK)]
    for id in ids:
        tell("try", id)
    await chat.append_many([{"role": "user", "content": id, "id": id} for id in ids])
    for id in ids:
        tell("ack", id, 0)


async def writer(folder: str, *, life: int, again: Sequence[str]) -> None:
    """Append until the end: singles, groups that share a commit, and bulks."""
    settings = Settings.load({"store.url": folder}, environ={})
    async with Rememora.open(settings=settings) as rememora:
        chats = {name: rememora.user("ana", tenant="acme").conversation(name) for name in ("c0", "c1")}
        tell("open", life)
        for id in again:
            message = await chats[id.partition("/")[0]].append("user", id, id=id)
            tell("ack", id, message.seq)
        for number in range(1_000_000):
            for chat in chats.values():
                await append(chat, "single", number, life=life)
            await asyncio.gather(
                *(
                    append(chat, f"lane{lane}", number, life=life)
                    for chat in chats.values()
                    for lane in range(GROUP)
                )
            )
            if number % 5 == 0:
                await append_bulk(chats["c0"], number, life=life)


async def listener(folder: str, *, life: int, done: bool) -> None:
    """Hear events until the end, or until all are heard."""
    settings = Settings.load({"store.url": folder, "events.batch": 7}, environ={})

    def clock() -> datetime:
        # Later in each life, so that the lease of the one before has run out.
        return datetime.now(UTC) + timedelta(minutes=life)

    async def hear(event: Event) -> None:
        tell("heard", life, event.conversation, event.position)
        await asyncio.sleep(0.003)

    async with Rememora.open(settings=settings, clock=clock, background=False) as rememora:
        await rememora.subscribe("mail", hear, from_start=True)
        await rememora.settle()
        if done:
            tell("done", life)


async def live(order: dict[str, Any]) -> None:
    """One life."""
    if order["kind"] == "writer":
        await writer(order["folder"], life=order["life"], again=order["again"])
    else:
        await listener(order["folder"], life=order["life"], done=order["done"])


def main() -> None:
    """Fork a life for each line, and tell when it has ended."""
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            asyncio.run(live(json.loads(line)))
            os._exit(0)
        tell("pid", pid)
        os.waitpid(pid, 0)
        tell("dead", pid)


if __name__ == "__main__":
    main()
