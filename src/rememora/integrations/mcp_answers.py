"""Answers of the MCP tools as pydantic models, from which the SDK makes each tool's output schema."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Literal

from rememora.domain.audit import AuditEntry
from rememora.domain.context import Deed
from rememora.domain.hit import Hit
from rememora.domain.memory import Memory, Outcome
from rememora.domain.message import Message, Page
from rememora.errors import MissingExtra
from rememora.integrations.verbs import Became, became

try:
    from pydantic import BaseModel
except ImportError:
    raise MissingExtra("mcp") from None

Said = Literal["user", "assistant", "system", "tool"]


class Found(BaseModel):
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
    def of(cls, memory: Memory) -> Found:
        """Return a memory as an MCP client gets it."""
        return cls(**{name: getattr(memory, name) for name in cls.model_fields})


class Recalled(BaseModel):
    """One thing that answers a query."""

    id: str
    kind: str
    content: str
    score: float
    conversation: str | None
    created_at: datetime


class FoundMemories(BaseModel):
    """Answers to a query, best first."""

    results: list[Recalled]


class Listed(BaseModel):
    """A page of memories; `next` is there while more follow."""

    memories: list[Found]
    next: str | None


class ContextFound(BaseModel):
    """Context for a question, as text, and the memories it rests on."""

    text: str
    tokens: int
    memory_ids: list[str]


class Saved(BaseModel):
    """Outcome of a wish to save, change or forget."""

    outcome: Became
    memories: list[Found]
    replaced: list[Found]
    question: str | None = None
    reason: str | None = None
    why: str | None = None


class Change(BaseModel):
    """One entry of a memory's history."""

    at: datetime
    action: str
    actor: str
    why: str


class Explained(BaseModel):
    """Origin of a memory."""

    memory: Found
    supersedes: Found | None
    source_ref: str | None
    origin: str
    history: list[Change]


class Done(BaseModel):
    """An act on the person's memory that a message asked for."""

    kind: str
    text: str
    memories: list[str]


class StoredMessage(BaseModel):
    """A stored message, and what it asked of memory."""

    id: str
    conversation: str
    done: list[Done]


def found_of(hit: Hit) -> Recalled:
    """Return a hit as an MCP client gets it."""
    return Recalled(
        id=hit.id,
        kind=hit.kind,
        content=hit.content,
        score=hit.score,
        conversation=hit.conversation,
        created_at=hit.created_at,
    )


def listed(page: Page[Memory]) -> Listed:
    """Return a page of memories as an MCP client gets it."""
    return Listed(memories=[Found.of(memory) for memory in page.items], next=page.next)


def saved(outcome: Outcome) -> Saved:
    """Return what became of a wish as an MCP client gets it."""
    verdict, question = outcome.verdict, outcome.question
    return Saved(
        outcome=became(outcome),
        memories=[Found.of(memory) for memory in outcome.memories],
        replaced=[Found.of(memory) for memory in outcome.replaced],
        question=None if question is None else f"{question.question_en} / {question.question_pt}",
        reason=None if verdict is None else verdict.reason,
        why=None if verdict is None else verdict.why.en,
    )


def explained(memory: Memory, earlier: Memory | None, history: Iterable[AuditEntry]) -> Explained:
    """Return where a memory comes from as an MCP client gets it."""
    return Explained(
        memory=Found.of(memory),
        supersedes=None if earlier is None else Found.of(earlier),
        source_ref=memory.source_ref,
        origin=memory.origin,
        history=[Change(at=each.at, action=each.action, actor=each.actor, why=each.why) for each in history],
    )


def stored(message: Message, deeds: Sequence[Deed]) -> StoredMessage:
    """Return a stored message as an MCP client gets it."""
    done = [Done(kind=deed.kind, text=deed.text, memories=list(deed.memories)) for deed in deeds]
    return StoredMessage(id=message.id, conversation=message.conversation, done=done)
