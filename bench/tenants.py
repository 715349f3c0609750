"""PostgreSQL with very many tenants: 10 million messages of 100,000 tenants on one machine.

    python bench/tenants.py [--tenants 100000] [--each 100] [--seconds 60]

One server from a package with fsync on, one store in 8 partitions, one process. For some seconds messages are
appended for one tenant after the other, so many to each (`append_many`), which gives the rate of appending; what
they said is settled, with vectors of 64 numbers and the features of the index. The other tenants are copies of
their rows under other names, made by the server itself: to append ten million takes hours. Then, at that size: a
single append, the last ten, a recall of tenants who are asked for the first time and once more, and the deletion
of a conversation.
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

SAMPLE = 100
"""Tenants that are asked afterwards."""
TOLD = 200
"""Tenants at most whose messages are appended; the others are copies of them."""
COPIED = ("tenants", "conversations", "messages", "outbox", "index_entries", "vectors")
STEP = 500
"""Tenants that one transaction copies."""


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


async def told(settings: Settings, tenants: int, count: int, seconds: float) -> dict[str, float]:
    """Append for the first tenants, and settle what they said."""
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as rememora:
        there, took = await fill(rememora, min(tenants, TOLD), count, seconds, random.Random(7))
        await rememora.settle()
    return {"tenants told": there, "messages a second": round(there * count / took)}


def copy(url: str, there: int, tenants: int) -> float:
    """Copy the rows of the first tenants under other names until there are so many; the seconds it took."""
    began = time.perf_counter()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET synchronous_commit = off")
        columns = {table: _columns(connection, table) for table in COPIED}
        for first in range(there, tenants, STEP):
            with connection.transaction():
                for table, names in columns.items():
                    values = ", ".join("'t' || new" if name == "tenant_id" else f"r.{name}" for name in names)
                    connection.execute(
                        f"INSERT INTO {table} ({', '.join(names)}) SELECT {values} "
                        "FROM generate_series(%(first)s::int, %(last)s::int) new "
                        f"JOIN {table} r ON r.tenant_id = 't' || (new %% %(there)s::int)",
                        {"first": first, "last": min(first + STEP, tenants) - 1, "there": there},
                    )
        for table in COPIED:
            connection.execute(f"VACUUM (ANALYZE) {table}")
    return time.perf_counter() - began


def _columns(connection: psycopg.Connection[Any], table: str) -> list[str]:
    rows = connection.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped "
        "AND attgenerated = '' ORDER BY attnum",
        [table],
    )
    return [name for (name,) in rows]


async def asked(settings: Settings, tenants: int) -> dict[str, float]:
    """Ask tenants who were not asked before, with a process that has just been started."""
    chance = random.Random(8)
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as rememora:
        await rememora.user("ana", tenant="nobody").recall("aviso", limit=5)
        people = [
            rememora.user("ana", tenant=f"t{place}")
            for place in chance.sample(range(tenants), min(SAMPLE, tenants))
        ]
        last = [await spent(who.conversation("c1").last_turns(10)) for who in people]
        first = [await spent(who.recall(sentence(chance), limit=5)) for who in people]
        second = [await spent(who.recall(sentence(chance), limit=5)) for who in people]
        appended = [await spent(who.conversation("c1").append("user", sentence(chance))) for who in people]
        deleted = [await spent(who.conversation("c1").delete()) for who in people]
    rows = {
        "append": appended,
        "last ten": last,
        "first recall": first,
        "second recall": second,
        "delete a conversation": deleted,
    }
    return {
        f"{name} {cut}, ms": round(statistics.quantiles(took, n=20)[at], 2)
        for name, took in rows.items()
        for cut, at in (("p50", 9), ("p95", 18))
    }


def sizes(url: str) -> dict[str, float]:
    """Messages and bytes of the database, and how evenly its partitions are filled."""
    with psycopg.connect(url, autocommit=True) as connection:
        [(size,)] = connection.execute("SELECT pg_database_size(current_database())").fetchall()
        parts = connection.execute(
            "SELECT c.reltuples FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid "
            "JOIN pg_class p ON p.oid = i.inhparent WHERE p.relname = 'messages'"
        ).fetchall()
    rows = [max(0.0, float(part[0])) for part in parts]
    return {
        "messages": round(sum(rows)),
        "GB of the database": round(size / 1e9, 1),
        "bytes a message": round(size / max(1, sum(rows))),
        "partitions of messages": len(rows),
        "largest partition, share": round(max(rows) / max(1, sum(rows)), 3),
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tenants", type=int, default=100_000)
    options.add_argument("--each", type=int, default=100, help="messages of a tenant")
    options.add_argument("--seconds", type=float, default=60, help="for which messages are appended")
    chosen, run = options.parse_args(), Run("psycopg")
    # More memory than for tests, as a server of this size would have.
    server = Server(safe=True, options=("shared_buffers=1GB", "max_wal_size=8GB", "maintenance_work_mem=512MB"))
    try:
        databases = Databases(server.url("postgres", ADMIN))
        name = databases.create()
        with psycopg.connect(databases.url(name, ADMIN), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")
        migrate(databases.url(name, OWNER), role=APP)
        settings = Settings.load({"store.url": databases.url(name), "layers.summarization": False}, environ={})
        row = asyncio.run(told(settings, chosen.tenants, chosen.each, chosen.seconds))
        admin = databases.url(name, ADMIN)
        row["seconds to copy"] = round(copy(admin, int(row["tenants told"]), chosen.tenants))
        row |= {"tenants": chosen.tenants, **sizes(admin), **asyncio.run(asked(settings, chosen.tenants))}
    finally:
        server.remove()
    print(row)
    run.write("tenants", {"rows": {"measured": {"PostgreSQL": row}}})


if __name__ == "__main__":
    main()
