"""How recall grows: one user with 1,000 to 1,000,000 messages, and 1,000,000 vectors of 1,000 users in one folder.

    python bench/recall_growth.py                     one user up to 100,000 messages; 100 users of 1,000
    python bench/recall_growth.py --long              one user up to 1,000,000; 1,000 users of 1,000 (20 minutes)
    python bench/recall_growth.py --save figures.json

Each store is filled and then asked in processes of their own, so that memory is that of asking alone. Texts are
LoCoMo's turns over and over; vectors are made of a hash, with 512 numbers as the default model's: what is measured
here is cost, and a real model would only add its own. CPU is that of the whole process, every thread included.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import numpy as np
from bench.recall import locomo, table
from numpy.typing import NDArray

from rememora import Rememora, Settings
from rememora.recall import search

PER_CONVERSATION, DIMENSION, ASKED, VISITED = 200, 512, 50, 50


class HashEmbedder:
    """Vectors that cost next to nothing: the same text, the same vector."""

    name, dimension = "hash", DIMENSION

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.float32]]:
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> NDArray[np.float32]:
        values = np.random.Generator(np.random.PCG64(zlib.crc32(text.encode()))).standard_normal(
            DIMENSION, dtype=np.float32
        )
        return values / np.float32(np.linalg.norm(values))


def opening(folder: Path) -> Any:
    """A store whose layers beside recall keep out of the way."""
    chosen = {"store.url": str(folder), "store.synchronous": "normal", "layers.summarization": False}
    settings = Settings.load({**chosen, "episodes.threshold": 1000}, environ={})
    return Rememora.open(settings=settings, embedder=HashEmbedder(), background=False)


def said(texts: Sequence[str], count: int, *, start: int) -> Iterator[dict[str, str]]:
    roles = ("user", "assistant")
    return (
        {"role": roles[number % 2], "content": texts[number % len(texts)]}
        for number in range(start, start + count)
    )


async def fill(folder: Path, texts: Sequence[str], users: int, each: int) -> dict[str, float]:
    """Store `each` messages for each of `users`, and embed them."""
    began = time.process_time()
    async with opening(folder) as rememora:
        for user in range(users):
            memory = rememora.user(f"u{user}", tenant="bench")
            for start in range(0, each, PER_CONVERSATION):
                chat = memory.conversation(f"c{start}")
                await chat.append_many(said(texts, min(PER_CONVERSATION, each - start), start=start + user))
        await rememora.settle()
    return {"write and index, CPU ms each": round(1e3 * (time.process_time() - began) / (users * each), 3)}


async def ask(folder: Path, questions: Sequence[str], users: int) -> dict[str, float]:
    """Open the store and ask for some users: what the first question of each costs, what the next, and memory."""
    assert search is not None
    before = megabytes()
    began = time.perf_counter()
    async with opening(folder) as rememora:
        opened = time.perf_counter() - began
        visited = random.Random(7).sample(range(users), min(users, VISITED))
        first: list[float] = []
        following: list[float] = []
        waited: list[float] = []
        for user in visited:
            memory = rememora.user(f"u{user}", tenant="bench")
            for number, question in enumerate(questions[: 1 + max(4, ASKED // len(visited))]):
                cpu, wall = time.process_time(), time.perf_counter()
                await memory.recall(question)
                (following if number else first).append(1e3 * (time.process_time() - cpu))
                if not number:
                    waited.append(time.perf_counter() - wall)
        asked = megabytes()
        await rememora.settle()
    return {
        "open, ms": round(1e3 * opened, 1),
        "first recall, s": round(statistics.median(waited), 3),
        "first recall, CPU ms": round(statistics.median(first), 1),
        "recall p50, CPU ms": round(statistics.median(following), 2),
        "recall p95, CPU ms": round(statistics.quantiles(following, n=20)[-1], 2),
        "MB before": round(before),
        "MB at the most": round(asked),
    }


def megabytes() -> float:
    """The most memory this process has taken so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def apart(*arguments: str) -> dict[str, float]:
    """The same script in a process of its own."""
    done = subprocess.run([sys.executable, __file__, *arguments], check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def grow(sizes: Sequence[tuple[int, int]], data: Path) -> dict[str, dict[str, float]]:
    """Each size in a fresh folder."""
    found = {}
    for users, each in sizes:
        with tempfile.TemporaryDirectory() as folder:
            where = ("--data", str(data), "--folder", folder, "--users", str(users), "--each", str(each))
            filled = apart("--step", "fill", *where)
            size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
            label = f"{users:,} user{'s' * (users > 1)} of {each:,}"
            found[label] = apart("--step", "ask", *where) | filled | {"MB on disk": round(size / 1e6)}
            again = apart("--step", "ask", *where)
            kept = ("first recall, s", "first recall, CPU ms", "MB at the most")
            found[label] |= {f"{name}, after a restart": again[name] for name in kept}
            print(label, found[label], file=sys.stderr)
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data")
    options.add_argument("--long", action="store_true", help="up to a million")
    options.add_argument("--sizes", nargs="+", help="only these, as users:messages")
    options.add_argument("--save", type=Path, help="write the figures as JSON")
    for hidden in ("--step", "--folder", "--users", "--each"):
        options.add_argument(hidden, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.step:
        cases = list(locomo(chosen.data))
        folder, users, each = Path(chosen.folder), int(chosen.users), int(chosen.each)
        texts = [row.text for case in cases for row in case.rows]
        questions = [asked.text for case in cases for asked in case.asked]
        work = fill(folder, texts, users, each) if chosen.step == "fill" else ask(folder, questions, users)
        print(json.dumps(asyncio.run(work)))
        return
    sizes = [(1, 1_000), (1, 10_000), (1, 100_000), (100, 1_000)]
    if chosen.long:
        sizes = [*sizes[:3], (1, 1_000_000), (1_000, 1_000)]
    if chosen.sizes:
        sizes = [(int(users), int(each)) for users, each in (size.split(":") for size in chosen.sizes)]
    found = grow(sizes, chosen.data)
    print(f"\n### Growth\n\n{table(found, list(next(iter(found.values()))))}")
    if chosen.save:
        chosen.save.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
