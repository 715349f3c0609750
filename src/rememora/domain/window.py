"""Cached copy of a conversation's newest turns, and the check that it still equals the store."""

from __future__ import annotations

import secrets

import msgspec

from rememora.domain.message import Message

_BITS = 63


class Edition(msgspec.Struct, frozen=True):
    """Version of a conversation: it changes with every message and with a deletion.

    `stamp` is drawn again with every message, so that a deleted and recreated conversation, or a restored store,
    rcan be told apart; 0 if no message was added since stamps exist. `before` is the stamp that this
    one replaced.
    """

    messages: int
    stamp: int
    before: int

    def is_of(self, other: Edition) -> bool:
        """Return whether both are the same version, and one that cannot be confused with another."""
        return self.stamp != 0 and (self.messages, self.stamp) == (other.messages, other.stamp)


class HotWindow(msgspec.Struct, frozen=True, kw_only=True):
    """The newest turns of a conversation in one edition; `whole` when these are all its turns."""

    edition: Edition
    turns: tuple[Message, ...]
    whole: bool

    def serves(self, edition: Edition, limit: int) -> bool:
        """Return whether that many turns of that edition can be read from this window."""
        return self.edition.is_of(edition) and self.holds(limit)

    def holds(self, limit: int) -> bool:
        """Return whether that many turns can be read from this window."""
        return self.whole or len(self.turns) >= limit


class CachedWindow(msgspec.Struct, frozen=True, kw_only=True):
    """A cache's view of a conversation.

    `sure`: the store need not be asked. `claim`: the name under which the store is asked now, if it has to be.
    """

    window: HotWindow | None = None
    sure: bool = False
    claim: str = ""


def new_stamp() -> int:
    """Return a random stamp."""
    return secrets.randbits(_BITS) or 1
