"""Measures one memory inside its own environment, and prints one line of JSON.

    quality NAME WORK                     every case of WORK/data.json: writes, and what is found
    cost NAME WORK SIZE SECONDS           one person with so many turns; the bulk ends after so much CPU
    cold NAME WORK SIZE                   the folder that `cost` left: open, the first question, deleting
    crowd NAME WORK USERS SECONDS         so many people of a hundred turns each
    strangers NAME WORK USERS SECONDS     the folder that `crowd` left: each asked once, about a turn of theirs
    about NAME WORK                       packages, and the time of the import

`bench/peers.py` writes WORK and starts this; WORK/vectors.npy holds a vector for each text of WORK/texts.json.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.metadata import distributions, requires
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from bench._peer_limits import LIMITS
from bench._peer_stores import STORES as PEER_STORES
from bench._peer_stores import PeerStore

STORES = {**PEER_STORES, **LIMITS}
DEPTH, DEEP, TOP, LAST, SINGLES, ASKED = 20, 100, 5, 10, 100, 50
"""Hits of a question, those that may fill a context, those of a recall, turns of a window, single writes."""
CONVERSATION, DELETED, EACH = 200, 3, 100
"""Turns of a conversation, conversations that are deleted, turns of each of a crowd."""
LIKE, LEAST_WORDS, MARK = 0.9, 8, " ("
"""Share of its turn's vector in a question's, the fewest words of such a turn, and the word that ends them."""
PATIENCE = 2
"""A server's work is not in the CPU of this process: filling ends after so many times its seconds of waiting."""
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
        # As arrays: lists of numbers would take sixteen times the memory, which is measured.
        self._known: dict[str, Any] = dict(zip(texts, np.load(work / "vectors.npy"), strict=True))
        self._make = make

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        fresh = [text for text in dict.fromkeys(texts) if text not in self._known]
        if fresh:
            made = [np.asarray(vector, dtype=np.float32) for vector in self._make(fresh)]
            self._known.update(zip(fresh, made, strict=True))
        return [self._known[text].tolist() for text in texts]


def by_hash(texts: Sequence[str]) -> list[Any]:
    """Unit vectors that cost little: where cost alone is measured."""
    seeds = [int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) for text in texts]
    made = [np.random.Generator(np.random.PCG64(seed)).standard_normal(512, dtype=np.float32) for seed in seeds]
    return [item / np.linalg.norm(item) for item in made]


def likened(base_of: Mapping[str, str]) -> Callable[[Sequence[str]], list[Any]]:
    """Make unit vectors by hash: a question shares the larger part of its vector with the turn it asks about."""

    def made(texts: Sequence[str]) -> list[Any]:
        shared = by_hash([base_of.get(text) or text.rpartition(MARK)[0] or text for text in texts])
        mixed = [
            LIKE * left + (1 - LIKE**2) ** 0.5 * right for left, right in zip(shared, by_hash(texts), strict=True)
        ]
        return [item / np.linalg.norm(item) for item in mixed]

    return made


def encoded(texts: Sequence[str]) -> Sequence[Any]:
    """Return the model's vectors; an environment without it asks our own, whose CPU is not this process's."""
    if find_spec("rememora") is not None:
        from bench._peer_own import encoded as own

        return own(texts)
    own_model = _own_model()
    assert own_model.stdin is not None
    assert own_model.stdout is not None
    own_model.stdin.write(json.dumps(list(texts)) + "\n")
    own_model.stdin.flush()
    return [np.array(vector, dtype=np.float32) for vector in json.loads(own_model.stdout.readline())]


@cache
def _own_model() -> subprocess.Popen[str]:
    """Start our own model in its environment; it ends with this process, whose end it reads."""
    command = [os.environ["BENCH_PYTHON"], str(Path(__file__).with_name("_peer_own.py"))]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


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
    """What each question of each case brings up: hits, and as many more as may fill a context."""
    known, cases = KnownVectors(work, encoded), cases_of(work)
    hits: list[list[list[str]]] = []
    deep: list[list[list[str]]] = []
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
            hits.append(answers)
            deep.append([store.search(case["name"], text, DEEP) for text in case["asked"]])
            store.close()
    return {"hits": hits, "deep": deep, "add": statistics.mean(added), "search": statistics.median(searched)}


@cache
def cases_of(work: Path) -> list[dict[str, Any]]:
    """What `bench/peers.py` wrote."""
    cases: list[dict[str, Any]] = json.loads((work / "data.json").read_text(encoding="utf-8"))
    return cases


def turns_of(work: Path, size: int, person: str = "") -> tuple[list[dict[str, str]], list[str]]:
    """So many turns of one person, each another text, and questions."""
    base = cases_of(work)
    said = [turn for case in base for turn in case["turns"]]
    turns = []
    for number in range(size):
        of = said[number % len(said)]
        text = f"{of['text']}{MARK}{person}{number})"
        message = json.dumps({"content": text})
        place = {"conversation": f"c{number // CONVERSATION}", "place": str(number), "message": message}
        turns.append({"id": f"{person}t{number}", "role": of["role"], "text": text, **place})
    return turns, [text for case in base for text in case["asked"]][:ASKED]


def asked(store: PeerStore, questions: Sequence[str]) -> dict[str, float]:
    """The median of questions, after a few that do not count."""
    clocks = []
    for text in questions:
        with Clock() as spent:
            store.search("ana", text, TOP)
        clocks.append((spent.cpu, spent.wall))
    cpu, wall = (statistics.median(clock[place] for clock in clocks[5:]) for place in (0, 1))
    return {"recall top 5, CPU ms": round(cpu, 2), "recall top 5, ms": round(wall, 2)}


def window(store: PeerStore, conversation: str) -> dict[str, float]:
    """The median of reading the last turns of a conversation, where the store knows what that is."""
    clocks = []
    for _ in range(ASKED):
        with Clock() as spent:
            try:
                turns = store.last("ana", conversation, LAST)
            except NotImplementedError:
                return {}
        if len(turns) != LAST:
            raise ValueError(f"{len(turns)} of the last {LAST} turns came back")
        clocks.append((spent.cpu, spent.wall))
    cpu, wall = (statistics.median(clock[place] for clock in clocks) for place in (0, 1))
    return {"last 10, CPU ms": round(cpu, 3), "last 10, ms": round(wall, 3)}


def resident() -> float:
    """Megabytes that the process holds."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return round(next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024)


def on_disk(folder: Path) -> float:
    """Megabytes of all files."""
    return round(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6, 1)


def emptied(folder: Path) -> Path:
    """A new folder of this name."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def filled(
    store: PeerStore, parts: Sequence[tuple[str, Sequence[dict[str, str]]]], seconds: float
) -> tuple[int, float]:
    """Write part after part in bulk until the time is over: how many were written, and CPU ms a turn, settled."""
    began, waited, done, turns = time.process_time(), time.perf_counter(), 0, 0
    with Clock() as spent:
        for user, part in parts:
            store.many(user, part)
            done, turns = done + 1, turns + len(part)
            if time.process_time() - began > seconds or time.perf_counter() - waited > PATIENCE * seconds:
                break
        store.settle()
    return done, spent.cpu / turns


def cost(name: str, work: Path, size: int, seconds: float) -> dict[str, Any]:
    """One person with so many turns: bulk, single writes, questions, the last turns, memory and disk."""
    folder = emptied(work / f"{name}-{size}")
    turns, questions = turns_of(work, size)
    known = KnownVectors(work, by_hash)
    known([turn["text"] for turn in turns])
    before = resident()
    store, row = STORES[name](folder, known), dict[str, Any]()
    bulk = turns[: size - SINGLES]
    parts = [("ana", bulk[start : start + CONVERSATION]) for start in range(0, len(bulk), CONVERSATION)]
    done, item = filled(store, parts, seconds)
    row["turns"] = sum(len(part) for _, part in parts[:done]) + SINGLES
    row["bulk, CPU ms a turn"] = round(item, 3)
    with Clock() as spent:
        for turn in turns[-SINGLES:]:
            store.add("ana", turn)
        # Once, as the background gathers what was written; a check of every loop after each turn is not its work.
        store.settle()
    row |= {"write, CPU ms": round(spent.cpu / SINGLES, 3), "write, ms": round(spent.wall / SINGLES, 3)}
    row |= asked(store, questions) | window(store, turns[-1]["conversation"])
    row |= {"MB added": resident() - before} | ({"MB on disk": on_disk(folder)} if store.durable else {})
    store.close()
    return row


def warmed(name: str, known: KnownVectors) -> None:
    """Open the store once elsewhere: imports are measured apart."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as empty:
        STORES[name](Path(empty), known).close()


def cold(name: str, work: Path, size: int) -> dict[str, Any]:
    """Open what is there, ask the first question, delete conversations, and then the person."""
    _, questions = turns_of(work, 1)
    known = KnownVectors(work, by_hash)
    warmed(name, known)
    with Clock() as opening:
        store = STORES[name](work / f"{name}-{size}", known)
        store.search("ana", questions[0], TOP)
    row = {
        "open and first recall, CPU ms": round(opening.cpu, 1),
        "open and first recall, ms": round(opening.wall, 1),
        **deleted_conversations(store),
    }
    with Clock() as deleting:
        store.delete("ana")
        store.settle()
    store.close()
    return row | {"delete the person, CPU ms": round(deleting.cpu, 1)}


def deleted_conversations(store: PeerStore) -> dict[str, float]:
    """The median of deleting a conversation of 200 turns, where the store knows what that is."""
    clocks = []
    for number in range(DELETED):
        with Clock() as spent:
            try:
                store.delete_conversation("ana", f"c{number}")
            except NotImplementedError:
                return {}
            store.settle()
        clocks.append((spent.cpu, spent.wall))
    cpu, wall = (statistics.median(clock[place] for clock in clocks) for place in (0, 1))
    return {"delete a conversation, CPU ms": round(cpu, 2), "delete a conversation, ms": round(wall, 2)}


def crowd(name: str, work: Path, users: int, seconds: float) -> dict[str, Any]:
    """Write a hundred turns of each of so many people."""
    known = KnownVectors(work, likened({}))
    parts = [(f"user{number}", turns_of(work, EACH, f"{number}-")[0]) for number in range(users)]
    for _, part in parts:
        known([turn["text"] for turn in part])
    folder = emptied(work / f"{name}-crowd")
    store = STORES[name](folder, known)
    done, item = filled(store, parts, seconds)
    store.close()
    disk = {"MB on disk": on_disk(folder)} if store.durable else {}
    return {"users": done, "turns": done * EACH, "bulk, CPU ms a turn": round(item, 3), **disk}


def questions_of(work: Path) -> dict[str, tuple[str, int]]:
    """Each question of a crowd, every second word of a turn: what it asks about, and the place of that turn."""
    turns, _ = turns_of(work, EACH)
    bases = [turn["text"].rpartition(MARK)[0] for turn in turns]
    return {
        " ".join(base.split()[::2]): (base, place)
        for place, base in enumerate(bases)
        if len(base.split()) >= LEAST_WORDS and bases.count(base) == 1
    }


def strangers(name: str, work: Path, users: int, seconds: float) -> dict[str, Any]:
    """Open what `crowd` left; ask each person one question, about one of their turns, until the time is over."""
    about = questions_of(work)
    known, questions = KnownVectors(work, likened({text: base for text, (base, _) in about.items()})), list(about)
    known(questions)
    warmed(name, known)
    order = list(range(users))
    # Mixed, so that those who were asked when the time is over are of all ages.
    random.Random(1).shuffle(order)
    before, began = resident(), time.perf_counter()
    store, clocks, empty, right = STORES[name](work / f"{name}-crowd", known), [], 0, 0
    for number in order:
        question = questions[number % len(questions)]
        with Clock() as spent:
            hits = store.search(f"user{number}", question, TOP)
        empty += not hits
        right += f"{number}-t{about[question][1]}" in hits
        clocks.append((spent.cpu, spent.wall))
        if time.perf_counter() - began > PATIENCE * seconds:
            break
    if empty > len(clocks) / 2:
        raise ValueError(f"nothing came back for {empty} of {len(clocks)} people")
    added = resident() - before
    store.close()
    cpu, wall = (sorted(clock[place] for clock in clocks) for place in (0, 1))
    middle, late = len(clocks) // 2, int(len(clocks) * 0.95)
    return {
        "people asked": len(clocks),
        "first recall p50, CPU ms": round(cpu[middle], 2),
        "first recall p95, CPU ms": round(cpu[late], 2),
        "first recall p50, ms": round(wall[middle], 2),
        "first recall p95, ms": round(wall[late], 2),
        "questions without a hit": empty,
        "turn found among 5, %": round(100 * right / len(clocks), 1),
        "MB added": added,
    }


def needed(name: str, extras: set[str]) -> set[str]:
    """A package and all that it asks for, with some of its extras."""
    from packaging.requirements import Requirement

    result, waiting = set[str](), [(name, frozenset(extras))]
    while waiting:
        package, expected = waiting.pop()
        result.add(package)
        for line in requires(package) or ():
            requirement = Requirement(line)
            marked = (
                [requirement.marker.evaluate({"extra": extra}) for extra in ("", *expected)]
                if requirement.marker
                else [True]
            )
            label = re.sub(r"[-_.]+", "-", requirement.name).lower()
            if any(marked) and (label not in result or requirement.extras):
                waiting += (
                    [(label, frozenset(requirement.extras))]
                    if label != package or requirement.extras - expected
                    else []
                )
    return result


def about(name: str) -> dict[str, Any]:
    """How many packages are there, and what an import costs."""
    module = MODULES.get(name.partition("-")[0], name.partition("-")[0])
    with Clock() as spent:
        __import__(module)
    there = {str(item.metadata["Name"]) for item in distributions()}
    return {
        # Ours runs where the tests do, beside packages that it does not ask for.
        "packages": len(needed("rememora", {"local"}) if name.startswith(OWN) else there),
        "import, CPU s": round(spent.cpu / 1e3, 2),
        "MB after the import": resident(),
    }


MODES: dict[str, Callable[..., dict[str, Any]]] = {
    "quality": quality,
    "cost": lambda name, work, size, seconds: cost(name, work, int(size), float(seconds)),
    "cold": lambda name, work, size: cold(name, work, int(size)),
    "crowd": lambda name, work, users, seconds: crowd(name, work, int(users), float(seconds)),
    "strangers": lambda name, work, users, seconds: strangers(name, work, int(users), float(seconds)),
    "about": lambda name, work: about(name),  # noqa: ARG005
}


def main() -> None:
    mode, name, place, *more = sys.argv[1:]
    print(json.dumps(MODES[mode](name, Path(place), *more)))


if __name__ == "__main__":
    main()
    # Threads of some peers never end.
    sys.stdout.flush()
    os._exit(0)
