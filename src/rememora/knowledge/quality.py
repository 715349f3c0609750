"""Quality of the gate: reads its verdicts, tenant by tenant and page by page, into tables that count them."""

from __future__ import annotations

import asyncio
from functools import partial

from rememora.domain.quality import GateQuality, JudgedAttempt, KeptMemory, VerdictCount
from rememora.domain.scope import Scope
from rememora.ports.quality import START, Tables
from rememora.ports.store import Store, UnitOfWork

PAGE = 5_000
SHARE_DIGITS = 4
Place = tuple[str, str]


async def look_back(
    store: Store, tables: Tables, *, acting: str, tenant: str | None = None, page: int = PAGE
) -> list[GateQuality]:
    """Return one tenant's figures; without a tenant those of all together, then each; for operators."""
    tenants = await store.tenants() if tenant is None else [tenant]
    scopes = [Scope(name, acting) for name in tenants]
    for scope in scopes:
        await _read_judged(store, scope, tables, page)
        await _read_known(store, scope, tables, page)
    everybody: list[Scope | None] = [None] if tenant is None else []
    return [await asyncio.to_thread(tables.account, scope) for scope in [*everybody, *scopes]]


async def verdicts(store: Store, scope: Scope) -> list[VerdictCount]:
    """Count a tenant's verdicts of the gate by reason, the most frequent first."""
    counts = await store.read(scope, lambda work: work.attempts.counts(scope))
    whole = sum(counts.values())
    figures = [
        VerdictCount(verdict=verdict, reason=reason, count=count, share=round(count / whole, SHARE_DIGITS))
        for (verdict, reason), count in counts.items()
    ]
    return sorted(figures, key=lambda count: (-count.count, count.verdict, count.reason))


async def _read_judged(store: Store, scope: Scope, tables: Tables, page: int) -> None:
    after = START
    while rows := await store.read(scope, partial(_judged, scope=scope, after=after, page=page)):
        await asyncio.to_thread(tables.add_judged, scope, rows)
        after = rows[-1].place


async def _read_known(store: Store, scope: Scope, tables: Tables, page: int) -> None:
    after = START
    while rows := await store.read(scope, partial(_known, scope=scope, after=after, page=page)):
        await asyncio.to_thread(tables.add_known, scope, rows)
        after = rows[-1].place


def _judged(work: UnitOfWork, *, scope: Scope, after: Place, page: int) -> list[JudgedAttempt]:
    return work.lookback.judged(scope, after=after, limit=page)


def _known(work: UnitOfWork, *, scope: Scope, after: Place, page: int) -> list[KeptMemory]:
    return work.lookback.known(scope, after=after, limit=page)
