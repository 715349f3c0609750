"""Records of a run in its mission, as pure changes that are applied together with the bus's own (W6 to W8)."""

from __future__ import annotations

from datetime import datetime

import msgspec
from msgspec.structs import replace

from rememora.domain.mission import Mission
from rememora.domain.mission_intake import Complexity, Intake, Override, Spend
from rememora.domain.mission_plan import OperationPlan
from rememora.domain.mission_work import (
    AnswerAttempt,
    Consolidation,
    Coordinator,
    Decision,
    MissionWarning,
    OperationRun,
    Track,
)
from rememora.errors import InvalidInput
from rememora.missions.limits import TERMS, Terms, held_to, total
from rememora.missions.plan import completeness, gaps


class Lead(msgspec.Struct, frozen=True, kw_only=True):
    """Coordinator of the mission, its objective, and the reason if it is not the best candidate."""

    coordinator: str
    objective: str
    override: Override | None = None
    complexity: Complexity | None = None
    terms: Terms | None = None
    shares: dict[str, Spend] = {}


def with_intake(mission: Mission, intake: Intake) -> Mission:
    """Set the reading of the query; the query itself stays unchanged."""
    return replace(mission, intake=replace(intake, query=mission.intake.query))


def with_lead(mission: Mission, lead: Lead) -> Mission:
    """Set the orchestrator's section; explicit limits override those of the complexity."""
    terms = lead.terms or (TERMS[lead.complexity] if lead.complexity else None)
    section = mission.orchestrator
    if terms is not None:
        section = held_to(terms, since=mission.created_at, orchestrator=section)
    section = replace(
        section,
        objective=lead.objective,
        coordinator=lead.coordinator,
        override=lead.override,
        complexity=lead.complexity,
    )
    # Shares may leave a rest, but not promise more than there is.
    if not total(lead.shares.values()).fits(section.budget):
        raise InvalidInput("shares", "more than the whole budget")
    shared = {name: Coordinator(share=share) for name, share in lead.shares.items()}
    return replace(mission, orchestrator=section, coordinators={**mission.coordinators, **shared})


def with_plan(mission: Mission, name: str, plan: OperationPlan, *, cycle: int) -> Mission:
    """Begin a cycle with a new plan; everything collected before is kept."""
    before = mission.coordinators.get(name, Coordinator())
    return _with(mission, name, replace(before, cycle=cycle, plan=plan, runs={}))


def with_run(mission: Mission, name: str, operation: str, run: OperationRun) -> Mission:
    """Set the state of an operation; a result is collected under the operation's id."""
    before = mission.coordinators.get(name, Coordinator())
    runs = {**before.runs, operation: run}
    collected = {**before.collected, operation: run.result} if run.state == "done" else before.collected
    after = replace(
        before,
        runs=runs,
        collected=collected,
        completeness=completeness(before.plan, runs),
        gaps=gaps(before.plan, runs),
    )
    return _with(mission, name, after)


def with_notes(
    mission: Mission, name: str, *, warnings: tuple[MissionWarning, ...] = (), decisions: tuple[Decision, ...] = ()
) -> Mission:
    """Add a coordinator's warnings and decisions."""
    before = mission.coordinators.get(name, Coordinator())
    after = replace(before, warnings=before.warnings + warnings, decisions=before.decisions + decisions)
    return _with(mission, name, after)


def with_track(mission: Mission, track: Track) -> Mission:
    """Add one call to the observations of the executors."""
    executors = replace(mission.executors, tracks=(*mission.executors.tracks, track))
    return replace(mission, executors=executors)


def with_consolidation(mission: Mission, consolidation: Consolidation) -> Mission:
    """Store everything that the answer is based on."""
    return replace(mission, final=replace(mission.final, consolidation=consolidation))


def with_attempt(mission: Mission, attempt: AnswerAttempt) -> Mission:
    """Store an attempt at the answer; the first without forbidden terms is the answer."""
    passed = not attempt.forbidden
    final = replace(
        mission.final,
        attempts=(*mission.final.attempts, attempt),
        validated=passed,
        answer=attempt.text if passed else None,
    )
    return replace(mission, final=final)


def with_sent(mission: Mission, now: datetime) -> Mission:
    """Record that the answer was sent."""
    return replace(mission, final=replace(mission.final, sent_at=now))


def with_error(mission: Mission, error: str) -> Mission:
    """Record why no answer was sent."""
    return replace(mission, final=replace(mission.final, error=error))


def _with(mission: Mission, name: str, coordinator: Coordinator) -> Mission:
    return replace(mission, coordinators={**mission.coordinators, name: coordinator})
