"""Asks which memory is to be forgotten, and suppresses what is likely meant until the answer.

Somebody who asks to forget something has said that it is not to be told. Where it is unclear which memory is
meant, the likely one is not told meanwhile; it is told again if the answer is another one or "no". Without an
answer it stays suppressed, and can be restored.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rememora.domain.memory import Memory, Proposal
from rememora.knowledge.base import KnowledgeWriter
from rememora.knowledge.control import bring_back, silence
from rememora.knowledge.pending import ask_which

WHY = "asked whether to forget"
ANSWERED = "not meant"
_SUPPRESSED = "suppressed"


def ask_which_to_forget(writer: KnowledgeWriter, memories: Sequence[Memory], likely: Sequence[Memory]) -> Proposal:
    """Ask which memory is meant; the `likely` ones of those offered are not told until the person answers."""
    likely = [memory for memory in likely if memory.scope == "personal" and not memory.suppressed]
    wish = {_SUPPRESSED: [memory.id for memory in likely]} if likely else None
    question = ask_which(writer, "forget", memories, wish=wish)
    for memory in likely:
        if writer.hearing is not None:
            writer.cite(memory)
        silence(writer, memory, why=WHY)
    return question


def suppressed_by(question: Proposal) -> tuple[str, ...]:
    """Return the memories that are suppressed while a question waits."""
    return tuple((question.wish or {}).get(_SUPPRESSED, ())) if question.kind == "forget" else ()


def tell_again(writer: KnowledgeWriter, question: Proposal, *, but: Collection[str] = ()) -> None:
    """Let what a question suppressed be told again, except what the answer chose."""
    for id in suppressed_by(question):
        memory = writer.work.memories.get(writer.scope, id)
        if id not in but and memory is not None and memory.suppressed and memory.status == "active":
            bring_back(writer, id, ANSWERED)
