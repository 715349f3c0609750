"""Rows of the quality tables of `bench/peers.py`: what each memory finds, and what a context of a size holds.

By turn from the first 20 hits, by session from the first 100, both marked as `bench/quality.py` does. Beside the
peers' best turns that fit a budget stand our pack, BM25 passages and the size of the full history, which
`bench/context.py` measures for the same questions.
"""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from bench._peer_tables import SESSION
from bench.context import BUDGETS, Bm25, Spent, spending
from bench.quality import by_session, marks
from bench.recall import Case

PACK, PASSAGES, HISTORY = "Rememora, pack", "BM25 passages", "full history"
CONTEXTS = (PACK, PASSAGES, HISTORY)
"""Rows that tell of a context alone: nothing is searched for them."""
Found = Sequence[Sequence[Sequence[str]]]
"""The ids that each question of each case brought up."""
Row = dict[str, float]


def found_row(answer: Mapping[str, Any], cases: Sequence[Case]) -> Row:
    """The hits for a question by turn and by session, what fits a budget, and the CPU of a write and a search."""
    turns = by_turn(cases, answer["hits"])
    row: Row = {"questions": len(turns), **in_per_cent(turns)}
    row |= {"add, CPU ms": round(answer["add"], 2), "search p50, CPU ms": round(answer["search"], 2)}
    sessions = in_per_cent(in_sessions(cases, answer["deep"]))
    row |= {f"{SESSION}{name}": share for name, share in sessions.items()}
    return row | held(cases, answer["deep"])


def by_turn(cases: Sequence[Case], answered: Found) -> list[Row]:
    """The marks of every question."""
    return [
        marks(ids, query.evidence)
        for case, answers in zip(cases, answered, strict=True)
        for ids, query in zip(answers, case.asked, strict=True)
    ]


def in_sessions(cases: Sequence[Case], answered: Found) -> list[Row]:
    """The marks of every question by the sessions that its hits and its evidence stand in."""
    result = []
    for case, answers in zip(cases, answered, strict=True):
        session_of = {row.id: row.conversation or "" for row in case.rows}
        for ids, query in zip(answers, case.asked, strict=True):
            # A peer may bring up what is no turn.
            names = by_session([id for id in ids if id in session_of], session_of)
            result.append(marks(names, sorted({session_of[turn] for turn in query.evidence})))
    return result


def in_per_cent(marked: Sequence[Row]) -> Row:
    """The mean of every mark."""
    return {name: round(100 * statistics.mean(mark[name] for mark in marked), 1) for name in marked[0]}


def held(cases: Sequence[Case], answers: Found) -> Row:
    """Evidence within a budget: the best turns that fit, with dates and speakers, as in `bench/context.py`."""
    shares: dict[int, list[float]] = {budget: [] for budget in BUDGETS}
    for case, ranked in zip(cases, answers, strict=True):
        prices, places = Bm25(case), {row.id: place for place, row in enumerate(case.rows)}
        for ids, query in zip(ranked, case.asked, strict=True):
            order = [places[id] for id in ids if id in places]
            for budget, share in shares.items():
                taken = prices.within(order, budget)
                share.append(sum(turn in taken for turn in query.evidence) / len(query.evidence))
    return {within(budget): round(100 * statistics.mean(share), 1) for budget, share in shares.items()}


def within(budget: int) -> str:
    """The column of evidence within so many tokens."""
    return f"in {budget:,} tokens, %"


def context_rows(cases: Sequence[Case]) -> dict[str, Row]:
    """Measure the evidence in our pack and in BM25 passages, and the length of the full history."""
    spent = asyncio.run(spending(cases, every=1))
    parts = {budget: [item for item in spent if item.budget == budget] for budget in BUDGETS}
    counts: Row = {"questions": sum(len(case.asked) for case in cases)}
    return {
        PACK: counts | _shares(parts, "held") | _used(parts),
        PASSAGES: counts | _shares(parts, "bm25"),
        HISTORY: counts | {"tokens": round(statistics.mean(item.history for item in parts[BUDGETS[0]]))},
    }


def _shares(parts: Mapping[int, Sequence[Spent]], name: str) -> Row:
    return {
        within(budget): round(100 * statistics.mean(getattr(item, name) for item in items), 1)
        for budget, items in parts.items()
    }


def _used(parts: Mapping[int, Sequence[Spent]]) -> Row:
    """Tokens that a pack takes: it leaves out what is not worth its place."""
    return {
        f"used of {budget:,}": round(statistics.mean(item.tokens for item in items))
        for budget, items in parts.items()
    }
