"""Takes the other memory: "não, a outra" after one of several was forgotten, hidden or corrected.

What was done to the wrong one is undone. The others are those that the question offered, or else those that share
most words with the request; if more than one is left, the person is asked.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec

from rememora.domain.memory import Memory, Outcome, Proposal
from rememora.gate.corrections import right_value
from rememora.knowledge.base import KnowledgeBase, KnowledgeWriter
from rememora.knowledge.control import settle
from rememora.knowledge.find import by_words, reachable
from rememora.knowledge.pending import Act, ask_which
from rememora.knowledge.undo import undo_these
from rememora.language.keys import attribute_of, is_statement
from rememora.reading.parsed import parse_message

_ANSWERED = ("confirmed", "corrected")


class OtherTaken(msgspec.Struct, frozen=True, kw_only=True):
    """The memories that are again as they were, and what was done to the other one."""

    act: Act
    undone: tuple[Memory, ...]
    outcome: Outcome


def take_other(
    writer: KnowledgeWriter, knowledge: KnowledgeBase, changed: Collection[str], request: str
) -> OtherTaken | None:
    """Undo what a request did to one memory and do it to the other; None if there is none that could be meant."""
    wrong = writer.work.memories.get(writer.scope, next(iter(changed))) if len(changed) == 1 else None
    act = None if wrong is None else _act_on(wrong)
    if wrong is None or act is None or not writer.may_change(wrong):
        return None
    question = _question_about(writer, wrong, act)
    offered = _offered(writer, wrong, question)
    others = offered or _alike(writer, wrong, request)
    if not others:
        return None
    value = _value(wrong, question, request, knowledge) if act == "correct" else None
    undone = undo_these(writer, changed)
    # What no question offered is only likely to be meant: it must be of the same kind to go without asking.
    sure = len(others) == 1 and (bool(offered) or attribute_of(others[0].key) == attribute_of(wrong.key))
    outcome = (
        settle(writer, knowledge, act, others, value, why="asked", said=str(value))
        if sure
        else Outcome(proposals=(ask_which(writer, act, others, value=value),))
    )
    return OtherTaken(act=act, undone=undone.memories, outcome=outcome)


def _act_on(memory: Memory) -> Act | None:
    """Return what was done to a memory that a turn changed; None if it was only saved."""
    if memory.status == "deleted":
        return "forget"
    if memory.suppressed:
        return "suppress"
    return "correct" if memory.supersedes else None


def _question_about(writer: KnowledgeWriter, wrong: Memory, act: Act) -> Proposal | None:
    """Return the question whose answer chose the wrong memory, or the one that it replaced."""
    chosen = {wrong.id, wrong.supersedes}
    answered = [
        proposal
        for status in _ANSWERED
        for proposal in writer.work.proposals.all(writer.scope, status=status)
        if proposal.kind == act and len(proposal.candidates) > 1 and not chosen.isdisjoint(proposal.candidates)
    ]
    return max(answered, key=lambda proposal: proposal.created_at, default=None)


def _offered(writer: KnowledgeWriter, wrong: Memory, question: Proposal | None) -> list[Memory]:
    ids = () if question is None else question.candidates
    memories = (writer.work.memories.get(writer.scope, id) for id in ids if id not in (wrong.id, wrong.supersedes))
    return [memory for memory in memories if memory is not None and _may_be_meant(writer, memory)]


def _alike(writer: KnowledgeWriter, wrong: Memory, request: str) -> list[Memory]:
    """Return the memories that share most words with the request, besides the one that was taken for it."""
    known = reachable(writer.work, writer.scope, shared=writer.actor.rights.write_shared)
    return by_words([memory for memory in known if memory.id != wrong.id and not memory.suppressed], request)


def _may_be_meant(writer: KnowledgeWriter, memory: Memory) -> bool:
    return memory.status == "active" and not memory.suppressed and writer.may_change(memory)


def _value(wrong: Memory, question: Proposal | None, request: str, knowledge: KnowledgeBase) -> Any:
    """Return the correct value that was given to the wrong memory; None if only a sentence with it is left."""
    if question is not None and question.value is not None:
        return question.value
    return right_value(parse_message(request).normal, knowledge.policy) or (
        None if is_statement(wrong.key) else wrong.value
    )
