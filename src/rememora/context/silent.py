"""Keeps what a person had forgotten from being told again by what was made of the message it came from."""

from __future__ import annotations

from collections.abc import Sequence

from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.language import fold
from rememora.ports.store import UnitOfWork

LEAST_CHARACTERS = 12
"""A piece of text shorter than this says nothing about where it comes from."""


class Silent:
    """The messages that a user's forgotten and silenced memories came from."""

    def __init__(self, work: UnitOfWork, scope: Scope) -> None:
        self._work, self._scope = work, scope
        self._ids = work.memories.silent_sources(scope)

    def is_source(self, id: str) -> bool:
        """Whether a message is one of them."""
        return id in self._ids

    def retold(self, text: str, *, conversation: str, first: int, last: int) -> str | None:
        """What was made of the messages between two places, without theirs; None where it cannot be told apart."""
        sources = self._between(conversation, first, last)
        kept = without(text, [source.content for source in sources])
        return None if sources and kept == text else kept

    def trimmed(self, text: str, *, conversation: str, last: int) -> str:
        """The same, but what cannot be told apart stays."""
        return without(text, [source.content for source in self._between(conversation, 1, last)])

    def _between(self, conversation: str, first: int, last: int) -> list[Message]:
        if not self._ids:
            return []
        found = self._work.messages.with_ids(self._scope.within(conversation), sorted(self._ids))
        return [message for message in found.values() if first <= message.seq <= last]


def without(text: str, sources: Sequence[str]) -> str:
    """The lines of a text that are taken from none of the sources."""
    told = [_plain(source) for source in sources]
    return "\n".join(line for line in text.split("\n") if not any(_is_of(line, source) for source in told))


def _is_of(line: str, source: str) -> bool:
    """Whether a line, or what it says after naming who said it, stands in the source; or the source in it."""
    plain = _plain(line.removesuffix("…"))
    said = plain.partition(": ")[2] or plain
    pieces = [piece for piece in (plain, said) if len(piece) >= LEAST_CHARACTERS]
    return any(piece in source for piece in pieces) or (len(source) >= LEAST_CHARACTERS and source in plain)


def _plain(text: str) -> str:
    return " ".join(fold(text).split())
