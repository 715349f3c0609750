"""Answers of the MCP tools as pydantic models, from which the SDK makes each tool's output schema."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from rememora.domain.context import MemoryAction
from rememora.domain.explanation import Explanation, Tie
from rememora.domain.hit import Hit
from rememora.domain.memory import Memory, Outcome
from rememora.domain.message import Message, Page
from rememora.errors import MissingExtra
from rememora.integrations.verbs import Became, became, hit_text

try:
    from pydantic import BaseModel
except ImportError:
    raise MissingExtra("mcp") from None

Said = Literal["user", "assistant", "system", "tool"]


class MemoryResult(BaseModel):
    """One memory."""

    id: str
    key: str
    value: Any
    category: str
    scope: str
    status: str
    source: str
    confidence: float
    suppressed: bool
    evidence: str | None = None
    conversation: str | None = None
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, memory: Memory) -> MemoryResult:
        """Return a memory as an MCP client gets it."""
        return cls(**{name: getattr(memory, name) for name in cls.model_fields})


class RecallHit(BaseModel):
    """One thing that answers a query."""

    id: str
    kind: str
    content: str
    score: float
    conversation: str | None
    created_at: datetime


class RecallResult(BaseModel):
    """Answers to a query, best first."""

    results: list[RecallHit]


class MemoryPageResult(BaseModel):
    """A page of memories; `next` is there while more follow."""

    memories: list[MemoryResult]
    next: str | None


class ContextResult(BaseModel):
    """Context for a question, as text, and the memories it rests on."""

    text: str
    tokens: int
    memory_ids: list[str]


class SaveResult(BaseModel):
    """Outcome of a wish to save, change or forget."""

    outcome: Became
    memories: list[MemoryResult]
    replaced: list[MemoryResult]
    question: str | None = None
    reason: str | None = None
    why: str | None = None


class HistoryEntry(BaseModel):
    """One entry of a memory's history."""

    at: datetime
    action: str
    actor: str
    why: str


class HeldValue(BaseModel):
    """A value that a memory has had, and when it held."""

    value: Any
    since: datetime
    until: datetime | None


class Grounded(BaseModel):
    """A memory that is tied to another: by a rule, by a change that puts it in doubt, or as a changed part."""

    memory: MemoryResult
    tie: Tie


class MemoryExplanation(BaseModel):
    """Origin of a memory, its earlier values, what it rests on and what rests on it."""

    memory: MemoryResult
    supersedes: MemoryResult | None
    source_ref: str | None
    origin: str
    timeline: list[HeldValue]
    rests_on: list[Grounded]
    dependents: list[Grounded]
    history: list[HistoryEntry]


class MemoryActionResult(BaseModel):
    """An act on the person's memory that a message asked for."""

    kind: str
    text: str
    memories: list[str]


class StoredMessage(BaseModel):
    """A stored message, and what it asked of memory."""

    id: str
    conversation: str
    done: list[MemoryActionResult]


def found_of(hit: Hit) -> RecallHit:
    """Return a hit as an MCP client gets it."""
    return RecallHit(
        id=hit.id,
        kind=hit.kind,
        content=hit_text(hit),
        score=hit.score,
        conversation=hit.conversation,
        created_at=hit.created_at,
    )


def listed(page: Page[Memory]) -> MemoryPageResult:
    """Return a page of memories as an MCP client gets it."""
    return MemoryPageResult(memories=[MemoryResult.of(memory) for memory in page.items], next=page.next)


def saved(outcome: Outcome) -> SaveResult:
    """Return what became of a wish as an MCP client gets it."""
    verdict, question = outcome.verdict, outcome.question
    return SaveResult(
        outcome=became(outcome),
        memories=[MemoryResult.of(memory) for memory in outcome.memories],
        replaced=[MemoryResult.of(memory) for memory in outcome.replaced],
        question=None if question is None else " / ".join(question.questions.values()),
        reason=None if verdict is None else verdict.reason,
        why=None if verdict is None else verdict.why.en,
    )


def explained(explanation: Explanation) -> MemoryExplanation:
    """Return where a memory comes from, and what it is tied to, as an MCP client gets it."""
    memory, earlier = explanation.memory, explanation.supersedes
    near = {other.id: MemoryResult.of(other) for other in (*explanation.rests_on, *explanation.dependents)}
    return MemoryExplanation(
        memory=MemoryResult.of(memory),
        supersedes=None if earlier is None else MemoryResult.of(earlier),
        source_ref=memory.source_ref,
        origin=memory.origin,
        timeline=[
            HeldValue(value=value.value, since=value.since, until=value.until) for value in explanation.timeline
        ],
        # A link has two ends: it is a basis where the other end is this memory, and a dependent where it is not.
        rests_on=[
            Grounded(memory=near[link.rests_on], tie=link.tie)
            for link in explanation.links
            if link.dependent == memory.id
        ],
        dependents=[
            Grounded(memory=near[link.dependent], tie=link.tie)
            for link in explanation.links
            if link.rests_on == memory.id
        ],
        history=[
            HistoryEntry(at=entry.at, action=entry.action, actor=entry.actor, why=entry.why)
            for entry in explanation.history
        ],
    )


def stored(message: Message, deeds: Sequence[MemoryAction]) -> StoredMessage:
    """Return a stored message as an MCP client gets it."""
    done = [MemoryActionResult(kind=deed.kind, text=deed.text, memories=list(deed.memories)) for deed in deeds]
    return StoredMessage(id=message.id, conversation=message.conversation, done=done)
