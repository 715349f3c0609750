"""Agents of a mission: plain async functions, and the call object they get."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from rememora.domain.mission_bus import BusMessage, Priority
from rememora.domain.mission_intake import Complexity, Intake, Spend
from rememora.domain.mission_work import Consolidation, Impact, MissionWarning
from rememora.missions.bus import AgentAnswer
from rememora.missions.limits import Terms

Ask = Callable[[BusMessage, "AgentQuestion"], Awaitable[AgentAnswer]]
Extend = Callable[[str, Spend], Awaitable[BusMessage]]


class AgentQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question of one agent to another during its work."""

    to: str
    payload: Any = None
    reserve: Spend = Spend(calls=1)
    timeout_s: float | None = None
    priority: Priority = "normal"


class StatedDecision(msgspec.Struct, frozen=True, kw_only=True):
    """A decision as an agent states it; the mission adds the time and the cycle."""

    what: str
    reason: str
    operation: str | None = None


class CallContext:
    """One call of an agent: its task, its budget, and a way to ask others."""

    def __init__(
        self, message: BusMessage, *, query: str, collected: Mapping[str, Any], ask: Ask, extend: Extend
    ) -> None:
        self.message = message
        self.query = query
        self.payload = message.payload
        self.collected = dict(collected)
        self.warnings: list[MissionWarning] = []
        self.decisions: list[StatedDecision] = []
        self._spent: Spend | None = None
        self._ask = ask
        self._extend = extend

    @property
    def allowance(self) -> Spend:
        """Return the budget reserved for this call: the most it may use."""
        return self.message.reserved

    @property
    def spent(self) -> Spend:
        """Return the agent's reported usage; without a report, everything that was reserved."""
        return self.allowance if self._spent is None else self._spent

    def spend(self, *, tokens: int = 0, calls: int = 0) -> None:
        """Report usage."""
        self._spent = (self._spent or Spend()) + Spend(tokens=tokens, calls=calls)

    async def reserve(self, *, tokens: int = 0, calls: int = 0) -> None:
        """Reserve more budget before using it; `BudgetExceeded` if there is none left."""
        self.message = await self._extend(self.message.id, Spend(tokens=tokens, calls=calls))

    def warn(self, text: str, *, type: str | None = None, impact: Impact | None = None) -> None:
        """Add a warning to the mission, with its type and impact, and its text to the outcome."""
        self.warnings.append(MissionWarning(text=text, type=type, impact=impact))

    def decide(self, what: str, *, reason: str, operation: str | None = None) -> None:
        """Add a decision and its reason to the mission, and the operation it is about."""
        self.decisions.append(StatedDecision(what=what, reason=reason, operation=operation))

    async def ask(self, to: str, payload: Any = None, *, tokens: int = 0, calls: int = 1) -> Any:
        """Call another agent through the bus, which may refuse it."""
        question = AgentQuestion(to=to, payload=payload, reserve=Spend(tokens=tokens, calls=calls))
        return (await self._ask(self.message, question)).value


Agent = Callable[[CallContext], Awaitable[Any]]
Synthesize = Callable[[Consolidation, tuple[str, ...]], Awaitable[str]]
Classify = Callable[[str], Awaitable[Intake]]
Deliver = Callable[[str], Awaitable[None]]


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """A coordinator chosen by hand instead of the best candidate, and the reason."""

    coordinator: str
    reason: str


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """Options for running a mission."""

    terms: Terms | None = None
    complexity: Complexity | None = None
    lead: Choice | None = None
    fallbacks: dict[str, str] = {}
    shares: dict[str, Spend] = {}
    coordination: Spend = Spend()
    synthesis: Spend = Spend()
    forbidden: tuple[str, ...] = ()
    parallel: int = 4
    cycles: int = 3
    attempts: int = 3
    classify: Classify | None = None
    synthesize: Synthesize | None = None
    deliver: Deliver | None = None


class MissionCost(msgspec.Struct, frozen=True, kw_only=True):
    """Cost of a mission."""

    tokens: int
    calls: int
    messages: int
    elapsed_s: float
    fallbacks: tuple[str, ...] = ()
    refused: dict[str, int] = {}


class MissionOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """Result of a mission: the answer if there is one, and its cost."""

    mission_id: str
    status: str
    account: MissionCost
    answer: str | None = None
    warnings: tuple[str, ...] = ()


async def perform(agent: Agent, call: CallContext) -> AgentAnswer:
    """Run an agent; its return value is the answer's value unless it is an `Answer` itself."""
    value = await agent(call)
    return value if isinstance(value, AgentAnswer) else AgentAnswer(value=value, spent=call.spent)
