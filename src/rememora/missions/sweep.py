"""The sweep: times out abandoned missions, and deletes expired ones (W9)."""

from __future__ import annotations

from datetime import datetime
from functools import partial

import msgspec

from rememora.domain.event import MissionDeleted
from rememora.domain.mission import Due
from rememora.domain.mission_limits import cutoffs
from rememora.errors import NotFound
from rememora.missions.board import plan_close
from rememora.ports.missions import MissionStore
from rememora.settings import MissionSettings


class Swept(msgspec.Struct, frozen=True, kw_only=True):
    """Result of one sweep."""

    timed_out: int = 0
    deleted: int = 0

    def __add__(self, other: Swept) -> Swept:
        return Swept(timed_out=self.timed_out + other.timed_out, deleted=self.deleted + other.deleted)


async def sweep(store: MissionStore, *, now: datetime, settings: MissionSettings, batch: int = 200) -> Swept:
    """Sweep once over everything that is due, of every tenant; any process may do it for all."""
    swept = Swept()
    while due := await store.find_expired_everywhere(cutoffs(now, settings), limit=batch):
        for item in due:
            swept += await _sweep_one(store, item, now)
        if len(due) < batch:
            break
    await store.scrub_everywhere()
    return swept


async def _sweep_one(store: MissionStore, due: Due, now: datetime) -> Swept:
    if due.status != "active" or due.expired:
        events = (MissionDeleted(mission_id=due.mission_id),)
        gone = await store.delete(due.scope, due.mission_id, events=events)
        return Swept(deleted=int(gone))
    try:
        plan = partial(plan_close, status="timeout", now=now)
        closed = await store.change(due.scope, due.mission_id, plan=plan)
    except NotFound:
        # Another process swept it, or its owner finished, between the look and the act.
        return Swept()
    return Swept(timed_out=int(closed))
