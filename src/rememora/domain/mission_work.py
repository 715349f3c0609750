"""The last three layers of a mission: coordinators (W6), executors (W7) and the final answer (W8)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from rememora.domain.mission_intake import Count, Moment, Name, OpenPart, Percent, Spend
from rememora.domain.mission_plan import OperationPlan

RunState = Literal["pending", "running", "done", "failed"]
Impact = Literal["none", "low", "medium", "high"]


class OperationRun(OpenPart, frozen=True, kw_only=True):
    """State of one operation, with its full result."""

    state: RunState = "pending"
    result: Any = None
    source: str | None = None
    fallback: Name | None = None
    tokens: Count = 0
    error: str | None = None
    reliability: Percent | None = None
    """Reliability of the source."""
    started_at: Moment | None = None
    ended_at: Moment | None = None


class MissionWarning(OpenPart, frozen=True, kw_only=True):
    """A warning with its type and its effect on the answer; plain text is a warning too."""

    text: Annotated[str, Meta(min_length=1)]
    type: str | None = None
    impact: Impact | None = None
    at: Moment | None = None


class Decision(OpenPart, frozen=True, kw_only=True):
    """A decision of a coordinator and its reason, with the cycle and the operation it is about."""

    what: str
    reason: str
    at: Moment
    cycle: Annotated[int, Meta(ge=1)] | None = None
    operation: Name | None = None


class Gaps(OpenPart, frozen=True, kw_only=True):
    """Information still missing: required for the answer, or only useful."""

    critical: tuple[str, ...] = ()
    complementary: tuple[str, ...] = ()


class Coordinator(OpenPart, frozen=True, kw_only=True):
    """A coordinator's plan for this cycle, its progress, and its share of the budget."""

    cycle: Annotated[int, Meta(ge=1)] = 1
    plan: OperationPlan = OperationPlan()
    runs: dict[Name, OperationRun] = {}
    collected: dict[str, Any] = {}
    warnings: tuple[str | MissionWarning, ...] = ()
    decisions: tuple[Decision, ...] = ()
    completeness: Percent = 0
    gaps: Gaps = Gaps()
    share: Spend | None = None


class Track(OpenPart, frozen=True, kw_only=True):
    """One call of an executor, for the record; its result is stored with the operation."""

    executor: Name
    coordinator: Name
    operation: Name
    ok: bool
    ended_at: Moment
    started_at: Moment | None = None
    duration_s: Annotated[float, Meta(ge=0)] | None = None
    request_id: str | None = None
    """The executor's own id of the request, or the id of the call."""
    fallback_for: Name | None = None
    """The executor that this one replaced."""
    spent: Spend = Spend()


class Executors(OpenPart, frozen=True, kw_only=True):
    """Observed work of the executors, and the host's own counters."""

    tracks: tuple[Track, ...] = ()
    counters: dict[Name, int] = {}


class Consolidation(OpenPart, frozen=True, kw_only=True):
    """Everything the answer is based on, kept until the answer is sent."""

    supporting: dict[str, Any] = {}
    calculations: dict[str, Any] = {}
    comparisons: dict[str, Any] = {}
    limitations: tuple[str, ...] = ()


class AnswerAttempt(OpenPart, frozen=True, kw_only=True):
    """One attempt at wording the answer, and the forbidden terms found in it."""

    text: str
    at: Moment
    forbidden: tuple[str, ...] = ()


class FinalAnswer(OpenPart, frozen=True, kw_only=True):
    """The consolidation, the attempts, and the final answer."""

    consolidation: Consolidation | None = None
    attempts: tuple[AnswerAttempt, ...] = ()
    validated: bool = False
    answer: str | None = None
    sent_at: Moment | None = None
    error: str | None = None
    """The reason why no answer was sent."""
