"""The layers of a mission in order: orchestrator, coordinators in cycles, the final answer (W4, W6, W8)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import msgspec

from rememora.domain.mission_bus import BusMessage
from rememora.domain.mission_intake import Intake, Override
from rememora.domain.mission_plan import OperationPlan
from rememora.domain.mission_work import AnswerAttempt, Consolidation
from rememora.errors import InvalidInput, MissionRefused
from rememora.language import fold
from rememora.missions.bus import AgentAnswer
from rememora.missions.guards import CallRequest
from rememora.missions.mission_run import ANSWER, ORCHESTRATOR, MissionRun, attempt
from rememora.missions.operate import Operations
from rememora.missions.record import (
    Lead,
    with_attempt,
    with_consolidation,
    with_intake,
    with_lead,
    with_plan,
    with_sent,
)


async def take_in(stage: MissionRun) -> Intake:
    """Read the query; if the host's own reader fails, the built-in one reads it."""
    if stage.options.classify is None:
        return stage.intake
    read = await attempt(stage.options.classify(stage.query))
    if isinstance(read, Exception):
        stage.warnings.append(f"classification failed: {type(read).__name__}")
        return stage.intake
    await stage.board.amend(partial(with_intake, intake=read))
    return read


async def orchestrate(stage: MissionRun, intake: Intake) -> str:
    """Choose the coordinator and set the limits; return the coordinator's name."""
    lead = choose(stage, intake)
    stage.deadline = (await stage.board.amend(partial(with_lead, lead=lead))).orchestrator.deadline
    return lead.coordinator


def choose(stage: MissionRun, intake: Intake) -> Lead:
    """Return the best candidate, unless another was chosen with a reason."""
    names = [candidate.coordinator for candidate in intake.candidates]
    best = next((name for name in names if name in stage.team.coordinators), None)
    # No candidate belongs to the team: somebody has to lead all the same.
    best = best or next(iter(stage.team.coordinators))
    named = stage.options.lead
    if named and named.coordinator not in stage.team.coordinators:
        raise InvalidInput("lead", f"no such coordinator: {named.coordinator}")
    chosen = named.coordinator if named else best
    override = Override(instead_of=best, reason=named.reason) if named and chosen != best else None
    return Lead(
        coordinator=chosen,
        objective=stage.query,
        override=override,
        complexity=stage.options.complexity,
        terms=stage.options.terms,
        shares=stage.options.shares,
    )


async def coordinate(stage: MissionRun, name: str) -> Consolidation:
    """Run the coordinator, or its fallback if it fails."""
    result = await attempt(conduct(stage, name, ORCHESTRATOR, None))
    fallback = stage.options.fallbacks.get(name)
    if isinstance(result, Exception) and fallback and fallback in stage.team.coordinators:
        stage.warnings.append(f"{name} failed ({result}); {fallback} stands in")
        result = await attempt(conduct(stage, fallback, ORCHESTRATOR, None))
    # A limit of the mission itself was reached: its own words are the better message.
    if isinstance(result, MissionRefused):
        raise result
    if isinstance(result, Exception):
        raise MissionRefused(stage.mission_id, f"{name} failed: {result}") from result
    return result


async def conduct(stage: MissionRun, name: str, sender: str, payload: Any) -> Consolidation:
    """Call a coordinator in cycles: its plans are executed, until it has nothing more to plan."""
    collected: dict[str, Any] = {}
    for cycle in range(1, stage.options.cycles + 1):
        send = CallRequest(sender=sender, to=name, reserve=stage.options.coordination, payload=payload)
        answer = await stage.bus.call(send, stage.worker(name, collected, cycle=cycle))
        if not isinstance(answer.value, OperationPlan):
            return as_consolidation(answer.value)
        await stage.board.amend(partial(with_plan, name=name, plan=answer.value, cycle=cycle))
        collected = await Operations(stage, name, answer.value, collected=collected).carry_out()
    limitation = f"{name} still had plans after {stage.options.cycles} cycles"
    return Consolidation(supporting=collected, limitations=(limitation,))


async def answer(stage: MissionRun, consolidation: Consolidation) -> str:
    """Word the answer until it contains no forbidden term, and send it."""
    await stage.board.amend(partial(with_consolidation, consolidation=consolidation))
    forbidden: tuple[str, ...] = ()
    for _ in range(stage.options.attempts):
        text = await _word(stage, consolidation, forbidden)
        forbidden = find_forbidden(text, stage.options.forbidden)
        tried = AnswerAttempt(text=text, at=stage.clock(), forbidden=forbidden)
        await stage.board.amend(partial(with_attempt, attempt=tried))
        if not forbidden:
            await _send_out(stage, text)
            return text
    raise MissionRefused(stage.mission_id, f"the answer still contained: {', '.join(forbidden)}")


async def _word(stage: MissionRun, consolidation: Consolidation, findings: tuple[str, ...]) -> str:
    async def work(message: BusMessage) -> AgentAnswer:
        synthesize = stage.options.synthesize
        if synthesize is None:
            return AgentAnswer(value=word_plainly(consolidation))
        return AgentAnswer(value=await synthesize(consolidation, findings), spent=message.reserved)

    send = CallRequest(sender=ORCHESTRATOR, to=ANSWER, reserve=stage.options.synthesis)
    return str((await stage.bus.call(send, work)).value)


async def _send_out(stage: MissionRun, text: str) -> None:
    if stage.options.deliver is not None:
        await stage.options.deliver(text)
    await stage.board.amend(partial(with_sent, now=stage.clock()))


def find_forbidden(text: str, terms: Iterable[str]) -> tuple[str, ...]:
    """Return the terms that `text` contains as whole words, regardless of case and accents."""
    plain = fold(text)
    return tuple(term for term in terms if re.search(rf"(?<!\w){re.escape(fold(term))}(?!\w)", plain))


def word_plainly(consolidation: Consolidation) -> str:
    """Word an answer without a model: every result on a line."""
    parts = (consolidation.supporting, consolidation.calculations, consolidation.comparisons)
    lines = [line for part in parts for line in _lines(part)]
    return "\n".join([*lines, *consolidation.limitations])


def as_consolidation(value: object) -> Consolidation:
    """Use the coordinator's result as the basis of the answer."""
    if isinstance(value, Consolidation):
        return value
    if isinstance(value, Mapping):
        return Consolidation(supporting={str(key): item for key, item in value.items()})
    return Consolidation(supporting={} if value is None else {"result": value})


def _lines(part: Mapping[str, Any]) -> list[str]:
    return [f"{name}: {_text(value)}" for name, value in part.items()]


def _text(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
