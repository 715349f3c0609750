"""Forgets a turn from which no memory was made: it is in the history, and the person wants it gone."""

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
"""Newest conversations, and newest turns of each, that are searched."""
CHARACTERS: Final = 600
OTHER: Final = "other"


def forget_turn(
    writer: KnowledgeWriter, text: str, before: Sequence[str], *, why: str, of_lists: bool = False
) -> tuple[Memory, ...]:
    """Hide the turn that a request means, as a memory that is forgotten from the start; empty if none is meant.

    If the turn lists things, the request may mean one of them: the others are saved, and returned second.
    Such a memory has the turn and the request as its sources, so that the one rule of visibility hides both,
    the audit chain records it, and the person can restore it like any other forgotten memory.
    """
    turns = [turn for turn in recent_turns(writer) if _may_be_meant(writer, turn, of_lists=of_lists)]
    meant = statements.planner.meant(
        read_message(text, before),
        statements.links.known(text),
        [statements.links.known(turn.content[:CHARACTERS]) for turn in turns],
        writer.meaning,
    )
    # By name alone only among lists: elsewhere a shared word is too little to hide a turn.
    named = [at for at, turn in enumerate(turns) if of_lists and statements.items.names_item(turn.content, text)]
    sure = meant.sure or (tuple(named) if len(named) == 1 else ())
    if not sure:
        return ()
    turn = turns[sure[0]]
    left = (
        _without_item(writer, turn.content, text) if sure[0] in meant.surely_in_part or sure[0] in named else None
    )
    if of_lists and left is None:
        return ()
    hidden = _hide(writer, turn, why=why)
    return (hidden,) if left is None else (hidden, _keep_rest(writer, left, why=why))


def _without_item(writer: KnowledgeWriter, listing: str, text: str) -> str | None:
    listed = statements.items.items_of(listing) if len(listing) <= CHARACTERS else []
    if statements.items.tells_clauses(listed):
        # A secret is hidden whole.
        return None
    place = statements.items.meant_item(listing, text, listed, writer.meaning, certain=True) if listed else None
    return None if place is None else statements.items.without_item(listing, listed, place)


def _keep_rest(writer: KnowledgeWriter, left: str, *, why: str) -> Memory:
    """Save what a turn listed besides the forgotten item, in the person's words."""
    draft = MemoryDraft(key=statement_key(left, "me", OTHER), value=left, scope="personal", source="inferred")
    return keep.put(writer, keep.place(load_policy(), draft, writer.actor), None, why=why)[0]


def recent_turns(writer: KnowledgeWriter) -> Iterator[Message]:
    """Return the person's newest visible turns of all conversations, without the message that is acted on."""
    person = writer.scope.person()
    for conversation in writer.work.conversations.newest(person, limit=CONVERSATIONS, before=None):
        for turn in writer.work.messages.newest(person.within(conversation.id), limit=TURNS):
            if turn.role == "user" and turn.hidden is None and turn.id != writer.hearing:
                yield turn


def _may_be_meant(writer: KnowledgeWriter, turn: Message, *, of_lists: bool) -> bool:
    """Return whether a turn said something that became no memory; with `of_lists` only turns that list things."""
    if turn.content.rstrip().endswith("?") or (of_lists and not statements.items.items_of(turn.content)):
        return False
    inside = writer.scope.person().within(turn.conversation)
    return not writer.work.sources.of_message(inside, turn.id)


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
