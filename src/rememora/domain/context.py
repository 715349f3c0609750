"""Context for a model: items with their origin and reason, the pack that holds them, and the reply."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, get_args

import msgspec

from rememora.domain.message import Message, Modality, Role
from rememora.domain.receipt import Receipt
from rememora.domain.scope import Scope

Section = Literal[
    "tenant",
    "mode",
    "profile",
    "operations",
    "memories",
    "entities",
    "tasks",
    "artifacts",
    "mission",
    "summary",
    "past",
    "related",
    "questions",
    "done",
    "recent",
]
SECTIONS: tuple[Section, ...] = get_args(Section)
"""All sections in the order of writing: the most stable come first, so that prompt caches hit."""

QUIET = "said here; not to be brought up again"
"""The reason of a message of this conversation that is only history: no answer is made from it."""

CANCELLED = "erase_cancelled"
"""The kind of an action that withdrew the question before an erasure; the message still needs its answer."""

Trust = Literal["operator", "recalled"]
"""`operator`: set by the host of the agent. `recalled`: stored text, which is evidence and never an order."""

Form = Literal["responses", "chat", "anthropic", "langchain", "markdown", "json"]
Placement = Literal["instructions", "user", "tool_result"]
Absence = Literal["off", "late", "failed"]
Omission = Literal["budget", "cap", "older", "worth", "repeated"]


class Item(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One item of the context, with its origin and the reason it was included."""

    section: Section
    text: str
    kind: str
    id: str | None = None
    key: str | None = None
    origin: str = "user_said"
    trust: Trust = "recalled"
    reason: str = ""
    score: float = 0.0
    parts: Mapping[str, float] = {}
    worth: float = 0.0
    """Probability that it is the answer, from 0 to 1, if it competes for the budget."""
    source: str | None = None
    """The message that a memory was learned from."""
    stands_for: tuple[str, ...] = ()
    """Memories that are left out because the message they were learned from is in the pack."""
    category: str | None = None
    role: Role | None = None
    conversation: str | None = None
    at: datetime | None = None
    past: str = ""
    """Earlier values, each with its dates."""
    note: str = ""
    """The rule that set it, or the day since which it may no longer hold."""
    tokens: int = 0
    cut: bool = False

    @property
    def memory_ids(self) -> tuple[str, ...]:
        """Ids of the memories that this item shows."""
        return (self.id,) if self.kind == "memory" and self.id is not None else self.stands_for


class LeftOut(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An item that was found and is not in the pack.

    It is over the `budget`, over its section's `cap`, `older` than a message that did not fit, not `worth` its
    tokens, or `repeated`: its text, or the message it comes from, is already in the pack.
    """

    section: Section
    kind: str
    id: str | None = None
    tokens: int
    why: Omission


class MissingLayer(msgspec.Struct, frozen=True, kw_only=True):
    """A layer that returned nothing: switched off, too late, or failed."""

    layer: str
    why: Absence


class Situation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The host's view of the moment: its mode, and its operations, tasks, artifacts and plan."""

    mode: str | None = None
    plan: str | None = None
    quotas: Mapping[str, Any] = {}
    operations: Mapping[str, Any] = {}
    tasks: tuple[Any, ...] = ()
    artifacts: tuple[Any, ...] = ()


class ContextPack(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything that the model is given for one turn, within its budget; the same for chat and voice."""

    scope: Scope
    query: str
    language: str
    modality: Modality
    items: tuple[Item, ...]
    left_out: tuple[LeftOut, ...] = ()
    missing: tuple[MissingLayer, ...] = ()
    mode: str | None = None
    tokens: int
    budget: int
    built_at: datetime

    def __repr__(self) -> str:
        counts = ", ".join(f"{name} {len(items)}" for name, items in self.sections.items())
        return f"ContextPack({self.query!r}: {counts or 'nothing'}; {self.tokens} of {self.budget} tokens)"

    @property
    def sections(self) -> dict[Section, tuple[Item, ...]]:
        """Return the items by section, in the order of writing, without empty sections."""
        grouped = {name: self.section(name) for name in SECTIONS}
        return {name: items for name, items in grouped.items() if items}

    def section(self, name: Section) -> tuple[Item, ...]:
        """Return the items of one section."""
        return tuple(item for item in self.items if item.section == name)

    @property
    def memory_ids(self) -> tuple[str, ...]:
        """Return the memories in the pack, as items or through the message they come from, each once."""
        return tuple(dict.fromkeys(id for item in self.items for id in item.memory_ids))


class MemoryAction(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An action on the person's memory that the message asked for."""

    kind: str
    text: str
    memories: tuple[str, ...] = ()
    question: str | None = None
    receipts: tuple[Receipt, ...] = ()
    """Signed proof of an erasure."""


class Reply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One finished turn: question, answer, and the memories that the answer could use."""

    asked: Message
    answer: Message
    used_memories: tuple[str, ...] = ()
    deeds: tuple[MemoryAction, ...] = ()
    partial: bool = False
    replayed: bool = False
    pack: ContextPack | None = None

    def __repr__(self) -> str:
        deeds = ", ".join(deed.kind for deed in self.deeds) or "none"
        return f"Reply({self.text!r}; memories used: {len(self.used_memories)}; deeds: {deeds})"

    @property
    def text(self) -> str:
        """Return the answer."""
        return self.answer.content


class UnstoredReply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A reply that is not stored, like its question, with the memories that it could use."""

    text: str
    used_memories: tuple[str, ...] = ()
    pack: ContextPack


class ReplyPart(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Part of a streamed answer; the last part has no text and carries the reply."""

    text: str = ""
    reply: Reply | None = None
