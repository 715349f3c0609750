"""A process of its own that writes, folds and cuts until it is done or killed: `python writer.py '{…}'`."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.models import Chronicler

from rememora import Conversation, Rememora, Settings


class Suicidal(Chronicler):
    """Has its answer ready, and dies before anybody can store it."""

    async def complete(self, *, instructions: str, text: str, max_tokens: int) -> str:
        await super().complete(instructions=instructions, text=text, max_tokens=max_tokens)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("unreachable")


def opened(order: dict[str, Any], **how: Any) -> Any:
    """The store of the order, its clock so many hours ahead: leases of earlier deaths have run out."""
    settings = Settings.load(
        {"store.url": order["url"], "store.synchronous": "normal", **order["settings"]}, environ={}
    )
    ahead = timedelta(hours=order.get("hours", 0))
    return Rememora.open(settings=settings, clock=lambda: datetime.now(UTC) + ahead, **how)


async def die(order: dict[str, Any]) -> None:
    """Fold with a model that dies between answer and store."""
    async with opened(order, model=Suicidal(), background=False) as rememora:
        await rememora.settle()


async def write_on(order: dict[str, Any]) -> None:
    """Append numbered messages, each acknowledged on standard output, while the loops fold and cut."""
    async with opened(order, model=Chronicler()) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        page = await chat.messages(limit=1000)
        for number in range(len(page.items) + 1, 1_000):
            await chat.append("user" if number % 3 else "assistant", f"<{number}>")
            print(number, flush=True)
            await asyncio.sleep(0.003)


async def race(order: dict[str, Any]) -> None:
    """Several writers at once on one conversation, with the loops running."""
    async with opened(order, model=Chronicler()) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        await asyncio.gather(*(_say(chat, writer, order["messages"]) for writer in range(order["writers"])))


async def talk_on(order: dict[str, Any]) -> None:
    """Take turn after turn, each told on standard output, while the loops count what they mention."""
    async with opened(order) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        stored = (await chat.messages(limit=1000)).items
        for number in range(sum(message.role == "assistant" for message in stored), 1_000):
            await chat.reply("a campanha Girassol vai bem", key=f"k{number}")
            print(number, flush=True)
            await asyncio.sleep(0.003)


async def settle(order: dict[str, Any]) -> None:
    """Do all that waits to be done, once somebody says so."""
    async with opened(order, background=False) as rememora:
        print("ready", flush=True)
        sys.stdin.readline()
        await rememora.settle()


async def _say(chat: Conversation, writer: int, messages: int) -> None:
    for number in range(messages):
        await chat.append("assistant" if (writer + number) % 2 else "user", "<0>")
        await asyncio.sleep(0)


ACTS: dict[str, Callable[[dict[str, Any]], Awaitable[None]]] = {
    "die": die,
    "write_on": write_on,
    "race": race,
    "talk_on": talk_on,
    "settle": settle,
}

if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    asyncio.run(ACTS[given["act"]](given))  # type: ignore[arg-type]
