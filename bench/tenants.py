"""PostgreSQL with very many tenants: as many messages as fit into the given time, and what ten million would take.

    python bench/tenants.py [--tenants 100000] [--each 100] [--seconds 600]

One server from a package with fsync on, one store in 8 partitions, one process. Messages are appended for one
tenant after the other, so many to each (`append_many`), until the tenants or the time are over; no vectors are
made. Then, at that size: a single append, the last ten, and a recall of a tenant who is asked for the first time.
All that is said of ten million is arithmetic from the measured rate and size, and is marked so.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import psycopg
from bench._frame import Run
from bench.context import sentence
from tests.engines.postgres import ADMIN, APP, OWNER, Databases, Server

from rememora import Rememora, Settings
from rememora.moving import migrate
from rememora.testing import WordEmbedder

SAMPLE, GOAL = 100, 10_000_000
"""Tenants that are asked afterwards, and messages that are reckoned with."""


async def spent(act: Awaitable[object]) -> float:
    """Milliseconds of waiting."""
    began = time.perf_counter()
    await act
    return 1e3 * (time.perf_counter() - began)


async def fill(
    rememora: Rememora, tenants: int, count: int, seconds: float, chance: random.Random
) -> tuple[int, float]:
    """Append for tenant after tenant until all have theirs or time is over: how many tenants, and seconds."""
    texts = [sentence(chance) for _ in range(2000)]
    began, number = time.perf_counter(), 0
    while number < tenants and time.perf_counter() - began < seconds:
        batch = []
        for place in range(number, min(number + 8, tenants)):
            said = [{"role": "user", "content": chance.choice(texts)} for _ in range(count)]
            batch.append(rememora.user("ana", tenant=f"t{place}").conversation("c1").append_many(said))
        await asyncio.gather(*batch)
        number += len(batch)
    return number, time.perf_counter() - began


async def measured(settings: Settings, tenants: int, count: int, seconds: float) -> dict[str, float]:
    """Fill, then ask tenants who were not asked before."""
    chance = random.Random(7)
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as rememora:
        there, took = await fill(rememora, tenants, count, seconds, chance)
        messages = there * count
        lines = [f"t{place}" for place in chance.sample(range(there), min(SAMPLE, there))]
        people = [rememora.user("ana", tenant=name) for name in lines]
        appended = [await spent(who.conversation("c1").append("user", sentence(chance))) for who in people]
        last = [await spent(who.conversation("c1").last_turns(10)) for who in people]
        recalled = [await spent(who.recall(sentence(chance), limit=5)) for who in people]
    return {
        "tenants": there,
        "messages": messages,
        "seconds": round(took),
        "messages a second": round(messages / took),
        "append p50, ms": round(statistics.median(appended), 2),
        "last ten p50, ms": round(statistics.median(last), 2),
        "first recall p50, ms": round(statistics.median(recalled), 2),
    }


def sizes(url: str) -> dict[str, float]:
    """Bytes of the database, and how evenly its partitions are filled."""
    with psycopg.connect(url, autocommit=True) as connection:
        [(size,)] = connection.execute("SELECT pg_database_size(current_database())").fetchall()
        parts = connection.execute(
            "SELECT c.reltuples FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid "
            "JOIN pg_class p ON p.oid = i.inhparent WHERE p.relname = 'messages'"
        ).fetchall()
    rows = [max(0.0, float(part[0])) for part in parts]
    return {"MB of the database": round(size / 1e6), "partitions of messages": len(rows)}


def reckoned(row: dict[str, float]) -> dict[str, Any]:
    """Ten million messages by the rate and the size that were measured: arithmetic, not a run."""
    item = row["MB of the database"] * 1e6 / row["messages"]
    return {
        "messages": GOAL,
        "GB of the database": round(item * GOAL / 1e9, 1),
        "hours to append, one process": round(GOAL / row["messages a second"] / 3600, 1),
        "bytes a message": round(item),
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tenants", type=int, default=100_000)
    options.add_argument("--each", type=int, default=100, help="messages of a tenant")
    options.add_argument("--seconds", type=float, default=600)
    chosen, run = options.parse_args(), Run("psycopg")
    server = Server(safe=True)
    try:
        databases = Databases(server.url("postgres", ADMIN))
        name = databases.create()
        with psycopg.connect(databases.url(name, ADMIN), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")
        migrate(databases.url(name, OWNER), role=APP)
        overrides = {"store.url": databases.url(name), "layers.summarization": False}
        row = asyncio.run(
            measured(Settings.load(overrides, environ={}), chosen.tenants, chosen.each, chosen.seconds)
        )
        row |= sizes(databases.url(name, ADMIN))
    finally:
        server.remove()
    print(row, reckoned(row))
    run.write(
        "tenants", {"rows": {"measured": {"PostgreSQL": row}, "extrapolated": {"PostgreSQL": reckoned(row)}}}
    )


if __name__ == "__main__":
    main()
