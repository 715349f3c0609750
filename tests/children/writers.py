"""A process that appends with several writers at once, when told: folder, conversation, name, writers, count."""

from __future__ import annotations

import asyncio
import sys

from rememora import Conversation, Rememora, Settings


async def write(chat: Conversation, name: str, messages: int) -> None:
    """One writer: its messages carry its name and their number."""
    for number in range(messages):
        await chat.append("user", f"{name} {number}")


async def main(folder: str, conversation: str, name: str, writers: int, messages: int) -> None:
    """All writers of this process, side by side in one conversation."""
    settings = Settings.load({"store.url": folder, "store.synchronous": "normal"}, environ={})
    async with Rememora.open(settings=settings) as rememora:
        print("ready", flush=True)
        sys.stdin.readline()
        chat = rememora.user("ana", tenant="acme").conversation(conversation)
        await asyncio.gather(*(write(chat, f"{name}{number}", messages) for number in range(writers)))


if __name__ == "__main__":
    where, which, who, several, many = sys.argv[1:]
    asyncio.run(main(where, which, who, int(several), int(many)))
