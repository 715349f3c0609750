"""Writes on a disk of its own until that is full, then goes on once there is room; tells what was acknowledged."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import sys
from collections.abc import Awaitable
from pathlib import Path

from rememora import Rememora, Settings, UserMemory
from rememora.errors import RememoraError

disk, kept, seed = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
CHANCE = random.Random(seed)
LONG, REFUSALS = "x" * 2_000, 12
FILLER = disk / "filler"


class Told:
    """Results of the writes: acknowledged, refused, and errors without a type of ours."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.memories: dict[str, str] = {}
        self.erased: list[str] = []
        self.refused: list[str] = []

    async def of(self, work: Awaitable[object]) -> bool:
        """Return whether work was acknowledged; note a refusal by its type."""
        try:
            await work
        except RememoraError as error:
            self.refused.append(type(error).__name__)
            return False
        return True


def fill() -> None:
    """Take the room of the disk, all but a little."""
    free = shutil.disk_usage(disk).free
    with FILLER.open("wb") as file:
        file.write(b"\0" * max(0, free - CHANCE.randrange(4_096, 400_000)))


async def write(ana: UserMemory, reply: Told, number: int) -> None:
    """Write one thing: a message, several, a memory, or an erasure of one."""
    kind, name = CHANCE.choice(("message", "message", "several", "memory", "erasure")), f"projects.p{number}"
    chat = ana.conversation("c1")
    ids = [f"m{number}-{place}" for place in range(3 if kind == "several" else 1)]
    if kind == "memory":
        if await reply.of(ana.remember(name, f"prazo {number}")):
            reply.memories[name] = f"prazo {number}"
    elif kind == "erasure" and reply.memories:
        choice = CHANCE.choice(sorted(reply.memories))
        if await reply.of(ana.erase(topic=choice)):
            del reply.memories[choice]
            reply.erased.append(choice)
    else:
        lines = [{"role": "user", "content": f"{number} {LONG}", "id": id} for id in ids]
        if await reply.of(chat.append_many(lines)):
            reply.messages += ids


async def main() -> None:
    """Fill, fail, open once more on the full disk, make room, go on."""
    settings = Settings.load({"store.url": str(disk / "store"), "recall.embedder": "none"}, environ={})
    reply = Told()
    async with Rememora.open(settings=settings, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        for number in range(20):
            await write(ana, reply, number)
        assert not reply.refused, reply.refused
        fill()
        for number in range(20, 420):
            await write(ana, reply, number)
            if len(reply.refused) >= REFUSALS:
                break
        refused = list(reply.refused)
        read = [message.id for message in await ana.conversation("c1").last_turns(5)]
        opened = await reply.of(_open(settings))
        FILLER.unlink()
        reply.refused.clear()
        for number in range(420, 430):
            await write(ana, reply, number)
    shutil.copytree(disk / "store", kept)
    outcome = {"messages": reply.messages, "memories": reply.memories, "erased": reply.erased, "refused": refused}
    print(json.dumps({**outcome, "read": read, "opened": opened, "refused after": reply.refused}))


async def _open(settings: Settings) -> None:
    async with Rememora.open(settings=settings, background=False) as rememora:
        await rememora.user("ana", tenant="acme").conversation("c1").last_turns(1)


asyncio.run(main())
