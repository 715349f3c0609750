"""The seam of erasure: every place that holds something about a person can let go of it."""

from __future__ import annotations

from typing import Protocol

from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope


class Erasable(Protocol):
    """A place that holds data about a person, and can erase it permanently."""

    def erase(self, scope: Scope, plan: ErasurePlan) -> int:
        """Remove all that `doomed` reaches; returns how many rows that was."""
        ...
