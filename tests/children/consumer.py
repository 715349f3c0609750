"""A consumer in a process of its own: `python consumer.py '{settings}' GROUP NAME`.

It prints the conversation of each event that it is given, and is at work on it until a line comes to its input.
"""

from __future__ import annotations

import asyncio
import json
import sys

from rememora import Event, Rememora, Settings


async def hear(event: Event) -> None:
    print(event.conversation, flush=True)
    await asyncio.to_thread(sys.stdin.readline)


async def main(overrides: dict[str, object], group: str, name: str) -> None:
    async with Rememora.open(settings=Settings.load(overrides, environ={}), background=False) as rememora:
        await rememora.events.consume(group, hear, consumer=name, from_start=True)
        while True:
            await rememora.settle()
            await asyncio.sleep(0.01)


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1]), *sys.argv[2:4]))
