"""What the outside is told of a mission: that something happened, never what was said."""

from __future__ import annotations

from typing import Literal

import msgspec

from rememora.domain.mission_bus import Refused
from rememora.domain.mission_intake import Moment, Spend

MissionEventType = Literal[
    "mission.created",
    "mission.completed",
    "mission.failed",
    "mission.timeout",
    "mission.refused",
    "mission.breaker_opened",
    "mission.stalled",
    "mission.deleted",
]


class MissionEvent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A fact about a mission, written by the store in the transaction that caused it."""

    type: MissionEventType
    mission_id: str
    at: Moment
    refused: Refused | None = None
    agent: str | None = None
    spent: Spend | None = None
