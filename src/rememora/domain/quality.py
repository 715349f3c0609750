"""Quality of the gate: verdicts and reasons, memories by category, and the rate of corrections."""

from __future__ import annotations

from datetime import date, datetime

import msgspec


class JudgedAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt to keep something, without its content; `place` is the position to continue from."""

    place: tuple[str, str]
    at: datetime
    verdict: str
    reason: str
    source: str


class KeptMemory(msgspec.Struct, frozen=True, kw_only=True):
    """One memory without its key and value; `corrects` if it replaced another."""

    place: tuple[str, str]
    at: datetime
    category: str
    status: str
    source: str
    corrects: bool


class VerdictCount(msgspec.Struct, frozen=True, kw_only=True):
    """Count of one verdict with one reason, and its share of all verdicts."""

    verdict: str
    reason: str
    count: int
    share: float


class CategoryCount(msgspec.Struct, frozen=True, kw_only=True):
    """Count of the memories of a category, by status."""

    category: str
    active: int
    deprecated: int
    deleted: int


class WeekCount(msgspec.Struct, frozen=True, kw_only=True):
    """One week from its Monday on, in UTC: attempts, memories kept, and corrections.

    `corrections` are memories that replaced another; divided by `kept`, they are the correction rate.
    """

    week: date
    attempts: int
    rejected: int
    kept: int
    corrections: int
    correction_rate: float


class GateQuality(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of one tenant, or of all together if `tenant` is None; the shares are of `attempts`."""

    tenant: str | None
    attempts: int
    saved_share: float
    rejected_share: float
    asked_share: float
    quarantined_share: float
    verdicts: tuple[VerdictCount, ...]
    categories: tuple[CategoryCount, ...]
    weeks: tuple[WeekCount, ...]
