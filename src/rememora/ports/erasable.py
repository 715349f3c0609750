"""Port of erasure: every place that holds personal data can erase it."""

from __future__ import annotations

from typing import Protocol

from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope


class Erasable(Protocol):
    """A place that holds personal data, and can erase it permanently."""

    def erase(self, scope: Scope, plan: ErasurePlan) -> int:
        """Remove everything that the plan reaches; returns the number of rows."""
