"""Missions: a team of agents on one request, held to limits it cannot talk its way past."""

from rememora.domain.mission_intake import Spend
from rememora.domain.mission_plan import Operation, Plan
from rememora.domain.mission_work import Consolidation
from rememora.missions.agents import Account, Agent, Call, Choice, Options, Outcome
from rememora.missions.board import Board
from rememora.missions.bus import Answer, Bus
from rememora.missions.debug import DebugViews
from rememora.missions.desk import Missions
from rememora.missions.guards import Send
from rememora.missions.limits import TERMS, Terms
from rememora.missions.promote import Gate, Promotion, promote
from rememora.missions.settlement import Checkup, Report
from rememora.missions.sweep import Swept, sweep

__all__ = [
    "TERMS",
    "Account",
    "Agent",
    "Answer",
    "Board",
    "Bus",
    "Call",
    "Checkup",
    "Choice",
    "Consolidation",
    "DebugViews",
    "Gate",
    "Missions",
    "Operation",
    "Options",
    "Outcome",
    "Plan",
    "Promotion",
    "Report",
    "Send",
    "Spend",
    "Swept",
    "Terms",
    "promote",
    "sweep",
]
