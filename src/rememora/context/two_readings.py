"""Compares how the offline reader and a language model read one text; nothing is written."""

from __future__ import annotations

import asyncio

import msgspec

from rememora.context.model_reading import CountingModel, Reader, may_be_sent
from rememora.context.reading_prompt import Material, written
from rememora.domain.check import check_text
from rememora.domain.message import CONTENT_BYTES
from rememora.domain.proposed_statement import ProposedAction
from rememora.domain.scope import Scope
from rememora.domain.verdict import AnyVerdict, Candidate, Fact, Value
from rememora.gate import judge_candidate
from rememora.knowledge.base import KnowledgeBase
from rememora.knowledge.explained import explained
from rememora.knowledge.extract import INSTRUCTIONS, MAX_TOKENS, Extraction, extract
from rememora.knowledge.note import judge_apart
from rememora.knowledge.proposed import JudgedStatement, SourceText, judge_proposed


class ModelFact(msgspec.Struct, frozen=True, kw_only=True):
    """A fact of a statement that the model proposes, and the gate's verdict."""

    action: ProposedAction
    key: str
    value: Value
    subject: str
    attribute: str
    confidence: float
    quote: str
    verdict: str
    reason: str


class ModelReading(msgspec.Struct, frozen=True, kw_only=True):
    """Result of asking the model; `sent` is False for text that is never sent to one."""

    sent: bool = False
    failed: bool = False
    malformed: int = 0
    calls: int = 0
    tokens: int = 0
    facts: tuple[ModelFact, ...] = ()


class TwoReadings(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on what the offline reader reads in a text, explained, and the model's reading if requested."""

    offline: AnyVerdict
    model: ModelReading | None = None


async def read_both(knowledge: KnowledgeBase, scope: Scope, text: str, *, reader: Reader | None) -> TwoReadings:
    """Read a text with the offline reader, and with the model if there is one."""
    check_text("text", text, max_bytes=CONTENT_BYTES)
    offline = await explained(knowledge, text, await judge_apart(knowledge, text))
    model = None if reader is None else await _ask(knowledge, scope, text, reader)
    return TwoReadings(offline=offline, model=model)


async def _ask(knowledge: KnowledgeBase, scope: Scope, text: str, reader: Reader) -> ModelReading:
    if not await asyncio.to_thread(may_be_sent, knowledge, text):
        return ModelReading()
    settings, model = knowledge.settings.reading, CountingModel(reader.model, reader.counter)
    material = Material(content=text, said_at=knowledge.clock())
    room = max(settings.message_tokens - reader.counter(INSTRUCTIONS) - MAX_TOKENS, 1)
    context = await asyncio.to_thread(written, material, room=room, counter=reader.counter)
    try:
        async with asyncio.timeout(settings.model_seconds):
            extraction = await extract(model, material.text, context=context)
    except TimeoutError:
        extraction = Extraction(failed=True, away=True)
    reader.tally.add(scope, "tokens", model.tokens)
    source = SourceText(text=material.text, said_at=material.said_at)
    judged = await asyncio.to_thread(judge_proposed, knowledge, source, extraction.proposed)
    return ModelReading(
        sent=True,
        failed=extraction.failed,
        malformed=extraction.malformed,
        calls=model.calls,
        tokens=model.tokens,
        facts=tuple(_shown(knowledge, statement, fact) for statement in judged for fact in _facts(statement)),
    )


def _facts(judged: JudgedStatement) -> list[Fact]:
    """Return the facts that would be kept of a statement: its slot, and what the slot does not say."""
    return [fact for fact in (judged.facts.slot, judged.facts.rest) if fact is not None]


def _shown(knowledge: KnowledgeBase, judged: JudgedStatement, fact: Fact) -> ModelFact:
    proposed = judged.proposed
    candidate = Candidate(
        key=fact.key, value=fact.value, confidence=fact.confidence, origin=fact.origin, evidence=fact.evidence
    )
    verdict = judged.doubt or judge_candidate(candidate, policy=knowledge.policy)
    return ModelFact(
        action=proposed.action,
        key=fact.key,
        value=fact.value,
        subject=proposed.subject,
        attribute=proposed.attribute,
        confidence=fact.confidence,
        quote=proposed.quote.text,
        verdict=verdict.label,
        reason=verdict.reason,
    )
