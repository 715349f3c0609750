"""Retention: removes events that every subscriber has received, and old attempts.

Old rows are found by a read and removed in small writes, so that nobody waits for the sweep.
"""

from __future__ import annotations

from datetime import timedelta

from rememora.ports.outside import Clock
from rememora.ports.store import Store
from rememora.settings import EventSettings, Settings

BATCH = 500
PACE_SECONDS = 3600.0


async def sweep(store: Store, *, settings: Settings, clock: Clock) -> bool:
    """Remove everything past its retention, except events that an active subscriber has not received yet."""
    while await _sweep_events(store, settings.events, clock):
        pass
    while await _sweep_attempts(store, settings.knowledge.attempts_days, clock):
        pass
    return False


async def _sweep_events(store: Store, settings: EventSettings, clock: Clock) -> bool:
    now = clock()
    before, away = now - timedelta(days=settings.keep_days), now - timedelta(days=settings.stale_days)
    places = await store.relay(
        lambda view: view.delivered_before(before=before, away=away, limit=BATCH), reading=True
    )
    return bool(places) and await store.relay(lambda view: view.prune(places, away=away)) > 0


async def _sweep_attempts(store: Store, days: float, clock: Clock) -> bool:
    before = clock() - timedelta(days=days)
    tried = await store.accounts(lambda view: view.old_attempts(before=before, limit=BATCH), reading=True)
    return bool(tried) and await store.accounts(lambda view: view.forget_attempts(tried)) > 0
