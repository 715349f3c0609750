"""Measures one memory inside its own environment, and prints one line of JSON.

    python bench/_peer_child.py quality NAME WORK         every case of WORK/data.json: writes, and what is found
    python bench/_peer_child.py cost NAME WORK SIZE       one person with so many turns
    python bench/_peer_child.py cold NAME WORK SIZE       the folder that `cost` left: open, and the first question
    python bench/_peer_child.py about NAME WORK           packages, and the time of the import

`bench/peers.py` writes WORK and starts this; WORK/vectors.npy holds a vector for each text of WORK/texts.json.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.metadata import distributions, requires
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from bench._peer_stores import STORES, PeerStore

DEPTH, TOP, SINGLES, ASKED = 20, 5, 100, 50
FILL_SECONDS = 60.0
"""CPU after which a store is measured with what it holds."""
OWN = "rememora"
MODULES = {
    "chroma": "chromadb",
    "hindsight": "hindsight_api.engine.memory_engine",
    "langgraph": "langgraph.store.base",
    "mempalace": "mempalace.searcher",
}


class KnownVectors:
    """Vectors of every text, and for texts of a memory's own a way to make them."""

    def __init__(self, work: Path, make: Callable[[Sequence[str]], Sequence[Any]]) -> None:
        texts = json.loads((work / "texts.json").read_text(encoding="utf-8"))
        self._known = dict(zip(texts, np.load(work / "vectors.npy").tolist(), strict=True))
        self._make = make

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        fresh = [text for text in dict.fromkeys(texts) if text not in self._known]
        if fresh:
            made = [np.asarray(vector, dtype=np.float32).tolist() for vector in self._make(fresh)]
            self._known.update(zip(fresh, made, strict=True))
        return [self._known[text] for text in texts]


def by_hash(texts: Sequence[str]) -> list[Any]:
    """Unit vectors that cost little: where cost alone is measured."""
    seeds = [int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) for text in texts]
    made = [np.random.Generator(np.random.PCG64(seed)).standard_normal(512, dtype=np.float32) for seed in seeds]
    return [each / np.linalg.norm(each) for each in made]


def encoded(texts: Sequence[str]) -> Sequence[Any]:
    """The model itself, which is only there for our own texts."""
    from bench._peer_own import encoded as own

    return own(texts)


class Clock:
    """CPU of the whole process and wall time of what runs inside."""

    def __enter__(self) -> Clock:
        self._began = time.process_time(), time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self.cpu = 1e3 * (time.process_time() - self._began[0])
        self.wall = 1e3 * (time.perf_counter() - self._began[1])


def written(store: PeerStore, case: dict[str, Any]) -> float:
    """CPU milliseconds a turn, one after the other, background work counted."""
    with Clock() as spent:
        for turn in case["turns"]:
            store.add(case["name"], turn)
        store.settle()
    return spent.cpu / len(case["turns"])


def quality(name: str, work: Path) -> dict[str, Any]:
    """What is found for each question of each case."""
    known, cases = KnownVectors(work, encoded), json.loads((work / "data.json").read_text(encoding="utf-8"))
    found: list[list[list[str]]] = []
    added, searched = [], []
    for case in cases:
        os.environ["BENCH_PEER_NOW"] = case["now"]
        if name.startswith(OWN):
            # Once beforehand, so that the vectors of our own texts are known as those of the turns are.
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                store = STORES[name](Path(folder), known)
                written(store, case)
                store.close()
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            store = STORES[name](Path(folder), known)
            added.append(written(store, case))
            answers = []
            for text in case["asked"]:
                with Clock() as spent:
                    answers.append(store.search(case["name"], text, DEPTH))
                searched.append(spent.cpu)
            store.close()
        found.append(answers)
    return {"found": found, "add": statistics.mean(added), "search": statistics.median(searched)}


def turns_of(work: Path, size: int) -> tuple[list[dict[str, str]], list[str]]:
    """So many turns of one person, each another text, and questions."""
    base = json.loads((work / "data.json").read_text(encoding="utf-8"))
    said = [turn for case in base for turn in case["turns"]]
    turns = []
    for number in range(size):
        of = said[number % len(said)]
        text = f"{of['text']} ({number})"
        message = json.dumps({"content": text})
        place = {"conversation": f"c{number // 200}", "message": message}
        turns.append({"id": f"t{number}", "role": of["role"], "text": text, **place})
    return turns, [text for case in base for text in case["asked"]][:ASKED]


def asked(store: PeerStore, questions: Sequence[str]) -> dict[str, float]:
    """The median of questions, after a few that do not count."""
    clocks = []
    for text in questions:
        with Clock() as spent:
            store.search("ana", text, TOP)
        clocks.append((spent.cpu, spent.wall))
    cpu, wall = (statistics.median(each[place] for each in clocks[5:]) for place in (0, 1))
    return {"recall top 5, CPU ms": round(cpu, 2), "recall top 5, ms": round(wall, 2)}


def resident() -> float:
    """Megabytes that the process holds."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return round(next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024)


def cost(name: str, work: Path, size: int) -> dict[str, Any]:
    """One person with so many turns: bulk, single writes, questions, disk; then everything of them is deleted."""
    folder = work / f"{name}-{size}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    turns, questions = turns_of(work, size)
    known = KnownVectors(work, by_hash)
    known([turn["text"] for turn in turns])
    store, row = STORES[name](folder, known), dict[str, Any]()
    bulk, began, done = turns[: size - SINGLES], time.process_time(), 0
    with Clock() as spent:
        for start in range(0, len(bulk), 1000):
            store.many("ana", bulk[start : start + 1000])
            done = min(start + 1000, len(bulk))
            if time.process_time() - began > FILL_SECONDS:
                break
        store.settle()
    row["turns"] = done + SINGLES
    row["bulk, CPU ms a turn"] = round(spent.cpu / done, 3)
    with Clock() as spent:
        for turn in turns[-SINGLES:]:
            store.add("ana", turn)
        # Once, as the background gathers what was written; a check of every loop after each turn is not its work.
        store.settle()
    row |= {"write, CPU ms": round(spent.cpu / SINGLES, 2), "write, ms": round(spent.wall / SINGLES, 2)}
    row |= asked(store, questions) | {"MB resident": resident()}
    disk = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    row |= {"MB on disk": round(disk / 1e6, 1)} if store.durable else {}
    store.close()
    return row


def cold(name: str, work: Path, size: int) -> dict[str, Any]:
    """Open what is there, ask the first question, and then delete the person."""
    _, questions = turns_of(work, 1)
    known = KnownVectors(work, by_hash)
    # Imports are measured apart.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as empty:
        STORES[name](Path(empty), known).close()
    with Clock() as opening:
        store = STORES[name](work / f"{name}-{size}", known)
        store.search("ana", questions[0], TOP)
    with Clock() as deleting:
        store.delete("ana")
        store.settle()
    store.close()
    return {
        "open and first recall, CPU ms": round(opening.cpu, 1),
        "open and first recall, ms": round(opening.wall, 1),
        "delete the person, CPU ms": round(deleting.cpu, 1),
    }


def needed(name: str, extras: set[str]) -> set[str]:
    """A package and all that it asks for, with some of its extras."""
    from packaging.requirements import Requirement

    found, waiting = set[str](), [(name, frozenset(extras))]
    while waiting:
        package, wanted = waiting.pop()
        found.add(package)
        for line in requires(package) or ():
            asked = Requirement(line)
            marked = (
                [asked.marker.evaluate({"extra": extra}) for extra in ("", *wanted)] if asked.marker else [True]
            )
            label = re.sub(r"[-_.]+", "-", asked.name).lower()
            if any(marked) and (label not in found or asked.extras):
                waiting += [(label, frozenset(asked.extras))] if label != package or asked.extras - wanted else []
    return found


def about(name: str) -> dict[str, Any]:
    """How many packages are there, and what an import costs."""
    module = MODULES.get(name.partition("-")[0], name.partition("-")[0])
    with Clock() as spent:
        __import__(module)
    there = {str(each.metadata["Name"]) for each in distributions()}
    return {
        # Ours runs where the tests do, beside packages that it does not ask for.
        "packages": len(needed("rememora", {"local"}) if name.startswith(OWN) else there),
        "import, CPU s": round(spent.cpu / 1e3, 2),
        "MB after the import": resident(),
    }


def main() -> None:
    mode, name, place, *more = sys.argv[1:]
    work = Path(place)
    if mode == "about":
        print(json.dumps(about(name)))
        return
    if mode == "quality":
        told = quality(name, work)
    else:
        told = (cost if mode == "cost" else cold)(name, work, int(more[0]))
    print(json.dumps(told))


if __name__ == "__main__":
    main()
    # Threads of some peers never end.
    sys.stdout.flush()
    os._exit(0)
