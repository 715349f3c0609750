"""Settings under which nothing is late because a machine is busy; what is late has tests of its own."""

from __future__ import annotations

from typing import Any, Final

CALM: Final[dict[str, Any]] = {"context.deadline_ms": 20_000}
