"""Settings under which nothing is late because a machine is busy, and no model reads beside the one under test.

Nor does a commit wait for the disk: what is killed here is a process, and no test can cut the power.

What is late, and what a model reads, has tests of its own.
"""

from __future__ import annotations

from typing import Any, Final

CALM: Final[dict[str, Any]] = {
    "context.deadline_ms": 20_000,
    "reading.model": False,
    "store.synchronous": "normal",
}
