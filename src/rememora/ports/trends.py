"""The seam of figures over time: counts of a day, and days of judgements and acts, without any content."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

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
