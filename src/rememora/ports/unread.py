"""Port of model reading: messages that a language model has yet to read, recorded when they are stored."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from rememora.domain.scope import Scope
from rememora.ports.erasable import Erasable


class UnreadMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A message that waits to be read, not before `due_at`."""

    scope: Scope
    message: str
    attempts: int
    due_at: datetime


class Unread(Erasable, Protocol):
    """The messages of a user that wait to be read by a model, inside a unit of work."""

    def add(self, scope: Scope, messages: Sequence[str], *, due_at: datetime) -> None:
        """Add messages of the scope's conversation; an existing one keeps its time."""

    def claim(self, scope: Scope, message: str, *, seen: datetime, until: datetime) -> bool:
        """Claim a due message, counting the attempt; False when somebody was faster."""

    def postpone(self, scope: Scope, message: str, *, claimed: datetime, due_at: datetime) -> bool:
        """Postpone a message; False if it is not held since `claimed` any more."""

    def done(self, scope: Scope, message: str, *, claimed: datetime) -> bool:
        """Remove a message from the list; False if it is not held since `claimed` any more."""

    def remove(self, scope: Scope) -> int:
        """Remove every message of the scope's conversation from the list."""

    def read_no_further(self, scope: Scope) -> None:
        """Remove all messages of the user so far from the list."""
