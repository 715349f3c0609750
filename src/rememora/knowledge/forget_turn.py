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
from rememora.reading.parsed import ParsedMessage, parse_message

CONVERSATIONS: Final = 12
TURNS: Final = 40
"""Newest conversations, and newest turns of each, that are searched."""
CHARACTERS: Final = 600
STATED_CHARACTERS: Final = 200
"""Most characters of a turn that a request can mean by describing it."""
_ASKS: Final = 0.5
OTHER: Final = "other"


def forget_turn(
    writer: KnowledgeWriter, turn: Message, wish: ParsedMessage, *, in_part: bool, why: str
) -> tuple[Memory, ...]:
    """Hide a turn, as a memory that is forgotten from the start.

    If the turn lists things and only one of them is meant, the others are saved, and returned second. The memory
    has the turn and the request as its sources, so that the one rule of visibility hides both, the audit chain
    records it, and the person can restore it like any other forgotten memory.
    """
    left = _without_item(writer, turn.content, wish) if in_part else None
    hidden = _hide(writer, turn, why=why)
    return (hidden,) if left is None else (hidden, _keep_rest(writer, left, why=why))


def forget_listed(writer: KnowledgeWriter, wish: ParsedMessage, *, why: str) -> tuple[Memory, ...]:
    """Take the item that a request means off a list that was told and not saved; empty if none is meant.

    Returns the hidden turn, and the memory with the rest of its list.
    """
    turns = [turn for turn in recent_turns(writer) if _may_list(turn) and became_no_memory(writer, turn)]
    meant = statements.planner.meant(
        wish.reading,
        statements.links.known(wish.raw),
        [statements.links.known(turn.content[:CHARACTERS]) for turn in turns],
        writer.meaning,
    )
    # The network decides; where it is unsure, the only list that holds the named item is meant.
    named = [at for at, turn in enumerate(turns) if statements.items.names_item(turn.content, wish)]
    sure = meant.sure or (tuple(named) if len(named) == 1 else ())
    if not sure or not (sure[0] in meant.surely_in_part or sure[0] in named):
        return ()
    left = _without_item(writer, turns[sure[0]].content, wish)
    if left is None:
        return ()
    return (_hide(writer, turns[sure[0]], why=why), _keep_rest(writer, left, why=why))


def _without_item(writer: KnowledgeWriter, listing: str, wish: ParsedMessage) -> str | None:
    listed = statements.items.items_of(listing) if len(listing) <= CHARACTERS else []
    if statements.items.tells_clauses(listed):
        # A secret is hidden whole.
        return None
    place = statements.items.meant_item(listing, wish, listed, writer.meaning, certain=True) if listed else None
    return None if place is None else statements.items.without_item(listing, listed, place)


def _keep_rest(writer: KnowledgeWriter, left: str, *, why: str) -> Memory:
    """Save what a turn listed besides the forgotten item, in the person's words."""
    draft = MemoryDraft(
        key=statement_key(left, "", OTHER, "unknown"), value=left, scope="personal", source="inferred"
    )
    return keep.put(writer, keep.place(load_policy(), draft, writer.actor), None, why=why)[0]


def recent_turns(writer: KnowledgeWriter) -> Iterator[Message]:
    """Return the person's newest visible turns of all conversations, without the message that is acted on."""
    person = writer.scope.person()
    for conversation in writer.work.conversations.newest(person, limit=CONVERSATIONS, before=None):
        for turn in writer.work.messages.newest(person.within(conversation.id), limit=TURNS):
            if turn.role == "user" and turn.hidden is None and turn.id != writer.hearing:
                yield turn


def unsaved_turns(turns: Sequence[Message], memories: Sequence[Memory]) -> list[Message]:
    """Return the turns that state something and that no known memory came from."""
    saved = {memory.source_ref for memory in memories}
    return [turn for turn in turns if turn.id not in saved and states_something(turn)]


def states_something(turn: Message) -> bool:
    """Return whether a turn tells anything: nobody wants a question, a request or a long text forgotten."""
    if len(turn.content) > STATED_CHARACTERS or turn.content.rstrip().endswith("?"):
        return False
    return parse_message(turn.content).chance("ask", "request") < _ASKS


def became_no_memory(writer: KnowledgeWriter, turn: Message) -> bool:
    """Check that no memory, not even a forgotten one, came from a turn."""
    inside = writer.scope.person().within(turn.conversation)
    return not writer.work.sources.of_message(inside, turn.id)


def _may_list(turn: Message) -> bool:
    return not turn.content.rstrip().endswith("?") and bool(statements.items.items_of(turn.content))


def _hide(writer: KnowledgeWriter, turn: Message, *, why: str) -> Memory:
    said = turn.content[: keep.EVIDENCE_CHARACTERS]
    draft = MemoryDraft(
        key=statement_key(said, "", OTHER, "unknown"),
        value=said,
        scope="personal",
        source="inferred",
        source_ref=turn.id,
    )
    draft = keep.place(load_policy(), draft, writer.actor)
    memory = msgspec.structs.replace(keep.memory_of(writer, draft), status="deleted")
    writer.work.memories.add(writer.scope, memory)
    writer.cite(memory)
    writer.show(memory)
    writer.record("delete", memory, why=why, before=None, after=state_of(memory))
    writer.tell(
        MemoryDeleted(memory=memory.id, key=memory.key, subject=memory.subject, attribute=memory.attribute)
    )
    return memory
