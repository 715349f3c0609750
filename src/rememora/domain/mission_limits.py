"""The numbers a mission is held to: how it may call, and how long it may live."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated

import msgspec
from msgspec import Meta


class BusLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What the bus allows."""

    depth: Annotated[int, Meta(ge=1)] = 10
    window_s: Annotated[float, Meta(gt=0)] = 10.0
    window_messages: Annotated[int, Meta(ge=1)] = 60
    message_timeout_s: Annotated[float, Meta(gt=0)] = 30.0
    stall_s: Annotated[float, Meta(gt=0)] = 30.0
    breaker_window: Annotated[int, Meta(ge=1, le=10)] = 10
    breaker_row: Annotated[int, Meta(ge=1)] = 5
    breaker_share: Annotated[float, Meta(gt=0, le=1)] = 0.6
    cooldown_s: Annotated[float, Meta(ge=0)] = 15.0


class Life(msgspec.Struct, frozen=True, kw_only=True):
    """How long a mission may stay, in seconds, by how it stands (W9)."""

    active_s: Annotated[float, Meta(gt=0)] = 300.0
    closed_s: Annotated[float, Meta(ge=0)] = 60.0
    delay_s: Annotated[float, Meta(ge=0)] = 0.0
    ttl_s: Annotated[float, Meta(gt=0)] = 600.0


class Cutoffs(msgspec.Struct, frozen=True, kw_only=True):
    """`Life` seen from one moment: what is older than these is due."""

    now: datetime
    active_before: datetime
    closed_before: datetime
    completed_before: datetime


def cutoffs(now: datetime, life: Life) -> Cutoffs:
    """Turn ages into moments, so that a store only compares."""
    return Cutoffs(
        now=now,
        active_before=now - timedelta(seconds=life.active_s),
        closed_before=now - timedelta(seconds=life.closed_s),
        completed_before=now - timedelta(seconds=life.delay_s),
    )
