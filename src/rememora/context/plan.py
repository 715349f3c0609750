"""The layer of the tenant: its plan, and how much of each quota is used."""

from __future__ import annotations

from collections.abc import Iterable

from rememora.context.gather import Ask, Source
from rememora.domain.context import Item
from rememora.domain.tenancy import METERS, UNLIMITED, window_of
from rememora.ports.store import Reading, UnitOfWork

STEP = 10
"""Quotas are told in steps of so many percent: an exact count would change the prompt at every turn."""


def plan(store: Reading) -> Source:
    """What the tenant may use and has used; nothing where nothing is limited, or the call tells it."""

    async def read_plan(ask: Ask) -> list[Item]:
        if ask.situation.plan:
            return []
        return await store.read(ask.scope, lambda work: [_item(text) for text in _told(work, ask)])

    return read_plan


def _told(work: UnitOfWork, ask: Ask) -> Iterable[str]:
    mine = work.usages.plan(ask.scope)
    if mine == UNLIMITED:
        return
    yield f"plan: {mine.name}"
    for meter in METERS:
        quota = mine.quota(meter)
        if quota is not None:
            since, _ = window_of(ask.now, quota.per)
            used = work.usages.used(ask.scope, meter, since=since)
            yield f"{meter}: {share(used, quota.limit)} % of {quota.limit} a {quota.per} used"


def share(used: int, limit: int) -> int:
    """How much is used, in whole steps, rounded down; all of it only when nothing is left."""
    return 100 if used >= limit else used * 100 // (limit * STEP) * STEP


def _item(text: str) -> Item:
    return Item(
        section="tenant", text=text, kind="plan", origin="operator", trust="operator", reason="the tenant's plan"
    )
