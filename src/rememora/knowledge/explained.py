"""Explains a judgement to whoever asks: the words behind each decision, and the known statements it touches."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from rememora import statements
from rememora.domain.memory import Memory
from rememora.domain.question import shown
from rememora.domain.scope import Scope
from rememora.domain.verdict import AnyVerdict, ExplainedDecision, Fact
from rememora.gate.decisions import explain_verdict
from rememora.knowledge.affected import COMPARED, known_of
from rememora.knowledge.base import KnowledgeBase
from rememora.reading.parsed import parse_message

MOST_TOUCHED: Final = 3
"""Known statements that are shown beside a fact, the likeliest."""
LEAST_TOUCHED: Final = 0.05


async def explained(
    knowledge: KnowledgeBase, text: str, verdict: AnyVerdict, *, owner: Scope | None = None
) -> AnyVerdict:
    """Return a verdict with the words behind it, and what it touches of what is known of its owner."""
    known: list[Memory] = []
    if owner is not None and any(fact.said for fact in verdict.facts):
        newest = await knowledge.store.read(
            owner, lambda work: work.memories.newest(owner, shared=False, limit=COMPARED)
        )
        # What the person wants unmentioned is not named here either.
        known = [memory for memory in newest if not memory.suppressed]
    return await asyncio.to_thread(_explained, knowledge, text, verdict, known)


def _explained(knowledge: KnowledgeBase, text: str, verdict: AnyVerdict, known: Sequence[Memory]) -> AnyVerdict:
    most = knowledge.settings.knowledge.judged_characters
    words = explain_verdict(text, verdict, most=most, policy=knowledge.policy)
    touched = (decision for fact in verdict.facts for decision in _touched(knowledge, fact, known))
    return msgspec.structs.replace(verdict, words=(*words, *touched))


def _touched(knowledge: KnowledgeBase, fact: Fact, known: Sequence[Memory]) -> Iterator[ExplainedDecision]:
    """Yield the known statements that a fact most likely touches, with the chance of each."""
    if fact.said is None or fact.evidence is None or not known:
        return
    said = statements.links.known(fact.evidence.text, attribute=fact.said.attribute, subject=fact.said.subject)
    chances = statements.touching.touch_chances(
        parse_message(fact.evidence.text).reading, said, [known_of(memory) for memory in known], knowledge.meaning
    )[:, 0]
    for at in sorted(range(len(known)), key=lambda at: -chances[at])[:MOST_TOUCHED]:
        if chances[at] >= LEAST_TOUCHED:
            yield ExplainedDecision(
                by="comparison",
                decision="touches",
                chance=round(float(chances[at]), 4),
                span=fact.evidence,
                memory=known[at].id,
                known=shown(known[at].value),
            )
