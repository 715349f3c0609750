"""The seam of looking back: what was judged and kept, read without its content, and what counts it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from rememora.domain.quality import GateQuality, JudgedAttempt, KeptMemory
from rememora.domain.scope import Scope
from rememora.domain.trend import DayCount, DayFigure


class Trends(Protocol):
    """A tenant's figures over time."""

    def add(self, scope: Scope, counted: Sequence[DayFigure]) -> None:
        """Add to what a day has counted."""
        ...

    def raise_to(self, scope: Scope, counted: DayFigure) -> None:
        """Note the most that waited on a day."""
        ...

    def since(self, scope: Scope, moment: datetime) -> list[DayFigure]: ...

    def judged(self, scope: Scope, since: datetime, until: datetime) -> list[DayCount]:
        """Count verdicts and their reasons, day by day."""
        ...

    def acts(self, scope: Scope, since: datetime, until: datetime, *, last: int) -> list[DayCount]:
        """Count acts day by day, among the last entries of the chain."""
        ...


START = ("", "")
"""Before every place."""


class Lookback(Protocol):
    """All decisions and memories of a tenant's gate, for all users, page by page and without content."""

    def judged(self, scope: Scope, *, after: tuple[str, str] = START, limit: int) -> list[JudgedAttempt]: ...

    def known(self, scope: Scope, *, after: tuple[str, str] = START, limit: int) -> list[KeptMemory]: ...


class Tables(Protocol):
    """Counts what it is given; a passing thing that keeps nothing."""

    def add_judged(self, scope: Scope, rows: Sequence[JudgedAttempt]) -> None: ...

    def add_known(self, scope: Scope, rows: Sequence[KeptMemory]) -> None: ...

    def account(self, scope: Scope | None) -> GateQuality:
        """The account of the scope's tenant, or without one that of all tenants given so far."""
        ...

    def close(self) -> None: ...
