"""Port of quality figures: verdicts and memories without their content, and the engine that counts them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from rememora.domain.quality import GateQuality, JudgedAttempt, KeptMemory
from rememora.domain.scope import Scope
from rememora.domain.trend import DayCount, DayFigure


class Trends(Protocol):
    """Daily figures of a tenant."""

    def add(self, scope: Scope, counted: Sequence[DayFigure]) -> None:
        """Add to the counts of a day."""

    def raise_to(self, scope: Scope, counted: DayFigure) -> None:
        """Record the largest backlog of a day."""

    def since(self, scope: Scope, moment: datetime) -> list[DayFigure]: ...

    def judged(self, scope: Scope, since: datetime, until: datetime) -> list[DayCount]:
        """Count verdicts and their reasons, day by day."""

    def acts(self, scope: Scope, since: datetime, until: datetime, *, last: int) -> list[DayCount]:
        """Count changes by day, among the last entries of the chain."""


START = ("", "")
"""The position before the first one."""


class Lookback(Protocol):
    """All verdicts and memories of a tenant, for all users, page by page and without content."""

    def judged(self, scope: Scope, *, after: tuple[str, str] = START, limit: int) -> list[JudgedAttempt]: ...

    def known(self, scope: Scope, *, after: tuple[str, str] = START, limit: int) -> list[KeptMemory]: ...


class Tables(Protocol):
    """Counts rows in memory, for one report."""

    def add_judged(self, scope: Scope, rows: Sequence[JudgedAttempt]) -> None: ...

    def add_known(self, scope: Scope, rows: Sequence[KeptMemory]) -> None: ...

    def account(self, scope: Scope | None) -> GateQuality:
        """Return the figures of the scope's tenant, or of all tenants added so far."""

    def close(self) -> None: ...
