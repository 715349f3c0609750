"""A lane for each tenant: its writes are serial, and those that wait together share a transaction.

Waiting writers hold no connection: a lane takes one when it has work, and gives it back between two transactions.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from rememora.adapters.sql.jobs import Job


class TenantQueues:
    """Waiting jobs per queue, and the queues in progress."""

    def __init__(self, *, group: int, start: Callable[[str], None]) -> None:
        self._group = group
        self._start = start
        self._lock = threading.Lock()
        self._waiting: dict[str, deque[Job]] = {}

    def add(self, tenant: str, job: Job) -> None:
        """One more job; a lane that nobody works on is started."""
        with self._lock:
            idle = tenant not in self._waiting
            self._waiting.setdefault(tenant, deque()).append(job)
        if idle:
            self._start(tenant)

    def take(self, tenant: str) -> list[Job]:
        """The next jobs of a lane that is being worked on."""
        with self._lock:
            lane = self._waiting[tenant]
            return [lane.popleft() for _ in range(min(len(lane), self._group))]

    def rest(self, tenant: str) -> None:
        """Ends work on a lane, or starts it again when jobs came meanwhile: behind other tenants, in fairness."""
        with self._lock:
            more = bool(self._waiting[tenant])
            if not more:
                del self._waiting[tenant]
        if more:
            self._start(tenant)
