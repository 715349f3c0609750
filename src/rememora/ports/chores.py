"""Port of chores: background work that a write leaves, stored in the same transaction."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, Protocol

import msgspec

from rememora.domain.episode import Episode
from rememora.domain.scope import Scope
from rememora.ports.erasable import Erasable
from rememora.ports.unread import UnreadMessage

Kind = Literal["fold", "episode", "patterns", "mentions"]


class Chore(msgspec.Struct, frozen=True, kw_only=True):
    """Background work on one conversation, not before `due_at`."""

    scope: Scope
    kind: Kind
    attempts: int
    due_at: datetime


class Chores(Erasable, Protocol):
    """At most one chore of a kind per conversation."""

    def add(self, scope: Scope, kind: Kind, *, due_at: datetime) -> None:
        """Add a chore; an existing one keeps its time."""

    def claim(self, scope: Scope, kind: Kind, *, seen: datetime, until: datetime) -> bool:
        """Claim a due chore, counting the attempt; False when somebody was faster."""

    def postpone(self, scope: Scope, kind: Kind, *, due_at: datetime) -> None:
        """Postpone it."""

    def renew(self, scope: Scope, kind: Kind, *, due_at: datetime) -> None:
        """Restart the chore, as if it had just been added."""

    def done(self, scope: Scope, kind: Kind) -> int: ...

    def remove(self, scope: Scope) -> int:
        """Drop every chore of the conversation."""


class ChoreList(Protocol):
    """An operator's view: the chores of every tenant, read-only."""

    def due(self, kind: Kind, *, now: datetime, limit: int) -> list[Chore]:
        """List due chores, the longest waiting first."""

    def untold(self, *, limit: int) -> list[Episode]:
        """List the episodes that wait for a summary, the longest waiting first."""

    def expired_documents(self, *, now: datetime, limit: int) -> list[tuple[Scope, str]]:
        """List scopes and spaces that hold expired documents."""

    def unread(self, *, now: datetime, limit: int) -> list[UnreadMessage]:
        """List due messages that a model is to read, the longest waiting first."""
