"""What the hot window is worth: `last_turns` with and without Redis, beside the raw commands on the same server.

    python bench/redis_window.py [--reads 2000]

Each figure is the median of single calls, one after another: twenty turns of some two hundred letters each.
A miss is a read whose copy was let go; any other is a hit.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from redis.asyncio import Redis
from tests.engines.postgres import postgres_url
from tests.engines.redis import running

from rememora import Conversation, Rememora, Settings
from rememora.domain.message import Message

TURNS = 20
TEXT = "O fornecedor confirmou a entrega de terça, com nota e boleto para trinta dias. " * 3
Act = Callable[[], Awaitable[Any]]


async def median_ms(act: Act, reads: int, *, before: Act | None = None) -> float:
    """The median of single calls; what goes before each is not counted."""
    taken = []
    for _ in range(reads):
        if before is not None:
            await before()
        begun = time.perf_counter()
        await act()
        taken.append(1e3 * (time.perf_counter() - begun))
    return statistics.median(taken)


async def filled(rememora: Rememora, name: str) -> Conversation:
    """A conversation a little longer than its window."""
    chat = rememora.user("ana", tenant="bench").conversation(name)
    for number in range(TURNS + 5):
        await chat.append("user" if number % 2 else "assistant", f"{number} {TEXT}")
    return chat


async def measure(store: str, redis: str, reads: int) -> dict[str, float]:
    """One store, with and without the cache."""
    wanted: dict[str, object] = {"store.url": store, "recall.embedder": "none", "store.synchronous": "normal"}
    figures: dict[str, float] = {}
    for label, url in (("store alone", ""), ("with Redis", redis)):
        settings = Settings.load({**wanted, "redis.url": url}, environ={})
        async with Rememora.open(settings=settings, background=False) as rememora:
            chat = await filled(rememora, f"c-{bool(url)}")
            await chat.last_turns()
            figures[f"window, {label}"] = await median_ms(chat.last_turns, reads)
            if url:
                stale = partial(spoil, rememora, chat, await chat.last_turns(1))
                figures["window, with Redis, a miss"] = await median_ms(chat.last_turns, reads, before=stale)
            figures[f"append, {label}"] = await median_ms(partial(chat.append, "user", TEXT), reads // 4)
    return figures


async def spoil(rememora: Rememora, chat: Conversation, old: list[Message]) -> None:
    """Let the hot copy go, as it goes when what was written does not follow it."""
    windows = rememora._parts.windows
    assert windows is not None
    await windows.follow(chat.scope, old)


async def raw(url: str, reads: int) -> dict[str, float]:
    """The commands themselves."""
    client = Redis.from_url(url)
    await client.rpush("raw", *[TEXT] * TURNS)

    async def push() -> None:
        await client.lpush("pushed", TEXT)
        await client.ltrim("pushed", 0, TURNS)

    found = {
        "raw LRANGE of 20": await median_ms(lambda: client.lrange("raw", 0, -1), reads),
        "raw LPUSH and LTRIM": await median_ms(push, reads),
    }
    await client.aclose()
    return found


async def main(reads: int) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder) / "redis") as engine,
        postgres_url() as postgres,
    ):
        stores = {"SQLite": str(Path(folder) / "store"), "PostgreSQL on the same machine": postgres}
        for name, figure in (await raw(engine.url, reads)).items():
            print(f"{name:<58}{figure:8.3f} ms")
        for title, store in stores.items():
            engine.flush()
            for name, figure in (await measure(store, engine.url, reads)).items():
                print(f"{title + ': ' + name:<58}{figure:8.3f} ms")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reads", type=int, default=2000)
    asyncio.run(main(parser.parse_args().reads))
