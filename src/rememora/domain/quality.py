"""How well the gate does: what it said and why, what is known by category, how often it had to be put right."""

from __future__ import annotations

from datetime import date, datetime

import msgspec


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """One try at keeping something, without what it was about; `place` tells where reading goes on."""

    place: tuple[str, str]
    at: datetime
    verdict: str
    reason: str
    source: str


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """One memory without its key and value; `corrects` when it took the place of another."""

    place: tuple[str, str]
    at: datetime
    category: str
    status: str
    source: str
    corrects: bool


class VerdictCount(msgspec.Struct, frozen=True, kw_only=True):
    """How often a verdict was given for a reason, and which share of all verdicts that is."""

    verdict: str
    reason: str
    count: int
    share: float


class CategoryCount(msgspec.Struct, frozen=True, kw_only=True):
    """How many memories of a category there are, by how they stand."""

    category: str
    active: int
    deprecated: int
    deleted: int


class WeekCount(msgspec.Struct, frozen=True, kw_only=True):
    """One week from its Monday on, in UTC: what was tried, kept and put right.

    `corrections` are memories that took the place of another; over `kept`, they are the correction rate.
    """

    week: date
    attempts: int
    rejected: int
    kept: int
    corrections: int
    correction_rate: float


class GateQuality(msgspec.Struct, frozen=True, kw_only=True):
    """The account of one tenant, or of all together where `tenant` is None; the shares are of `attempts`."""

    tenant: str | None
    attempts: int
    saved_share: float
    rejected_share: float
    asked_share: float
    quarantined_share: float
    verdicts: tuple[VerdictCount, ...]
    categories: tuple[CategoryCount, ...]
    weeks: tuple[WeekCount, ...]
