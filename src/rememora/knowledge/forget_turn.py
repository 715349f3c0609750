"""Forgets a turn of which nothing became a memory: it is in the history, and the person wants it gone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from rememora import statements
from rememora.domain.event import MemoryDeleted
from rememora.domain.memory import Memory, MemoryDraft
from rememora.domain.message import Message
from rememora.gate import load_policy
from rememora.gate.stated import statement_key
from rememora.knowledge import keep
from rememora.knowledge.base import KnowledgeWriter, state_of
from rememora.reading import read_message

CONVERSATIONS: Final = 12
TURNS: Final = 40
"""Newest conversations, and newest turns of each, among which the meant one is looked for."""
CHARACTERS: Final = 600
OTHER: Final = "other"


def forget_turn(writer: KnowledgeWriter, text: str, before: Sequence[str], *, why: str) -> Memory | None:
    """Hide the turn that a request means, as a memory that is forgotten from the start; None where none is meant.

    Such a memory has the turn and the request as its sources, so that both are hidden by the one rule of
    visibility, the audit tells of it, and the person can bring it back like anything else that was forgotten.
    """
    turns = [turn for turn in recent_turns(writer) if not _is_source(writer, turn)]
    meant = statements.planner.meant(
        read_message(text, before),
        statements.links.known(text),
        [statements.links.known(turn.content[:CHARACTERS]) for turn in turns],
        writer.meaning,
    )
    return _hide(writer, turns[meant.sure[0]], why=why) if meant.sure else None


def recent_turns(writer: KnowledgeWriter) -> Iterator[Message]:
    """The person's newest visible turns in all conversations, without the message that is acted on."""
    person = writer.scope.person()
    for conversation in writer.work.conversations.newest(person, limit=CONVERSATIONS, before=None):
        for turn in writer.work.messages.newest(person.within(conversation.id), limit=TURNS):
            if turn.role == "user" and turn.hidden is None and turn.id != writer.hearing:
                yield turn


def _is_source(writer: KnowledgeWriter, turn: Message) -> bool:
    """Return whether a memory came from a turn."""
    inside = writer.scope.person().within(turn.conversation)
    return bool(writer.work.sources.of_message(inside, turn.id))


def _hide(writer: KnowledgeWriter, turn: Message, *, why: str) -> Memory:
    said = turn.content[: keep.EVIDENCE_CHARACTERS]
    draft = MemoryDraft(
        key=statement_key(said, "", OTHER), value=said, scope="personal", source="inferred", source_ref=turn.id
    )
    draft = keep.place(load_policy(), draft, writer.actor)
    memory = msgspec.structs.replace(keep.memory_of(writer, draft), status="deleted")
    writer.work.memories.add(writer.scope, memory)
    writer.cite(memory)
    writer.show(memory)
    writer.record("delete", memory, why=why, before=None, after=state_of(memory))
    writer.tell(MemoryDeleted(memory=memory.id, key=memory.key))
    return memory
