"""Tables in a passing DuckDB, in memory: what the gate decided and keeps, counted by reason, category and week."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rememora.adapters.duckdb.columns import apart, joined, lent
from rememora.domain.moment import to_micros
from rememora.domain.quality import CategoryCount, GateQuality, JudgedAttempt, KeptMemory, VerdictCount, WeekCount
from rememora.domain.scope import Scope
from rememora.errors import MissingExtra

try:
    import duckdb
except ImportError:
    raise MissingExtra("duckdb") from None

REJECTED: Final = ("reject", "sensitive")
# Only what the figures count: no key, no value and no user ever reaches DuckDB.
_TABLES: Final = """
CREATE TABLE judged (tenant VARCHAR, moment TIMESTAMP, verdict VARCHAR, reason VARCHAR, source VARCHAR);
CREATE TABLE known
    (tenant VARCHAR, moment TIMESTAMP, category VARCHAR, status VARCHAR, source VARCHAR, corrects BOOLEAN)
"""
_MINE: Final = "($tenant IS NULL OR tenant = $tenant)"
# How often the gate decided what, and why; the most frequent first.
_VERDICTS: Final = f"""
SELECT verdict, reason, count(*) FROM judged WHERE {_MINE}
GROUP BY verdict, reason ORDER BY count(*) DESC, verdict, reason
"""
# How many memories of each category are in use, were replaced, or were forgotten.
_CATEGORIES: Final = f"""
SELECT category, count(*) FILTER (status = 'active'), count(*) FILTER (status = 'deprecated'),
       count(*) FILTER (status = 'deleted')
FROM known WHERE {_MINE} GROUP BY category ORDER BY 2 DESC, category
"""
# Two counts by week, joined fully: a week may have attempts without memories, or the other way round.
_WEEKS: Final = f"""
WITH tried AS (
    SELECT date_trunc('week', moment)::DATE AS week, count(*) AS attempts,
           count(*) FILTER (verdict IN ('reject', 'sensitive')) AS rejected
    FROM judged WHERE {_MINE} GROUP BY week),
kept AS (
    SELECT date_trunc('week', moment)::DATE AS week, count(*) AS kept, count(*) FILTER (corrects) AS corrections
    FROM known WHERE {_MINE} GROUP BY week)
SELECT week, coalesce(attempts, 0), coalesce(rejected, 0), coalesce(kept, 0), coalesce(corrections, 0)
FROM tried FULL JOIN kept USING (week) ORDER BY week
"""


class DuckTables:
    """Counts in memory; closed, nothing of it is left."""

    def __init__(self) -> None:
        self._db = duckdb.connect(":memory:")
        self._db.execute(_TABLES)

    def add_judged(self, scope: Scope, rows: Sequence[JudgedAttempt]) -> None:
        texts = {name: joined(getattr(row, name) for row in rows) for name in ("verdict", "reason", "source")}
        self._add("judged", scope, {"moment": _moments(rows)}, texts)

    def add_known(self, scope: Scope, rows: Sequence[KeptMemory]) -> None:
        texts = {name: joined(getattr(row, name) for row in rows) for name in ("category", "status", "source")}
        corrects = np.array([row.corrects for row in rows], dtype=np.bool_)
        self._add("known", scope, {"moment": _moments(rows), "corrects": corrects}, texts)

    def account(self, scope: Scope | None) -> GateQuality:
        tenant = None if scope is None else scope.tenant
        verdicts: list[tuple[str, str, int]] = self._all(_VERDICTS, tenant)
        total = sum(count for *_, count in verdicts)

        def share(*names: str) -> float:
            return _over(sum(count for verdict, _, count in verdicts if verdict in names), total)

        return GateQuality(
            tenant=tenant,
            attempts=total,
            saved_share=share("save"),
            rejected_share=share(*REJECTED),
            asked_share=share("ask"),
            quarantined_share=share("quarantine"),
            verdicts=tuple(
                VerdictCount(verdict=verdict, reason=reason, count=count, share=_over(count, total))
                for verdict, reason, count in verdicts
            ),
            categories=tuple(
                CategoryCount(category=category, active=active, deprecated=deprecated, deleted=deleted)
                for category, active, deprecated, deleted in self._all(_CATEGORIES, tenant)
            ),
            weeks=tuple(_week(row) for row in self._all(_WEEKS, tenant)),
        )

    def close(self) -> None:
        self._db.close()

    def _add(self, table: str, scope: Scope, numbers: dict[str, NDArray[Any]], texts: dict[str, str]) -> None:
        count = len(numbers["moment"])
        columns = {"place": np.arange(count), **numbers}
        names = ", ".join([*(name for name in numbers if name != "moment"), *texts])
        with lent(self._db, "page", columns):
            self._db.execute(
                f"INSERT INTO {table} (tenant, moment, {names}) SELECT $tenant, make_timestamp(moment), {names}"
                f" FROM page JOIN (SELECT unnest(range($count)) AS place, {apart(*texts)}) AS said USING (place)",
                {"tenant": scope.tenant, "count": count, **texts},
            )

    def _all(self, query: str, tenant: str | None) -> list[Any]:
        return self._db.execute(query, {"tenant": tenant}).fetchall()


def open_tables() -> DuckTables:
    """Empty tables."""
    return DuckTables()


def _moments(rows: Sequence[JudgedAttempt | KeptMemory]) -> NDArray[np.int64]:
    return np.array([to_micros(row.at) for row in rows], dtype=np.int64)


def _week(row: tuple[Any, ...]) -> WeekCount:
    week, attempts, rejected, kept, corrections = row
    return WeekCount(
        week=week,
        attempts=attempts,
        rejected=rejected,
        kept=kept,
        corrections=corrections,
        correction_rate=_over(corrections, kept),
    )


def _over(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
