"""What tests of the runtime share: missions that are kept for a look, and plain agents."""

from __future__ import annotations

from typing import Any

from rememora.adapters.sql.missions import SqlMissions
from rememora.domain.mission import Mission
from rememora.domain.mission_plan import Operation, OperationPlan
from rememora.domain.scope import Scope
from rememora.missions import CallContext, MissionOutcome, Missions
from rememora.settings import MissionSettings
from rememora.wiring.parts import utc_now

ANA = Scope("acme", "ana", "c1")
KEPT = MissionSettings(delete_delay_seconds=60)


def over(store: SqlMissions, **settings: Any) -> Missions:
    return Missions(store, clock=utc_now, **{"settings": KEPT, **settings})


def operation(id: str, executor: str = "hand", **rest: Any) -> Operation:
    return Operation(id=id, executor=executor, **rest)


def lead_of(*operations: Operation) -> Any:
    async def lead(call: CallContext) -> OperationPlan | dict[str, Any]:
        """Plans once, then reports what was collected."""
        return (
            call.collected if call.collected or call.message.number > 1 else OperationPlan(operations=operations)
        )

    return lead


async def hand(call: CallContext) -> str:
    """Says what it was given."""
    return f"did {call.payload}"


async def broken(call: CallContext) -> str:
    """Always fails."""
    raise ValueError("out of order")


async def settled(store: SqlMissions, outcome: MissionOutcome) -> Mission:
    return await store.get(ANA, outcome.mission_id)
