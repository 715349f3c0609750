"""Expiry of missions, by their state (W9)."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

from rememora.settings import MissionSettings


class Cutoffs(msgspec.Struct, frozen=True, kw_only=True):
    """The cut-off times of missions at one moment: anything older is due."""

    now: datetime
    active_before: datetime
    closed_before: datetime
    completed_before: datetime


def cutoffs(now: datetime, settings: MissionSettings) -> Cutoffs:
    """Convert ages into moments, so that a store only has to compare."""
    return Cutoffs(
        now=now,
        active_before=now - timedelta(seconds=settings.active_seconds),
        closed_before=now - timedelta(seconds=settings.closed_seconds),
        completed_before=now - timedelta(seconds=settings.delete_delay_seconds),
    )
