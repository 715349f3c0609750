"""Compares how the offline reader and a language model read one text; nothing is written."""

from __future__ import annotations

import asyncio

import msgspec

from rememora.context.model_reading import CountingModel, Reader, may_be_sent
from rememora.context.reading_prompt import Material, written
from rememora.domain.check import check_text
from rememora.domain.message import CONTENT_BYTES
from rememora.domain.scope import Scope
from rememora.domain.verdict import AnyVerdict, Value
from rememora.gate import judge_candidate
from rememora.knowledge.base import KnowledgeBase
from rememora.knowledge.explained import explained
from rememora.knowledge.extract import Action, Extraction, ProposedFact, extract
from rememora.knowledge.note import judge_apart
from rememora.knowledge.proposed import doubt_of


class ModelFact(msgspec.Struct, frozen=True, kw_only=True):
    """A fact that the model proposes, and the gate's verdict."""

    action: Action
    key: str
    value: Value
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
    material = Material(content=text)
    question = written(material, room=settings.message_tokens, counter=reader.counter)
    try:
        async with asyncio.timeout(settings.model_seconds):
            extraction = await extract(model, material.text, policy=knowledge.policy, question=question)
    except TimeoutError:
        extraction = Extraction(failed=True, away=True)
    reader.tally.add(scope, "tokens", model.tokens)
    return ModelReading(
        sent=True,
        failed=extraction.failed,
        malformed=extraction.malformed,
        calls=model.calls,
        tokens=model.tokens,
        facts=tuple(_fact(knowledge, material.text, fact) for fact in extraction.proposed),
    )


def _fact(knowledge: KnowledgeBase, text: str, proposed: ProposedFact) -> ModelFact:
    candidate = proposed.candidate
    verdict = doubt_of(knowledge, text, proposed) or judge_candidate(candidate, policy=knowledge.policy)
    return ModelFact(
        action=proposed.action,
        key=candidate.key,
        value=candidate.value,
        confidence=candidate.confidence,
        quote="" if candidate.evidence is None else candidate.evidence.text,
        verdict=verdict.label,
        reason=verdict.reason,
    )
