"""Writes the prompt for reading one message: the message, the turns before it, and the memories near to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from rememora.context.fence import clean, fence
from rememora.domain.memory import Memory
from rememora.domain.message import Message
from rememora.knowledge.extract import MAX_CHARACTERS
from rememora.language import fold, tokens

TURN_CHARACTERS = 600
VALUE_CHARACTERS = 200
OWN = "user"
_KNOWN, _BEFORE = "Known already", "Said before the message"
_MESSAGE = "The message to read"


class Material(msgspec.Struct, frozen=True, kw_only=True):
    """A message and its context."""

    content: str
    before: tuple[Message, ...] = ()
    known: tuple[Memory, ...] = ()

    @property
    def text(self) -> str:
        """Return the part of the message that is read."""
        return self.content[:MAX_CHARACTERS]


def near(memories: Iterable[Memory], texts: Iterable[str], *, limit: int) -> tuple[Memory, ...]:
    """Return the memories that share most words with the message; without any, the person's own first."""
    said = {fold(word) for text in texts for word in tokens(text)}

    def place(memory: Memory) -> tuple[int, bool, str]:
        words = {fold(word) for word in tokens(f"{memory.key.replace('.', ' ').replace('_', ' ')} {memory.value}")}
        return -len(words & said), not memory.key.startswith(f"{OWN}."), memory.key

    return tuple(sorted(memories, key=place)[:limit])


def written(material: Material, *, room: int, counter: Callable[[str], int]) -> str:
    """Write the prompt within that many tokens: cut known facts and old turns first, then the message's end."""
    known, before = list(material.known), list(material.before)
    text = material.text
    while counter(_form(text, known, before)) > room and (known or before):
        known, before = known[: len(known) // 2], before[(len(before) + 1) // 2 :]
    while (cost := counter(_form(text, known, before))) > room and len(text) > 1:
        text = text[: min(len(text) * room // cost, len(text) - 1)]
    return _form(text, known, before)


def _form(text: str, known: Sequence[Memory], before: Sequence[Message]) -> str:
    sections = [
        (_KNOWN, [f"{memory.key} = {str(memory.value)[:VALUE_CHARACTERS]}" for memory in known]),
        (_BEFORE, [f"{message.role}: {message.content[:TURN_CHARACTERS]}" for message in before]),
        (_MESSAGE, [clean(text)]),
    ]
    return fence((title, lines) for title, lines in sections if lines)
