"""Trends of a tenant: counts per day, the slowest answers, and the backlog."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Literal

import msgspec

from rememora.domain.quality import VerdictCount
from rememora.domain.tenancy import Meter, Window, window_of

Measure = Literal[
    "turn",
    "recall",
    "index_lag",
    "outbox_lag",
    "used_messages",
    "used_memories",
    "used_documents",
    "used_searches",
    "used_tokens",
]
USED: Mapping[Meter, Measure] = {
    "messages": "used_messages",
    "memories": "used_memories",
    "documents": "used_documents",
    "searches": "used_searches",
    "tokens": "used_tokens",
}
"""Prefix of the daily figures of a meter's usage."""
BOUNDS_MS = (1, 2, 5, 10, 20, 35, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 2000, 5000, 10_000, 60_000)
"""Upper bounds of the duration buckets; longer durations fall into the last one."""
SHARE = 0.95


class DayFigure(msgspec.Struct, frozen=True, kw_only=True):
    """One figure of one day: a count, a duration bucket, or a backlog."""

    measure: Measure
    since: datetime
    bucket: int
    amount: int


class DayCount(msgspec.Struct, frozen=True, kw_only=True):
    """Count of one kind of occurrence on one day."""

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
    """Return the categories of kept memories, the most frequent first."""
    kept: tuple[int, ...]
    corrected: tuple[int, ...]
    forgotten: tuple[int, ...]
    used: Mapping[Meter, tuple[int, ...]] = {}
    """Return the maximum usage of a meter's window on a day; 0 if it was not recorded."""


def bucket_of(seconds: float) -> int:
    """Return the bucket of a duration."""
    return next((bound for bound in BOUNDS_MS if seconds * 1000 <= bound), BOUNDS_MS[-1])


def percentile(buckets: Mapping[int, int], share: float = SHARE) -> float:
    """Return a percentile of the durations in ms, to the precision of its bucket; 0 without a count."""
    whole = sum(buckets.values())
    rank, below = share * whole, 0
    for place, bound in enumerate(BOUNDS_MS):
        inside = buckets.get(bound, 0)
        if inside and below + inside >= rank:
            # Inside its bucket durations are taken to be spread evenly.
            low = BOUNDS_MS[place - 1] if place else 0
            return round(low + (bound - low) * (rank - below) / inside, 1)
        below += inside
    return 0.0


def days_until(last: date, number: int) -> tuple[date, ...]:
    """Return the given number of days up to and including `last`."""
    return tuple(last - timedelta(days=back) for back in range(number - 1, -1, -1))


def trend_of(
    days: Sequence[date], counted: Sequence[DayFigure], judged: Sequence[DayCount], acts: Sequence[DayCount]
) -> Trend:
    """Combine counts, verdicts and changes into one series per kind."""
    return Trend(
        days=tuple(days),
        turns=_sums(days, counted, "turn"),
        recalls=_sums(days, counted, "recall"),
        turn_p95_ms=_slowest(days, counted, "turn"),
        recall_p95_ms=_slowest(days, counted, "recall"),
        index_lag=_peaks(days, counted, "index_lag"),
        outbox_lag=_peaks(days, counted, "outbox_lag"),
        verdicts={
            kind: _of_kind(days, judged, {kind}) for kind in sorted({day_count.kind for day_count in judged})
        },
        reasons=_reasons(judged),
        categories=_categories(judged),
        kept=_of_kind(days, judged, {"save"}),
        corrected=_of_kind(days, acts, {"deprecate", "correct", "update"}),
        forgotten=_of_kind(days, acts, {"delete"}),
        used={meter: _peaks(days, counted, measure) for meter, measure in USED.items()},
    )


def carried(days: Sequence[date], noted: Sequence[int], per: Window) -> tuple[int, ...]:
    """Fill days without a figure: an open window keeps the figure of the day before."""
    filled: list[int] = []
    for place, used in enumerate(noted):
        goes_on = place and _window(days[place], per) == _window(days[place - 1], per)
        filled.append(max(used, filled[-1]) if goes_on else used)
    return tuple(filled)


def _window(day: date, per: Window) -> datetime:
    return window_of(datetime(day.year, day.month, day.day, tzinfo=UTC), per)[0]


def _reasons(judged: Sequence[DayCount]) -> tuple[VerdictCount, ...]:
    counts: dict[tuple[str, str], int] = {}
    for day_count in judged:
        counts[day_count.kind, day_count.detail] = (
            counts.get((day_count.kind, day_count.detail), 0) + day_count.count
        )
    whole = sum(counts.values())
    rows = [
        VerdictCount(verdict=kind, reason=reason, count=count, share=round(count / whole, 4))
        for (kind, reason), count in counts.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.count, row.verdict, row.reason)))


def _categories(judged: Sequence[DayCount]) -> tuple[tuple[str, int], ...]:
    counts: dict[str, int] = {}
    for day_count in judged:
        if day_count.kind == "save" and day_count.category:
            counts[day_count.category] = counts.get(day_count.category, 0) + day_count.count
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _of_kind(days: Sequence[date], counts: Sequence[DayCount], kinds: set[str]) -> tuple[int, ...]:
    return tuple(
        sum(day_count.count for day_count in counts if day_count.day == day and day_count.kind in kinds)
        for day in days
    )


def _on(day: date, counted: Sequence[DayFigure], measure: Measure) -> list[DayFigure]:
    return [
        day_figure for day_figure in counted if day_figure.measure == measure and day_figure.since.date() == day
    ]


def _sums(days: Sequence[date], counted: Sequence[DayFigure], measure: Measure) -> tuple[int, ...]:
    return tuple(sum(day_figure.amount for day_figure in _on(day, counted, measure)) for day in days)


def _peaks(days: Sequence[date], counted: Sequence[DayFigure], measure: Measure) -> tuple[int, ...]:
    return tuple(max((day_figure.amount for day_figure in _on(day, counted, measure)), default=0) for day in days)


def _slowest(days: Sequence[date], counted: Sequence[DayFigure], measure: Measure) -> tuple[float, ...]:
    def of(day: date) -> float:
        buckets: dict[int, int] = {}
        for day_figure in _on(day, counted, measure):
            buckets[day_figure.bucket] = buckets.get(day_figure.bucket, 0) + day_figure.amount
        return percentile(buckets)

    return tuple(map(of, days))
