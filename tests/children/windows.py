"""A process of its own on a store beside a Redis, which does as it is told: `python windows.py '{settings}'`.

Each line of standard input is `[act, conversation, content]`; each line of standard output is what came of it.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable

from rememora import Conversation, Rememora, Settings


async def append(chat: Conversation, content: str) -> object:
    return (await chat.append("user", content, id=content)).seq


async def read(chat: Conversation, content: str) -> object:
    return [message.content for message in await chat.last_turns()]


async def pack(chat: Conversation, content: str) -> object:
    result = await chat.context("e agora?", budget=100_000)
    return [item.text for item in result.items if item.section == "recent"]


async def delete(chat: Conversation, content: str) -> object:
    return (await chat.delete()).messages


ACTS: dict[str, Callable[[Conversation, str], Awaitable[object]]] = {
    "append": append,
    "read": read,
    "pack": pack,
    "delete": delete,
}


async def main(overrides: dict[str, object]) -> None:
    async with Rememora.open(settings=Settings.load(overrides, environ={}), background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        print("ready", flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            act, conversation, content = json.loads(line)
            print(json.dumps(await ACTS[act](ana.conversation(conversation), content)), flush=True)


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1])))
