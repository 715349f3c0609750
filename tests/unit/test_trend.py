"""Figures over time: durations in buckets, days in order, kinds apart."""

from __future__ import annotations

from datetime import UTC, date, datetime

from tests.looped import looped

from rememora.domain.trend import DayCount, DayFigure, Measure, bucket_of, days_until, percentile, trend_of

TODAY = date(2026, 11, 17)
NOW = datetime(2026, 11, 17, tzinfo=UTC)


@looped(("seconds", "bucket"), [(0, 1), (0.001, 1), (0.0011, 2), (0.1, 100), (0.2001, 300), (999, 60_000)])
def test_a_duration_falls_in_one_bucket(seconds: float, bucket: int) -> None:
    """The smallest that holds it, or the last."""
    assert bucket == bucket_of(seconds)


def test_the_percentile_lies_within_its_bucket() -> None:
    """Nothing counted is nothing slow."""
    assert 0.0 == percentile({})
    assert 1 < percentile({2: 100}) <= 2
    assert 100 < percentile({5: 90, 150: 10}) <= 150
    assert percentile({5: 96, 150: 4}) <= 5


def test_days_have_their_figures() -> None:
    """Counts add up, what waited is the most of the day, and verdicts, acts and categories stand apart."""

    def counted(measure: Measure, bucket: int, amount: int) -> DayFigure:
        return DayFigure(measure=measure, since=NOW, bucket=bucket, amount=amount)

    trend = trend_of(
        days_until(TODAY, 2),
        [counted("turn", 5, 3), counted("turn", 100, 1), counted("recall", 2, 7), counted("index_lag", 0, 9)],
        [
            DayCount(day=TODAY, kind="save", detail="explicit", category="people", count=4),
            DayCount(day=TODAY, kind="reject", detail="filler", count=1),
        ],
        [DayCount(day=TODAY, kind="deprecate", count=2), DayCount(day=TODAY, kind="delete", count=1)],
    )

    assert (date(2026, 11, 16), TODAY) == trend.days
    assert ((0, 4), (0, 7), (0, 9)) == (trend.turns, trend.recalls, trend.index_lag)
    assert 75 < trend.turn_p95_ms[1] <= 100
    assert {"save": (0, 4), "reject": (0, 1)} == trend.verdicts
    assert ((0, 4), (0, 2), (0, 1)) == (trend.kept, trend.corrected, trend.forgotten)
    assert (("people", 4),) == trend.categories
    assert [("save", 0.8), ("reject", 0.2)] == [(reason.verdict, reason.share) for reason in trend.reasons]
