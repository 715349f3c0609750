"""Figures of a tenant in SQL, without content: counts of days, judged attempts and kept memories."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from rememora.adapters.sql.columns import to_micros, to_moment
from rememora.adapters.sql.transaction import Repository
from rememora.domain.quality import JudgedAttempt, KeptMemory
from rememora.domain.scope import Scope
from rememora.domain.trend import DayCount, DayFigure
from rememora.ports.quality import START


class SqlLookback(Repository):
    """A tenant's attempts and memories, for all users."""

    def judged(self, scope: Scope, *, after: tuple[str, str] = START, limit: int) -> list[JudgedAttempt]:
        rows = self._tx.all("judged_after", _page_of(scope, after, limit))
        return [
            JudgedAttempt(place=(user, id), at=to_moment(at), verdict=verdict, reason=reason, source=source)
            for user, id, at, verdict, reason, source in rows
        ]

    def known(self, scope: Scope, *, after: tuple[str, str] = START, limit: int) -> list[KeptMemory]:
        rows = self._tx.all("known_after", _page_of(scope, after, limit))
        return [
            KeptMemory(
                place=(owner, id),
                at=to_moment(at),
                category=category,
                status=status,
                source=source,
                corrects=supersedes is not None,
            )
            for owner, id, at, category, status, source, supersedes in rows
        ]


def _page_of(scope: Scope, after: tuple[str, str], limit: int) -> dict[str, object]:
    return {"tenant": scope.tenant, "whose": after[0], "id": after[1], "limit": limit}


_FIRST_DAY = date(1970, 1, 1)


class SqlTrends(Repository):
    """A tenant's figures over time, in SQL."""

    def add(self, scope: Scope, counted: Sequence[DayFigure]) -> None:
        for day_figure in counted:
            self._tx.run("add_trend", _columns(scope, day_figure))

    def raise_to(self, scope: Scope, counted: DayFigure) -> None:
        self._tx.run("raise_trend", _columns(scope, counted))

    def since(self, scope: Scope, moment: datetime) -> list[DayFigure]:
        rows = self._tx.all("trends_since", _from(scope, moment))
        return [
            DayFigure(measure=measure, since=to_moment(since), bucket=bucket, amount=amount)
            for measure, since, bucket, amount in rows
        ]

    def judged(self, scope: Scope, since: datetime, until: datetime) -> list[DayCount]:
        rows = self._tx.all("judged_by_day", {**_from(scope, since), "until": to_micros(until)})
        return [
            DayCount(day=_day(day), kind=verdict, detail=reason, category=category, count=count)
            for day, verdict, reason, category, count in rows
        ]

    def acts(self, scope: Scope, since: datetime, until: datetime, *, last: int) -> list[DayCount]:
        rows = self._tx.all("acts_by_day", {**_from(scope, since), "until": to_micros(until), "entries": last})
        return [DayCount(day=_day(day), kind=action, count=count) for day, action, count in rows]


def _columns(scope: Scope, counted: DayFigure) -> dict[str, object]:
    since = {"since": to_micros(counted.since), "bucket": counted.bucket, "amount": counted.amount}
    return {"tenant": scope.tenant, "measure": counted.measure, **since}


def _from(scope: Scope, moment: datetime) -> dict[str, object]:
    return {"tenant": scope.tenant, "since": to_micros(moment)}


def _day(number: int) -> date:
    return _FIRST_DAY + timedelta(days=int(number))
