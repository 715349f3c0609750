"""How recall grows: one user with 1,000 to 1,000,000 messages, and 1,000,000 vectors of 1,000 users in one folder.

    python bench/recall_growth.py                     one user up to 100,000 messages; many of 100 and of 1,000
    python bench/recall_growth.py --long --write      up to 1,000,000; 1,000 users of 1,000 (15 to 20 minutes)
    python bench/recall_growth.py --sizes 1:1000000   one size, as users:messages

Each store is filled, indexed and asked twice in processes of their own, so that memory is that of one act alone.
The first that asks makes the layout, the second finds it saved where the user is large. Texts are LoCoMo's turns
over and over; vectors are made of a hash beforehand, with 512 numbers as the default model's: what is measured
here is cost, and a real model would only add its own. Nobody is asked the same twice, one user after the other, in
28 rounds of fifty: on a machine that others use too the same work costs twice as much in one moment as in the
next. `recall p50` is that of the best round, `in all rounds` that of every question. CPU is that of the whole
process, every thread included. Memory is what `/proc/self/status` says, ten times a second, at the most: `own` is
RssAnon, `mapped` is RssFile, which the system takes back when it needs it. `--write` puts the figures into
bench/results.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Awaitable, Iterator, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import numpy as np
from bench._frame import Run
from bench.recall import locomo
from numpy.typing import NDArray

from rememora import Rememora, Settings
from rememora.recall import search

PER_CONVERSATION, DIMENSION, ASKED, VISITED, ROUNDS = 200, 512, 50, 50, 28
NO_INDEX = 10_000_000
FIRST = ("first recall, s", "first recall, CPU ms")
AGAIN = (*FIRST, "recall p50, CPU ms", "in all rounds, CPU ms", "MB own", "MB mapped", "MB both")
"""Figures that are taken once more after a restart."""

Found = dict[str, dict[str, float]]


class HashEmbedder:
    """Vectors that cost next to nothing: the same text, the same vector."""

    name, dimension = "hash", DIMENSION

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.float32]]:
        return [vector_of(text) for text in texts]


@cache
def vector_of(text: str) -> NDArray[np.float32]:
    chance = np.random.Generator(np.random.PCG64(zlib.crc32(text.encode())))
    values = chance.standard_normal(DIMENSION, dtype=np.float32)
    return values / np.float32(np.linalg.norm(values))


class Memory(threading.Thread):
    """The most that this process has taken of each kind of memory, looked at ten times a second."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most = {"own": 0.0, "mapped": 0.0, "both": 0.0}
        self._done = threading.Event()

    def run(self) -> None:
        while not self._done.wait(0.1):
            self.look()

    def look(self) -> None:
        lines = Path("/proc/self/status").read_text().splitlines()
        result = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines if line.startswith("Rss")}
        now = {"own": result["RssAnon"], "mapped": result["RssFile"]}
        now["both"] = sum(now.values())
        self.most = {name: max(self.most[name], now[name]) for name in now}

    def end(self, label: str = "") -> dict[str, float]:
        self.look()
        self._done.set()
        return {f"MB {name}{label}": round(most) for name, most in self.most.items()}


def opening(folder: Path, **more: object) -> Any:
    """A store whose layers beside recall keep out of the way."""
    chosen = {"store.url": str(folder), "store.synchronous": "normal", "layers.summarization": False}
    settings = Settings.load({**chosen, "episodes.threshold": 1000, **more}, environ={})
    return Rememora.open(settings=settings, embedder=HashEmbedder(), background=False)


def said(texts: Sequence[str], count: int, *, start: int) -> Iterator[dict[str, str]]:
    roles = ("user", "assistant")
    return (
        {"role": roles[number % 2], "content": texts[number % len(texts)]}
        for number in range(start, start + count)
    )


async def fill(folder: Path, texts: Sequence[str], users: int, count: int) -> dict[str, float]:
    """Store `each` messages for each of `users`, and embed them."""
    began = time.process_time()
    async with opening(folder, **{"recall.ann_rows": NO_INDEX}) as rememora:
        for user in range(users):
            memory = rememora.user(f"u{user}", tenant="bench")
            for start in range(0, count, PER_CONVERSATION):
                chat = memory.conversation(f"c{start}")
                await chat.append_many(said(texts, min(PER_CONVERSATION, count - start), start=start + user))
        await rememora.settle()
    return {"write and embed, CPU ms each": round(1e3 * (time.process_time() - began) / (users * count), 3)}


async def index(folder: Path) -> dict[str, float]:
    """What the worker writes for a user above `recall.ann_rows`: the files of the vectors."""
    memory = Memory()
    memory.start()
    async with opening(folder) as rememora:
        began = time.process_time()
        await rememora._parts.worker._settling["vectors"]()
        return {"index, CPU s": round(time.process_time() - began, 1)} | memory.end(", indexing")


async def ask(folder: Path, questions: Sequence[str], users: int) -> dict[str, float]:
    """Open the store and ask for some users: what the first question of each costs, what the next, and memory."""
    assert search is not None
    for question in questions:
        vector_of(question)
    memory = Memory()
    memory.look()
    before = memory.most["both"]
    memory.start()
    began = time.perf_counter()
    async with opening(folder) as rememora:
        opened = time.perf_counter() - began
        visited = random.Random(7).sample(range(users), min(users, VISITED))
        people = [rememora.user(f"u{user}", tenant="bench") for user in visited]
        fresh = iter(questions)
        first = [await spent(person.recall(next(fresh))) for person in people]
        in_turn = people * (ASKED // len(people))
        rounds = [[(await spent(person.recall(next(fresh))))[0] for person in in_turn] for _ in range(ROUNDS)]
        following = min(rounds, key=statistics.median)
        taken = memory.end()
        await rememora.settle()
    return {
        "open, ms": round(1e3 * opened, 1),
        "first recall, s": round(statistics.median(wall for _, wall in first) / 1e3, 3),
        "first recall, CPU ms": round(statistics.median(cpu for cpu, _ in first), 1),
        "recall p50, CPU ms": round(statistics.median(following), 2),
        "in all rounds, CPU ms": round(statistics.median(chain.from_iterable(rounds)), 2),
        "recall p95, CPU ms": round(statistics.quantiles(following, n=20)[-1], 2),
        "MB before": round(before),
        **taken,
    }


async def spent(act: Awaitable[object]) -> tuple[float, float]:
    """Milliseconds of CPU, and of waiting."""
    cpu, wall = time.process_time(), time.perf_counter()
    await act
    return 1e3 * (time.process_time() - cpu), 1e3 * (time.perf_counter() - wall)


def apart(*arguments: str) -> dict[str, float]:
    """The same script in a process of its own."""
    done = subprocess.run([sys.executable, __file__, *arguments], check=True, stdout=subprocess.PIPE, text=True)
    document: dict[str, float] = json.loads(done.stdout)
    return document


def grow(sizes: Sequence[tuple[int, int]], data: Path) -> Found:
    """Each size in a fresh folder."""
    result: Found = {}
    for users, item in sizes:
        with tempfile.TemporaryDirectory() as folder:
            where = ("--data", str(data), "--folder", folder, "--users", str(users), "--each", str(item))
            filled = apart("--step", "fill", *where) | apart("--step", "index", *where)
            size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
            label = f"{users:,} user{'s' * (users > 1)} of {item:,}"
            result[label] = apart("--step", "ask", *where) | filled | {"MB on disk": round(size / 1e6)}
            again = apart("--step", "ask", *where)
            result[label] |= {f"{name}, after a restart": again[name] for name in AGAIN}
            print(label, result[label], file=sys.stderr, flush=True)
    return result


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data")
    options.add_argument("--long", action="store_true", help="up to a million")
    options.add_argument("--sizes", nargs="+", help="only these, as users:messages")
    options.add_argument("--write", action="store_true", help="into bench/results")
    for hidden in ("--step", "--folder", "--users", "--each"):
        options.add_argument(hidden, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.step:
        print(json.dumps(asyncio.run(step(chosen))))
        return
    sizes = [(1, 1_000), (1, 10_000), (1, 100_000), (1_000, 100), (100, 1_000)]
    if chosen.long:
        sizes = [*sizes[:4], (1, 1_000_000), (1_000, 1_000)]
    if chosen.sizes:
        sizes = [(int(users), int(item)) for users, item in (size.split(":") for size in chosen.sizes)]
    run = Run("usearch")
    result = grow(sizes, chosen.data)
    run.write("recall_growth", {"sizes": result}, keep=chosen.write)


async def step(chosen: argparse.Namespace) -> dict[str, float]:
    folder, users, number = Path(chosen.folder), int(chosen.users), int(chosen.each)
    cases = list(locomo(chosen.data))
    if chosen.step == "fill":
        return await fill(folder, [row.text for case in cases for row in case.rows], users, number)
    if chosen.step == "index":
        return await index(folder)
    return await ask(folder, [query.text for case in cases for query in case.asked], users)


if __name__ == "__main__":
    main()
