"""A coordinator's plan: operations that wait for one another, without cycles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from msgspec import Meta

from rememora.domain.mission_bus import Priority
from rememora.domain.mission_intake import Name, OpenPart, Spend
from rememora.errors import InvalidInput


class Operation(OpenPart, frozen=True, kw_only=True):
    """One operation for an executor, to be done after the operations in `after`."""

    id: Name
    executor: Name
    payload: Any = None
    after: tuple[Name, ...] = ()
    priority: Priority = "normal"
    estimate: Spend = Spend(calls=1)
    timeout_s: Annotated[float, Meta(gt=0, le=300)] = 30.0
    critical: bool = True


class OperationPlan(OpenPart, frozen=True, kw_only=True):
    """Operations in the planned order; a plan with a cycle is refused."""

    operations: tuple[Operation, ...] = ()

    def __post_init__(self) -> None:
        ids = [operation.id for operation in self.operations]
        if len(set(ids)) < len(ids):
            raise InvalidInput("plan.operations", "two operations have one id")
        after = {operation.id: operation.after for operation in self.operations}
        unknown = sorted({name for names in after.values() for name in names} - set(ids))
        if unknown:
            raise InvalidInput("plan.operations", f"waits for {', '.join(unknown)}, which is not in the plan")
        # Operations that wait for each other would stall the mission until it times out.
        if circle := find_circle(after):
            raise InvalidInput("plan.operations", f"operations wait for each other: {' -> '.join(circle)}")


def find_circle(after: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return a cycle of names, the first repeated at the end, or nothing."""
    waiting = {name: set(names) for name, names in after.items()}
    while free := [name for name, names in waiting.items() if not names]:
        for name in free:
            del waiting[name]
        for names in waiting.values():
            names.difference_update(free)
    return _walk(waiting)


def _walk(waiting: Mapping[str, set[str]]) -> tuple[str, ...]:
    # Everything left waits for something left, so following any of it must come back.
    if not waiting:
        return ()
    trail = [min(waiting)]
    while (following := min(waiting[trail[-1]])) not in trail:
        trail.append(following)
    return (*trail[trail.index(following) :], following)
