"""Lives that write, or hear of what is written, until a test ends them with SIGKILL."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.children.forking import fork, tell

from rememora import Conversation, Event, Rememora, Settings

GROUP, BULK = 6, 20


async def append(chat: Conversation, lane: str, number: int, *, life: int) -> None:
    """One message, its id told before and after."""
    id = f"{chat.scope.conversation}/{life}/{lane}/{number}"
    tell("try", id)
    message = await chat.append("user", id, id=id)
    tell("ack", id, message.seq)


async def append_bulk(chat: Conversation, number: int, *, life: int) -> None:
    """Several messages that are kept together or not at all."""
    ids = [f"{chat.scope.conversation}/{life}/bulk/{number * BULK + item}" for item in range(BULK)]
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
        await rememora.events.subscribe("mail", hear, from_start=True)
        await rememora.settle()
        if done:
            tell("done", life)


KINDS: dict[str, Callable[..., Awaitable[None]]] = {"writer": writer, "listener": listener}


async def live(kind: str, **order: Any) -> None:
    """One life."""
    await KINDS[kind](**order)


if __name__ == "__main__":
    fork(live)
