"""What the hot window is worth: `last_turns` with and without Redis, near and far, beside the raw commands.

    python bench/redis_window.py [--reads 2000] [--letters 240] [--away 1]

Each figure is the median of single calls, one after another: a window of twenty turns.
`asked`: the store names its edition at each read. `trusted`: within `redis.trust_ms` it is not asked.
A miss is a read whose copy was let go; any other is a hit. `away`: that many milliseconds to the servers and back.
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
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parent.parent))

import psycopg
from bench._far import far
from bench._frame import Run
from redis.asyncio import Redis
from tests.engines.postgres import ADMIN, databases, postgres_url
from tests.engines.redis import running

from rememora import Conversation, Rememora, Settings
from rememora.domain.window import Edition

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


async def filled(rememora: Rememora, name: str, letters: int) -> Conversation:
    """A conversation a little longer than its window."""
    chat = rememora.user("ana", tenant="bench").conversation(name)
    text = (TEXT * (letters // len(TEXT) + 1))[:letters]
    for number in range(TURNS + 5):
        await chat.append("user" if number % 2 else "assistant", f"{number} {text}")
    return chat


async def measure(store: str, redis: str, *, reads: int, letters: int) -> dict[str, float]:
    """One store, alone and with the cache in both ways."""
    overrides: dict[str, object] = {"store.url": store, "recall.embedder": "none", "store.synchronous": "normal"}
    overrides |= {"window.characters": 1_000_000}
    ways: dict[str, dict[str, object]] = {
        "alone": {},
        "asked": {"redis.url": redis},
        "trusted": {"redis.url": redis, "redis.trust_ms": 1000},
    }
    figures: dict[str, float] = {}
    for label, way in ways.items():
        settings = Settings.load({**overrides, **way}, environ={})
        async with Rememora.open(settings=settings, background=False) as rememora:
            chat = await filled(rememora, label, letters)
            await chat.last_turns()
            spent = time.process_time()
            figures[f"window, {label}"] = await median_ms(chat.last_turns, reads)
            figures[f"window, {label}, CPU here"] = 1e3 * (time.process_time() - spent) / reads
            if way:
                stale = partial(spoil, rememora, chat)
                figures[f"window, {label}, a miss"] = await median_ms(chat.last_turns, reads // 4, before=stale)
            figures[f"append, {label}"] = await median_ms(partial(chat.append, "user", TEXT), reads // 4)
    return figures


async def spoil(rememora: Rememora, chat: Conversation) -> None:
    """Let the hot copy go, as it goes when what was written does not follow it."""
    windows = rememora._parts.windows
    assert windows is not None
    old = await rememora._parts.store.read(chat.scope, lambda work: work.messages.turns(chat.scope, limit=1))
    await windows.follow(chat.scope, old, Edition(old[0].seq, 1, 1))


async def raw(url: str, reads: int) -> dict[str, float]:
    """The commands themselves."""
    client = Redis.from_url(url)
    await client.rpush("raw", *[TEXT] * TURNS)

    async def push() -> None:
        await client.lpush("pushed", TEXT)
        await client.ltrim("pushed", 0, TURNS)

    result = {
        "raw LRANGE of 20": await median_ms(lambda: client.lrange("raw", 0, -1), reads),
        "raw LPUSH and LTRIM": await median_ms(push, reads),
    }
    await client.aclose()
    return result


async def measured(reads: int, letters: int, away: float) -> dict[str, dict[str, dict[str, float]]]:
    """A table for each place of the servers."""
    tables: dict[str, dict[str, dict[str, float]]] = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder) / "redis") as engine,
        postgres_url() as postgres,
        far(engine.url, away) as far_redis,
        far(postgres, away) as far_postgres,
    ):
        layouts = {
            "SQLite": (str(Path(folder) / "store"), engine.url),
            "PostgreSQL, same machine": (postgres, engine.url),
            f"PostgreSQL, both {away:g} ms away": (far_postgres, far_redis),
            f"PostgreSQL {away:g} ms away, Redis here": (far_postgres, engine.url),
        }
        tables["the commands"] = _rows(await raw(engine.url, reads))
        for title, (store, redis) in layouts.items():
            engine.flush()
            tables[title] = _rows(await measure(store, redis, reads=reads, letters=letters))
            print(title, tables[title], flush=True)
            if "://" in store:
                with psycopg.connect(databases().url(urlsplit(store).path[1:], ADMIN), autocommit=True) as owner:
                    owner.execute("DELETE FROM messages; DELETE FROM conversations")
    return tables


def _rows(figures: dict[str, float]) -> dict[str, dict[str, float]]:
    return {name: {"ms": round(figure, 3)} for name, figure in figures.items()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reads", type=int, default=2000)
    parser.add_argument("--letters", type=int, default=240)
    parser.add_argument("--away", type=float, default=1.0)
    given, run = parser.parse_args(), Run("redis", "psycopg")
    run.write("redis_window", {"rows": asyncio.run(measured(given.reads, given.letters, given.away))})
