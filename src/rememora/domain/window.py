"""A conversation's newest turns as a hot copy holds them, and how to tell that it is still what the store has."""

from __future__ import annotations

import secrets

import msgspec

from rememora.domain.message import Message

_BITS = 63


class Edition(msgspec.Struct, frozen=True):
    """Which state of a conversation: never the same again once a message is added or the conversation deleted.

    `stamp` is drawn anew with every message, so that a deleted conversation that begins anew, or a store that was
    restored, is told from what it was; 0 where nothing was said since stamps are drawn. `before` is the stamp that
    this one took the place of.
    """

    messages: int
    stamp: int
    before: int

    def is_of(self, other: Edition) -> bool:
        """Whether both are the same state, and one that can be told from any other."""
        return self.stamp != 0 and (self.messages, self.stamp) == (other.messages, other.stamp)


class HotWindow(msgspec.Struct, frozen=True, kw_only=True):
    """The newest turns of a conversation in one edition; `whole` when these are all its turns."""

    edition: Edition
    turns: tuple[Message, ...]
    whole: bool

    def serves(self, edition: Edition, limit: int) -> bool:
        """Whether so many turns of that edition can be read from it."""
        return self.edition.is_of(edition) and self.holds(limit)

    def holds(self, limit: int) -> bool:
        """Whether so many turns can be read from it."""
        return self.whole or len(self.turns) >= limit


class Sight(msgspec.Struct, frozen=True, kw_only=True):
    """What a cache shows of a conversation.

    `sure`: the store need not be asked. `claim`: under which name the store is asked now, if it has to be.
    """

    window: HotWindow | None = None
    sure: bool = False
    claim: str = ""


def new_stamp() -> int:
    """A number that no other edition has."""
    return secrets.randbits(_BITS) or 1
