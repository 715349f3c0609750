"""Decides which effects of a language model's statement are carried out: in doubt the known and the new both stay.

What the planner finds holds for a model's statement as for any other. A known statement that the model names as
changed, and that the planner is not sure of, gives way only to a statement of the same subject and attribute.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from rememora import statements
from rememora.domain.memory import Memory
from rememora.domain.proposed_statement import ProposedStatement
from rememora.domain.scope import Scope
from rememora.domain.verdict import Fact
from rememora.gate.stated import SLOTS
from rememora.knowledge.affected import may_replace
from rememora.knowledge.base import KnowledgeWriter
from rememora.language import fold
from rememora.language.amended import spoken
from rememora.language.keys import attribute_of, is_statement, subject_of
from rememora.language.phrases import phrase
from rememora.ports.store import UnitOfWork
from rememora.statements.amendments import covers

if TYPE_CHECKING:
    from rememora.statements.planner import Effect, EffectKind

    Effects = list[tuple[Memory, Effect]]

_ADDS: Final = phrase(r"\b{adds}\b")
"""Words that add to what is known instead of changing it: "também usamos Teams" does not end Slack."""
_ONE_VALUE: Final = frozenset(
    {
        "name", "role", "employer", "place", "birthday", "age", "phone", "email", "address", "diet", "segment",
        "price", "deadline", "budget", "owner", "status", "quantity", "model", "color",
    }
)  # fmt: skip
"""Attributes that a person, a project or a thing has one value of at a time."""


def said_at(work: UnitOfWork, scope: Scope, memory: Memory) -> datetime:
    """Return the time a memory was said, if in the same conversation; else the time it was kept."""
    ref = memory.source_ref
    source = None if ref is None else work.messages.with_ids(scope, [ref]).get(ref)
    return memory.updated_at if source is None else source.created_at


def allowed_effects(
    writer: KnowledgeWriter, proposed: ProposedStatement, fact: Fact, planned: Effects, *, since: datetime
) -> Effects:
    """Return the effects that a model's statement may have: on what was inferred, and said no later than `since`.

    Beside a memory that the model names no other one is changed.
    """
    effects = [(memory, effect) for memory, effect in planned if _may_change(writer, memory, since)]
    named = named_memory(writer, proposed, since=since)
    if named is None or named.key == fact.key:
        return effects
    return [(memory, effect) for memory, effect in effects if memory.id == named.id] or _of_named(
        writer, proposed, fact, named
    )


def named_memory(writer: KnowledgeWriter, proposed: ProposedStatement, *, since: datetime) -> Memory | None:
    """Return the memory that a model names as changed, if a model may change it."""
    if proposed.changes is None:
        return None
    memory = writer.work.memories.get(writer.scope, proposed.changes)
    allowed = memory is not None and memory.status == "active" and _may_change(writer, memory, since)
    return memory if allowed else None


def takes_place_of(writer: KnowledgeWriter, proposed: ProposedStatement, fact: Fact, known: Memory) -> bool:
    """Return whether a statement says another value of the same attribute of the same subject as a known one."""
    if _ADDS.search(fold(proposed.quote.text)) or not may_replace(writer, fact)(known):
        return False
    if fold(known.subject or subject_of(known.key)) != fold(proposed.subject) or not proposed.subject:
        return False
    if proposed.attribute == "other" or proposed.attribute not in _attributes(known):
        return False
    old, new = statements.links.known(spoken(str(known.value))), statements.links.known(proposed.text)
    about = statements.links.known(proposed.subject)
    one_value = proposed.attribute in _ONE_VALUE and proposed.subject != "company"
    return one_value or bool((old.stems & new.stems) - about.words_said)


def _of_named(writer: KnowledgeWriter, proposed: ProposedStatement, fact: Fact, named: Memory) -> Effects:
    if not takes_place_of(writer, proposed, fact, named):
        return []
    anew = not is_statement(named.key) or covers(proposed.text, spoken(str(named.value)))
    kind: EffectKind = "replace" if anew else "amend"
    return [(named, statements.planner.Effect(place=0, kind=kind, chance=proposed.certainty))]


def _attributes(memory: Memory) -> set[str]:
    """Return the attributes that a memory is a value of."""
    if memory.key in SLOTS:
        return {attribute for attribute, _ in SLOTS[memory.key]}
    return {memory.attribute or "", attribute_of(memory.key)}


def _may_change(writer: KnowledgeWriter, memory: Memory, since: datetime) -> bool:
    """Return whether a model may change a memory: nobody told it outright, and nothing later said it."""
    inferred = memory.source == "inferred" and memory.scope == "personal"
    return inferred and said_at(writer.work, writer.scope, memory) <= since
