"""Quotas: writes are counted in their own transaction; reads are counted in memory and stored each second.

A write that would exceed a limit is refused before anything is stored. Searches and tokens cost no write of their
own: each process adds them up and stores the sum, so that a limit may be exceeded by what all processes admit
within a second, and a killed process loses the count of that second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TypeVar

import msgspec

from rememora.domain.scope import Scope
from rememora.domain.tenancy import METERS, Meter, Plan, Usage, window_of
from rememora.errors import QuotaExceeded
from rememora.ports.outside import Clock
from rememora.ports.store import Store, UnitOfWork

T = TypeVar("T")
FRESH = timedelta(seconds=1)
LONG_AGO = datetime.min.replace(tzinfo=UTC)
TENANTS_KEPT = 10_000


def charge(
    work: UnitOfWork, scope: Scope, meter: Meter, amount: int, *, now: datetime, refuse: bool = True
) -> None:
    """Count a write into its window; beyond the limit it is refused, unless it must not be lost."""
    counted = work.usages.count(scope, meter, now=now, amount=amount)
    quota = counted.plan.quota(meter)
    if refuse and quota is not None and counted.used > quota.limit:
        raise QuotaExceeded(meter, quota.limit, window_of(now, quota.per)[1])


class _Seen(msgspec.Struct, frozen=True):
    """A tenant's plan and stored usage, as read a moment ago."""

    plan: Plan
    used: dict[Meter, int]
    at: datetime


class UsageMeter:
    """Counts reads, for every tenant of this process."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._seen: dict[str, _Seen] = {}
        self._pending: Counter[tuple[str, Meter, datetime]] = Counter()
        self._flushes = 0

    async def take(self, scope: Scope, meter: Meter, amount: int = 1) -> None:
        """Count, or refuse if the window is already full."""
        now = self._clock()
        seen = await self._look(scope, now)
        since, resets_at = window_of(now, seen.plan.window(meter))
        place = (scope.tenant, meter, since)
        quota = seen.plan.quota(meter)
        if quota is not None and seen.used[meter] + self._pending[place] >= quota.limit:
            raise QuotaExceeded(meter, quota.limit, resets_at)
        self._pending[place] += amount

    def add(self, scope: Scope, meter: Meter, amount: int) -> None:
        """Count what has happened and cannot be refused any more."""
        seen = self._seen.get(scope.tenant)
        per = "month" if seen is None else seen.plan.window(meter)
        self._pending[scope.tenant, meter, window_of(self._clock(), per)[0]] += amount

    async def guarded(self, scope: Scope, meter: Meter, items: AsyncIterator[T]) -> AsyncIterator[T]:
        """Yield the items, unless the window is already full."""
        await self.take(scope, meter, 0)
        try:
            async for item in items:
                yield item
        finally:
            if isinstance(items, AsyncGenerator):
                await items.aclose()

    async def flush(self) -> bool:
        """Store the counts; a step of the worker."""
        for place, amount in list(self._pending.items()):
            tenant, meter, since = place
            scope = Scope(tenant, "usage")
            await self._store.write(scope, partial(_add, scope=scope, meter=meter, since=since, amount=amount))
            # Until it is written it is pending, so that at no moment it counts nowhere.
            self._pending[place] -= amount
            if not self._pending[place]:
                del self._pending[place]
            # Expired, but not dropped: `add` still needs the windows of the plan.
            if tenant in self._seen:
                self._seen[tenant] = msgspec.structs.replace(self._seen[tenant], at=LONG_AGO)
            self._flushes += 1
        return False

    async def usage(self, scope: Scope) -> list[Usage]:
        """Return the tenant's usage of each meter in its current window."""
        now = self._clock()
        seen = await self._read(scope, now)
        return [self._usage(scope, seen, meter, now) for meter in METERS]

    async def plan(self, scope: Scope) -> Plan:
        """Return the tenant's plan, at most a second old."""
        return (await self._look(scope, self._clock())).plan

    async def _look(self, scope: Scope, now: datetime) -> _Seen:
        seen = self._seen.get(scope.tenant)
        if seen is None or now - seen.at >= FRESH:
            if len(self._seen) >= TENANTS_KEPT:
                self._seen.clear()
            before = self._flushes
            seen = self._seen[scope.tenant] = await self._read(scope, now)
            if before != self._flushes:
                # What was read may be older than what was written meanwhile.
                seen = self._seen[scope.tenant] = await self._read(scope, now)
        return seen

    async def _read(self, scope: Scope, now: datetime) -> _Seen:
        return await self._store.read(scope, lambda work: _seen(work, scope, now))

    def _usage(self, scope: Scope, seen: _Seen, meter: Meter, now: datetime) -> Usage:
        per = seen.plan.window(meter)
        since, resets_at = window_of(now, per)
        quota = seen.plan.quota(meter)
        return Usage(
            meter=meter,
            used=seen.used[meter] + self._pending[scope.tenant, meter, since],
            limit=None if quota is None else quota.limit,
            per=per,
            since=since,
            resets_at=resets_at,
        )


def _seen(work: UnitOfWork, scope: Scope, now: datetime) -> _Seen:
    plan = work.usages.plan(scope)
    used = {meter: work.usages.used(scope, meter, since=window_of(now, plan.window(meter))[0]) for meter in METERS}
    return _Seen(plan, used, now)


def _add(work: UnitOfWork, *, scope: Scope, meter: Meter, since: datetime, amount: int) -> None:
    work.usages.take(scope, meter, since=since, amount=amount)
