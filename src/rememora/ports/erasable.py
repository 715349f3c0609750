"""The seam of erasure: every place that holds something about a person can let go of it."""

from __future__ import annotations

from typing import Protocol

from rememora.domain.receipt import Doomed
from rememora.domain.scope import Scope


class Erasable(Protocol):
    """A place that holds something about a person, and can let go of it for good."""

    def erase(self, scope: Scope, doomed: Doomed) -> int:
        """Remove all that `doomed` reaches; returns how many rows that was."""
        ...
