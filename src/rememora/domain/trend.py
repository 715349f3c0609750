"""How a tenant did over time: counts per day, the slowest answers, and what waited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Literal

import msgspec

from rememora.domain.quality import VerdictCount

Measure = Literal["turn", "recall", "index_lag", "outbox_lag"]
BOUNDS_MS = (1, 2, 5, 10, 20, 35, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 2000, 5000, 10_000, 60_000)
"""Upper bounds of the buckets that durations are counted in; a longer one falls in the last."""
SHARE = 0.95


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """One figure of one day: how often something happened, in which bucket of duration, or how much waited."""

    measure: Measure
    since: datetime
    bucket: int
    amount: int


class DayOf(msgspec.Struct, frozen=True, kw_only=True):
    """How often something of a kind happened on a day."""

    day: date
    kind: str
    detail: str = ""
    category: str = ""
    count: int


class Trend(msgspec.Struct, frozen=True, kw_only=True):
    """A tenant's last days, oldest first; each series has one figure per day."""

    days: tuple[date, ...]
    turns: tuple[int, ...]
    recalls: tuple[int, ...]
    turn_p95_ms: tuple[float, ...]
    recall_p95_ms: tuple[float, ...]
    index_lag: tuple[int, ...]
    outbox_lag: tuple[int, ...]
    verdicts: Mapping[str, tuple[int, ...]]
    reasons: tuple[VerdictCount, ...]
    categories: tuple[tuple[str, int], ...]
    """Categories of what was kept, the most frequent first."""
    kept: tuple[int, ...]
    corrected: tuple[int, ...]
    forgotten: tuple[int, ...]


def bucket_of(seconds: float) -> int:
    """The bucket that a duration is counted in."""
    return next((bound for bound in BOUNDS_MS if seconds * 1000 <= bound), BOUNDS_MS[-1])


def percentile(buckets: Mapping[int, int], share: float = SHARE) -> float:
    """The duration in ms below which a share of all lie, told within its bucket; 0 where nothing was counted."""
    whole = sum(buckets.values())
    wanted, below = share * whole, 0
    for place, bound in enumerate(BOUNDS_MS):
        inside = buckets.get(bound, 0)
        if inside and below + inside >= wanted:
            low = BOUNDS_MS[place - 1] if place else 0
            return round(low + (bound - low) * (wanted - below) / inside, 1)
        below += inside
    return 0.0


def days_until(last: date, number: int) -> tuple[date, ...]:
    """So many days that end with one."""
    return tuple(last - timedelta(days=back) for back in range(number - 1, -1, -1))


def trend_of(
    days: Sequence[date], counted: Sequence[Counted], judged: Sequence[DayOf], acts: Sequence[DayOf]
) -> Trend:
    """Put what was counted, judged and done into one series per kind."""
    return Trend(
        days=tuple(days),
        turns=_sums(days, counted, "turn"),
        recalls=_sums(days, counted, "recall"),
        turn_p95_ms=_slowest(days, counted, "turn"),
        recall_p95_ms=_slowest(days, counted, "recall"),
        index_lag=_peaks(days, counted, "index_lag"),
        outbox_lag=_peaks(days, counted, "outbox_lag"),
        verdicts={kind: _of_kind(days, judged, {kind}) for kind in sorted({each.kind for each in judged})},
        reasons=_reasons(judged),
        categories=_categories(judged),
        kept=_of_kind(days, judged, {"save"}),
        corrected=_of_kind(days, acts, {"deprecate", "correct", "update"}),
        forgotten=_of_kind(days, acts, {"delete"}),
    )


def _reasons(judged: Sequence[DayOf]) -> tuple[VerdictCount, ...]:
    counts: dict[tuple[str, str], int] = {}
    for each in judged:
        counts[each.kind, each.detail] = counts.get((each.kind, each.detail), 0) + each.count
    whole = sum(counts.values())
    found = [
        VerdictCount(verdict=kind, reason=reason, count=count, share=round(count / whole, 4))
        for (kind, reason), count in counts.items()
    ]
    return tuple(sorted(found, key=lambda each: (-each.count, each.verdict, each.reason)))


def _categories(judged: Sequence[DayOf]) -> tuple[tuple[str, int], ...]:
    counts: dict[str, int] = {}
    for each in judged:
        if each.kind == "save" and each.category:
            counts[each.category] = counts.get(each.category, 0) + each.count
    return tuple(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def _of_kind(days: Sequence[date], found: Sequence[DayOf], kinds: set[str]) -> tuple[int, ...]:
    return tuple(sum(each.count for each in found if each.day == day and each.kind in kinds) for day in days)


def _on(day: date, counted: Sequence[Counted], measure: Measure) -> list[Counted]:
    return [each for each in counted if each.measure == measure and each.since.date() == day]


def _sums(days: Sequence[date], counted: Sequence[Counted], measure: Measure) -> tuple[int, ...]:
    return tuple(sum(each.amount for each in _on(day, counted, measure)) for day in days)


def _peaks(days: Sequence[date], counted: Sequence[Counted], measure: Measure) -> tuple[int, ...]:
    return tuple(max((each.amount for each in _on(day, counted, measure)), default=0) for day in days)


def _slowest(days: Sequence[date], counted: Sequence[Counted], measure: Measure) -> tuple[float, ...]:
    def of(day: date) -> float:
        buckets: dict[int, int] = {}
        for each in _on(day, counted, measure):
            buckets[each.bucket] = buckets.get(each.bucket, 0) + each.amount
        return percentile(buckets)

    return tuple(map(of, days))
