"""A conversation's newest turns as a hot copy holds them, and how to tell that it is still what the store has."""

from __future__ import annotations

import msgspec

from rememora.domain.message import Message


class Edition(msgspec.Struct, frozen=True):
    """Which state of a conversation: never the same again once a message is added or the conversation deleted.

    `stamp` changes when the conversation is deleted and begins anew, `newest` when the store was restored.
    """

    messages: int
    stamp: str
    newest: str


class HotWindow(msgspec.Struct, frozen=True, kw_only=True):
    """The newest turns of a conversation in one edition; `whole` when these are all its turns."""

    edition: Edition
    turns: tuple[Message, ...]
    whole: bool

    def serves(self, edition: Edition, limit: int) -> bool:
        """Whether so many turns of that edition can be read from it."""
        return self.edition == edition and (self.whole or len(self.turns) >= limit)
