"""Recall where everybody is asked seldom: many users, a random one each time, at a steady rate.

    python bench/recall_server.py                        10,000 users of 200 messages, 100 questions a second
    python bench/recall_server.py --users 1000 --write   fewer, into bench/results/recall_server.json

A few users are told through the product and settled; the others are copies of their rows under other names, for
to tell two million messages would take an hour. Vectors of 384 numbers are made of a hash, so that the embedder
takes nothing. Questions are asked of the library in one process, as a server's process asks it; HTTP is not in it.
Each is measured by itself, in CPU of the whole process. Then they are put in a queue as they would come, at fixed
times whether or not the one before was answered: the latency is the time from there to the answer of a process
that has a core to itself. So it tells of this program and not of others on the machine.

Beside it: by how much the process's own memory (RssAnon) has grown after each of 1,000 users of 100 was asked
once, and after each was asked a second time, with the default limit of memory and with one of 100 MB, and the
share of the store on disk that the features take.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench._frame import Run
from bench.recall_cold import LIMIT, HashEmbedder, line, lines, vector_of

from rememora import Rememora, Settings
from rememora.server.heap import freeze_loaded

TOLD = 20
"""Users that are told; the others are copies of them."""
COPIED = {
    "conversations": "user_id",
    "messages": "user_id",
    "summaries": "user_id",
    "episodes": "user_id",
    "index_entries": "user_id",
    "vectors": "user_id",
}
AIMS = {"p95_ms": 15.0, "memory_mb": 100.0, "features_share": 0.4}


def settings(folder: Path, **others: Any) -> Settings:
    """The default settings on a store of this folder, and `others` in place of some."""
    chosen = {"store.url": str(folder / "store"), "store.key_folder": str(folder / "keys"), **others}
    return Settings.load({"store.synchronous": "normal", **chosen}, environ={})


async def opened(chosen: Settings) -> Any:
    """A store whose process has compiled and loaded what belongs to nobody, and left it alone as a server does."""
    rememora = await Rememora.open(settings=chosen, embedder=HashEmbedder(), background=False)
    await rememora._parts.turns.gatherer.ready()
    await rememora.user("nobody", tenant="bench").recall("aviso", limit=LIMIT)
    freeze_loaded()
    return rememora


async def tell(folder: Path, *, users: int, count: int) -> None:
    """Have some users say their messages, and copy them until there are so many."""
    rememora = await opened(settings(folder))
    for user in range(min(users, TOLD)):
        person, said = rememora.user(f"u{user}", tenant="bench"), lines(user, count, 14)
        for start in range(0, count, 50):
            chat = person.conversation(f"c{start}")
            await chat.append_many({"role": "user", "content": text} for text in said[start : start + 50])
    await rememora.settle()
    await rememora.close()
    copy(folder / "store" / "rememora.db", users)


def copy(file: Path, users: int) -> None:
    """Copy the rows of the first users under other names, owner after owner."""
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    known = {table: [row[1] for row in connection.execute(f"PRAGMA table_info({table})")] for table in COPIED}
    connection.execute("BEGIN")
    for user in range(TOLD, users):
        for table, owner in COPIED.items():
            names = ", ".join(known[table])
            values = ", ".join(":other" if name == owner else name for name in known[table])
            reply = {"other": f"u{user}", "user": f"u{user % TOLD}"}
            connection.execute(
                f"INSERT INTO {table} ({names}) SELECT {values} FROM {table}"
                f" WHERE tenant_id = 'bench' AND {owner} = :user",
                reply,
            )
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def own_memory() -> float:
    """Megabytes of the process's own memory."""
    for reply in Path("/proc/self/status").read_text().splitlines():
        if reply.startswith("RssAnon"):
            return int(reply.split()[1]) / 1024
    return 0.0


async def serve(folder: Path, *, users: int, rate: int, count: int) -> dict[str, float]:
    """Milliseconds of CPU of each question, and from its time to its answer where they come at a rate."""
    rememora, chance = await opened(settings(folder)), random.Random(7)
    took: list[float] = []
    for number in range(count):
        user, text = f"u{chance.randrange(users)}", line(-number - 1, 6)
        vector_of(text)
        cpu = time.process_time()
        await rememora.user(user, tenant="bench").recall(text, limit=LIMIT)
        took.append(1e3 * (time.process_time() - cpu))
        vector_of.cache_clear()
    await rememora.close()
    waited = queued(took, rate)
    cuts, mine = statistics.quantiles(waited, n=100), statistics.quantiles(took, n=100)
    return {
        "questions": len(took),
        "cpu_ms": round(statistics.mean(took), 2),
        "cpu_p95_ms": round(mine[94], 2),
        "p50_ms": round(cuts[49], 2),
        "p95_ms": round(cuts[94], 2),
        "p99_ms": round(cuts[98], 2),
    }


def queued(took: Sequence[float], rate: int) -> list[float]:
    """Milliseconds that each waits and is answered in, one after the other, where they come at a rate."""
    free, items = 0.0, []
    for number, work in enumerate(took):
        due = 1e3 * number / rate
        free = max(free, due) + work
        items.append(free - due)
    return items


async def remember(folder: Path, *, users: int, limit_mb: int | None) -> dict[str, float]:
    """The process's own memory that the indexes of so many users take."""
    others = {} if limit_mb is None else {"recall.memory_mb": limit_mb}
    rememora = await opened(settings(folder, **others))
    before, result = own_memory(), {}
    for turn in ("once", "twice"):
        for user in range(users):
            text = line(-user - 1, 6)
            await rememora.user(f"u{user}", tenant="bench").recall(text, limit=LIMIT)
            vector_of.cache_clear()
        result[f"mb, asked {turn}"] = round(own_memory() - before, 1)
        result[f"users in memory, asked {turn}"] = len(rememora._parts.searcher()._indexes)
    await rememora.close()
    return result


def on_disk(folder: Path) -> dict[str, float]:
    """Megabytes of the store, and of the features in it."""
    file = folder / "store" / "rememora.db"
    connection = sqlite3.connect(file)
    (features,) = connection.execute("SELECT sum(length(features)) FROM index_entries").fetchone()
    connection.close()
    size = file.stat().st_size
    share = features / (size - features)
    return {
        "store_mb": round(size / 2**20, 1),
        "features_mb": round(features / 2**20, 1),
        "grows by": round(share, 3),
    }


def verdicts(figures: dict[str, Any]) -> dict[str, bool]:
    """Which aims are met."""
    measured = {
        "p95_ms": figures["served"]["p95_ms"],
        "memory_mb": figures["memory"]["limit of 100 MB"]["mb, asked once"],
        "features_share": figures["disk"]["grows by"],
    }
    return {f"{name} within {aim:g}": measured[name] <= aim for name, aim in AIMS.items()}


def _apart(folder: Path, limit_mb: int | None) -> dict[str, float]:
    """Measure memory in a process of its own: what another measurement has freed would be taken again."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_remembered, folder, limit_mb).result()


def _remembered(folder: Path, limit_mb: int | None) -> dict[str, float]:
    return asyncio.run(remember(folder, users=1_000, limit_mb=limit_mb))


async def measure(chosen: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as place:
        large, small = Path(place, "large"), Path(place, "small")
        await tell(large, users=chosen.users, count=chosen.each)
        print("told", file=sys.stderr, flush=True)
        served = await serve(large, users=chosen.users, rate=chosen.rate, count=chosen.questions)
        disk = on_disk(large)
        print(served, disk, file=sys.stderr, flush=True)
        await tell(small, users=1_000, count=100)
        memory = {
            "default limit": _apart(small, None),
            "limit of 100 MB": _apart(small, 100),
        }
    return {"served": served, "disk": disk, "memory": memory}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--users", type=int, default=10_000)
    options.add_argument("--each", type=int, default=200)
    options.add_argument("--rate", type=int, default=100)
    options.add_argument("--questions", type=int, default=3_000)
    options.add_argument("--write", action="store_true", help="into bench/results")
    chosen, run = options.parse_args(), Run()
    plan = {name: getattr(chosen, name) for name in ("users", "each", "rate")}
    result = asyncio.run(measure(chosen))
    run.write("recall_server", {**plan, **result, "aims": verdicts(result)}, keep=chosen.write)


if __name__ == "__main__":
    main()
