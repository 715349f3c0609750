"""Daily figures: counted in memory, stored by the worker, read for charts."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from rememora.domain.check import check_whole
from rememora.domain.scope import Scope
from rememora.domain.tenancy import EVERY_TENANT, WINDOWS, Meter, window_of
from rememora.domain.trend import USED, DayCount, DayFigure, Measure, Trend, bucket_of, days_until, trend_of
from rememora.ports.outside import Clock
from rememora.ports.store import Store, UnitOfWork

MOST_DAYS = 365
LAST_ACTS = 20_000
"""Maximum entries of the audit chain that a chart reads: about a month of a busy tenant."""
EVERYWHERE = Scope(EVERY_TENANT, "trends")
TENANTS_KEPT = 64
_Place = tuple[str, Measure, datetime, int]


class _Looked(NamedTuple):
    """Verdicts and changes of some days, as counts."""

    judged: list[DayCount]
    acts: list[DayCount]


class TrendRecorder:
    """Counts events of one process in memory, without waiting for the store."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._pending: Counter[_Place] = Counter()
        self._used: dict[tuple[str, Meter], tuple[datetime, int]] = {}
        self._past: dict[tuple[str, datetime, datetime], _Looked] = {}

    def observe(self, scope: Scope, measure: Measure, seconds: float) -> None:
        """Count an operation with its duration."""
        self._pending[scope.tenant, measure, _today(self._clock()), bucket_of(seconds)] += 1

    async def flush(self) -> bool:
        """Store the counts; a step of the worker."""
        taken, self._pending = self._pending, Counter()
        by_tenant: dict[str, list[DayFigure]] = {}
        for (tenant, measure, since, bucket), amount in taken.items():
            counted = DayFigure(measure=measure, since=since, bucket=bucket, amount=amount)
            by_tenant.setdefault(tenant, []).append(counted)
        for tenant, counts in by_tenant.items():
            scope = Scope(tenant, "trends")
            await self._store.write(scope, partial(_add, scope=scope, counted=counts))
        return False

    async def sample(self) -> bool:
        """Record the backlogs of the index and of subscribers; a step of the worker."""
        since = _today(self._clock())
        index = await self._store.index(lambda keeper: keeper.lag(), reading=True)
        outbox = await self._store.relay(
            lambda relay: sum(relay.lag(subscribed.name) for subscribed in relay.subscribers()), reading=True
        )
        lags: tuple[tuple[Measure, int], ...] = (("index_lag", index), ("outbox_lag", outbox))
        waiting = [DayFigure(measure=name, since=since, bucket=0, amount=lag) for name, lag in lags if lag]
        if waiting:
            await self._store.write(EVERYWHERE, partial(_raise, scope=EVERYWHERE, counted=waiting))
        await self._note_usage(since)
        return False

    async def _note_usage(self, since: datetime) -> None:
        """Record how full the windows of plans are, for tenants whose usage has changed."""
        began = {per: window_of(self._clock(), per)[0] for per in WINDOWS}
        usage = await self._store.accounts(lambda view: view.used_now(began), reading=True)
        changed: dict[str, list[DayFigure]] = {}
        for tenant, meter, used in usage:
            # Only changes are written; the month is part of the comparison, so that a new window begins with
            # its own figure.
            if self._used.get((tenant, meter)) != (began["month"], used):
                noted = DayFigure(measure=USED[meter], since=since, bucket=0, amount=used)
                changed.setdefault(tenant, []).append(noted)
        for tenant, counted in changed.items():
            scope = Scope(tenant, "trends")
            await self._store.write(scope, partial(_raise, scope=scope, counted=counted))
        self._used = {(tenant, meter): (began["month"], used) for tenant, meter, used in usage}

    async def read(self, scope: Scope, *, days: int) -> Trend:
        """Return a tenant's last days; the backlog is that of the whole store."""
        check_whole("days", days, 1, MOST_DAYS)
        await self.flush()
        now = self._clock()
        since = _today(now) - timedelta(days=days - 1)
        lags = await self._store.read(EVERYWHERE, lambda work: work.trends.since(EVERYWHERE, since))
        counted = await self._store.read(scope, lambda work: work.trends.since(scope, since))
        past = await self._finished(scope, since, _today(now))
        fresh = await self._looked(scope, _today(now), now + timedelta(days=1))
        judged, acts = [*past.judged, *fresh.judged], [*past.acts, *fresh.acts]
        return trend_of(days_until(now.date(), days), [*counted, *lags], judged, acts)

    async def _finished(self, scope: Scope, since: datetime, today: datetime) -> _Looked:
        """Return past days; cached, because nothing is added to them any more."""
        place = (scope.tenant, since, today)
        if place not in self._past:
            if len(self._past) >= TENANTS_KEPT:
                self._past.clear()
            self._past[place] = await self._looked(scope, since, today)
        return self._past[place]

    async def _looked(self, scope: Scope, since: datetime, until: datetime) -> _Looked:
        return await self._store.read(
            scope,
            lambda work: _Looked(
                work.trends.judged(scope, since, until), work.trends.acts(scope, since, until, last=LAST_ACTS)
            ),
        )


def _today(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


def _add(work: UnitOfWork, *, scope: Scope, counted: list[DayFigure]) -> None:
    work.trends.add(scope, counted)


def _raise(work: UnitOfWork, *, scope: Scope, counted: list[DayFigure]) -> None:
    for day_figure in counted:
        work.trends.raise_to(scope, day_figure)
