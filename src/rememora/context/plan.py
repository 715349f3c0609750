"""The layer of the tenant: its plan, and how much of each quota is used."""

from __future__ import annotations

from collections.abc import Iterable

from rememora.context.gather import PackRequest, Source
from rememora.domain.context import Item
from rememora.domain.tenancy import METERS, UNLIMITED, window_of
from rememora.ports.store import StoreReader, UnitOfWork

STEP = 10
"""Step of the reported share in percent: an exact figure would change the prompt at every turn."""


def plan(store: StoreReader) -> Source:
    """Return the source of the tenant's limits and usage; empty if nothing is limited."""

    async def read_plan(request: PackRequest) -> list[Item]:
        if request.situation.plan:
            return []
        return await store.read(request.scope, lambda work: [_item(text) for text in _lines(work, request)])

    return read_plan


def _lines(work: UnitOfWork, request: PackRequest) -> Iterable[str]:
    mine = work.usages.plan(request.scope)
    if mine == UNLIMITED:
        return
    yield f"plan: {mine.name}"
    for meter in METERS:
        quota = mine.quota(meter)
        if quota is not None:
            since, _ = window_of(request.now, quota.per)
            used = work.usages.used(request.scope, meter, since=since)
            yield f"{meter}: {share(used, quota.limit)} % of {quota.limit} a {quota.per} used"


def share(used: int, limit: int) -> int:
    """Return the used share in whole steps, rounded down; 100 % only when nothing is left."""
    return 100 if used >= limit else used * 100 // (limit * STEP) * STEP


def _item(text: str) -> Item:
    return Item(
        section="tenant", text=text, kind="plan", origin="operator", trust="operator", reason="the tenant's plan"
    )
