"""Writes the prompt for reading one message: the message, the turns before it, and the memories near to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Final

import msgspec

from rememora.context.fence import clean, fence
from rememora.domain.memory import Memory
from rememora.domain.message import Message
from rememora.gate.stated import SLOTS
from rememora.knowledge.extract import MAX_CHARACTERS, ReadingContext, short_ids
from rememora.language import fold, tokens
from rememora.language.keys import attribute_of, subject_of
from rememora.reading.parsed import parse_message

TURN_CHARACTERS = 600
VALUE_CHARACTERS = 200
_OWN: Final = frozenset({"me", "company"})
_KNOWN, _BEFORE = "Known already", "Said before the message"
_MESSAGE = "The message to read"


class Material(msgspec.Struct, frozen=True, kw_only=True):
    """A message and its context."""

    content: str
    said_at: datetime
    before: tuple[Message, ...] = ()
    known: tuple[Memory, ...] = ()

    @property
    def turns(self) -> tuple[str, ...]:
        """Return the turns before, each with its role before it."""
        return tuple(f"{turn.role}: {turn.content[:TURN_CHARACTERS]}" for turn in self.before)

    @property
    def text(self) -> str:
        """Return the part of the message that is read."""
        return self.content[:MAX_CHARACTERS]


def near(memories: Iterable[Memory], text: str, before: Sequence[str] = (), *, limit: int) -> tuple[Memory, ...]:
    """Return the memories to show with a message: those of its subjects, then by shared words, then the newest."""
    about = subjects_of(text, before)
    spoken_words = {fold(word) for words in (text, *before) for word in tokens(words)}

    def place(memory: Memory) -> tuple[bool, int, float]:
        words = {fold(word) for word in tokens(f"{memory.subject or ''} {memory.value}")}
        subject = fold(memory.subject or subject_of(memory.key))
        of_them = subject in about or any(set(name.split()) <= words for name in about - _OWN)
        return not of_them, -len(words & spoken_words), -memory.created_at.timestamp()

    return tuple(sorted(memories, key=place)[:limit])


def subjects_of(text: str, before: Sequence[str] = ()) -> frozenset[str]:
    """Return whom and what a message and the turns before it are about, folded: names, `me` and `company`."""
    spoken = parse_message(text, before).reading
    subjects = [statement.subject for statement in spoken.statements]
    subjects += [value.subject for statement in spoken.statements for value in statement.values]
    named = [
        *spoken.names,
        *(name for turn in before for name in parse_message(turn.partition(": ")[2]).reading.names),
    ]
    about = {fold(name) for name in (*subjects, *named)} - {"", "named", "meant"}
    # A message without a name is its author's.
    return frozenset(about or _OWN)


def written(material: Material, *, room: int, counter: Callable[[str], int]) -> ReadingContext:
    """Write the question within that many tokens: cut known facts and old turns first, then the message's end."""
    known, before = list(material.known), list(material.turns)
    text = material.text
    while counter(_form(text, known, before)) > room and (known or before):
        known, before = known[: len(known) // 2], before[(len(before) + 1) // 2 :]
    while (cost := counter(_form(text, known, before))) > room and len(text) > 1:
        text = text[: min(len(text) * room // cost, len(text) - 1)]
    return ReadingContext(question=_form(text, known, before), before=material.turns, known=short_ids(known))


def _form(text: str, known: Sequence[Memory], before: Sequence[str]) -> str:
    sections = [
        (_KNOWN, [_line(id, memory) for id, memory in short_ids(known).items()]),
        (_BEFORE, before),
        (_MESSAGE, [clean(text)]),
    ]
    return fence((title, lines) for title, lines in sections if lines)


def _line(id: str, memory: Memory) -> str:
    """Return the line of a known statement: its short id, whom and what it is about, and its words."""
    attribute = SLOTS[memory.key][0][0] if SLOTS.get(memory.key) else memory.attribute or attribute_of(memory.key)
    about = [part for part in (memory.subject or subject_of(memory.key), attribute) if part]
    return f"{id} [{', '.join(about)}]: {str(memory.value)[:VALUE_CHARACTERS]}"
