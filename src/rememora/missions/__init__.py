"""Missions: a team of agents on one request, within limits that it cannot exceed."""

import typing
import warnings

from rememora.domain.mission_intake import Spend
from rememora.domain.mission_plan import Operation, OperationPlan
from rememora.domain.mission_work import Consolidation
from rememora.missions.agents import Agent, CallContext, Choice, MissionCost, MissionOutcome, Options
from rememora.missions.board import Board
from rememora.missions.bus import AgentAnswer, Bus
from rememora.missions.debug import DebugViews
from rememora.missions.guards import CallRequest
from rememora.missions.limits import TERMS, Terms
from rememora.missions.promote import Gate, Promotion, promote
from rememora.missions.service import Missions
from rememora.missions.settlement import Checkup, Report
from rememora.missions.sweep import Swept, sweep

__all__ = [
    "TERMS",
    "Agent",
    "AgentAnswer",
    "Board",
    "Bus",
    "CallContext",
    "CallRequest",
    "Checkup",
    "Choice",
    "Consolidation",
    "DebugViews",
    "Gate",
    "MissionCost",
    "MissionOutcome",
    "Missions",
    "Operation",
    "OperationPlan",
    "Options",
    "Promotion",
    "Report",
    "Spend",
    "Swept",
    "Terms",
    "promote",
    "sweep",
]

_RENAMED: dict[str, str] = {
    "Account": "MissionCost",
    "Answer": "AgentAnswer",
    "Call": "CallContext",
    "Outcome": "MissionOutcome",
    "Plan": "OperationPlan",
    "Send": "CallRequest",
}
"""Names before 0.2 and their successors; the old names work for one more release."""


if not typing.TYPE_CHECKING:  # a type checker is to refuse unknown names, and the old ones

    def __getattr__(name: str) -> object:
        if name in _RENAMED:
            warnings.warn(
                f"{__name__}.{name} is now {__name__}.{_RENAMED[name]}", DeprecationWarning, stacklevel=2
            )
            return globals()[_RENAMED[name]]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
