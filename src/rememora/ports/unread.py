"""The seam of model reading: which messages a language model is still to read, noted as they are stored."""

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
    """The messages of a user that wait to be read, inside a unit of work."""

    def add(self, scope: Scope, messages: Sequence[str], *, due_at: datetime) -> None:
        """Note messages of the scope's conversation; one that is noted already keeps its time."""
        ...

    def claim(self, scope: Scope, message: str, *, seen: datetime, until: datetime) -> bool:
        """Take a message seen as due, counting the attempt; False when somebody was faster."""
        ...

    def postpone(self, scope: Scope, message: str, *, claimed: datetime, due_at: datetime) -> bool:
        """Leave a message to a later time; False when it is not held since `claimed` any more."""
        ...

    def done(self, scope: Scope, message: str, *, claimed: datetime) -> bool:
        """Take a message off the list; False when it is not held since `claimed` any more."""
        ...

    def remove(self, scope: Scope) -> int:
        """Take every message of the scope's conversation off the list."""
        ...

    def read_no_further(self, scope: Scope) -> None:
        """Leave unread all that the user said so far."""
        ...
