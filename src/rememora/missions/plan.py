"""Progress of a plan: which operations can run now, which never will, and how much is done (W6; pure)."""

from __future__ import annotations

from collections.abc import Mapping

from rememora.domain.mission_bus import PRIORITIES
from rememora.domain.mission_plan import Operation, OperationPlan
from rememora.domain.mission_work import Gaps, OperationRun

Runs = Mapping[str, OperationRun]


def runnable(plan: OperationPlan, runs: Runs) -> list[Operation]:
    """Return the operations that wait for nothing: by priority, then in the plan's order."""
    ready = [
        operation
        for operation in plan.operations
        if _state(runs, operation.id) == "pending"
        and all(_state(runs, name) == "done" for name in operation.after)
    ]
    return sorted(ready, key=lambda operation: PRIORITIES.index(operation.priority))


def blocked_by_failure(plan: OperationPlan, runs: Runs) -> list[Operation]:
    """Return the pending operations that wait, directly or not, for one that failed."""
    lost = {name for name, run in runs.items() if run.state == "failed"}
    blocked: list[Operation] = []
    remaining = [operation for operation in plan.operations if _state(runs, operation.id) == "pending"]
    # Round by round, because a failure also blocks what waits for a blocked operation.
    while reached := [operation for operation in remaining if lost.intersection(operation.after)]:
        blocked += reached
        lost |= {operation.id for operation in reached}
        remaining = [operation for operation in remaining if operation.id not in lost]
    return blocked


def completeness(plan: OperationPlan, runs: Runs) -> int:
    """Return how much of the plan is done, 0 to 100; an empty plan is done."""
    if not plan.operations:
        return 100
    done = sum(_state(runs, operation.id) == "done" for operation in plan.operations)
    return done * 100 // len(plan.operations)


def gaps(plan: OperationPlan, runs: Runs) -> Gaps:
    """Return the operations that are not done, separated by whether the answer needs them."""
    missing = [operation for operation in plan.operations if _state(runs, operation.id) != "done"]
    return Gaps(
        critical=tuple(operation.id for operation in missing if operation.critical),
        complementary=tuple(operation.id for operation in missing if not operation.critical),
    )


def _state(runs: Runs, name: str) -> str:
    return runs[name].state if name in runs else "pending"
