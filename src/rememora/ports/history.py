"""Port of history: conversations and their messages, inside a unit of work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

import msgspec

from rememora.domain.message import ConversationRecord, Message
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope
from rememora.domain.visibility import MessageVisibility, Reason
from rememora.domain.window import Edition
from rememora.ports.erasable import Erasable


class ReservedPlaces(msgspec.Struct, frozen=True, kw_only=True):
    """Positions to reserve at the end of a conversation; `channel` is used only when it is created.

    `unread`: the mentions of at least one new message still have to be counted.
    """

    messages: int
    turns: int
    first: datetime
    last: datetime
    channel: str
    unread: bool = False


class Conversations(Erasable, Protocol):
    """The conversations of a user."""

    def reserve(self, scope: Scope, places: ReservedPlaces) -> ConversationRecord:
        """Create the conversation if needed and reserve the next positions; the record counts them."""

    def describe(
        self,
        scope: Scope,
        *,
        channel: str | None,
        metadata: Mapping[str, Any] | None,
        at: datetime,
        hidden: Reason | None = None,
    ) -> ConversationRecord:
        """Create the conversation or change its channel and metadata; None leaves a field as it is.

        `hidden` is the reason for hiding new metadata.
        """

    def unjudged(self, scope: Scope, *, limit: int) -> list[ConversationRecord]:
        """List the user's conversations that were stored before visibility was decided at writing."""

    def hide(self, scope: Scope, hidden: Reason | None) -> None:
        """Set the reason for hiding a conversation's metadata; None makes it visible."""

    def renew(self, scope: Scope) -> int:
        """Give the conversation a new edition, so that cached copies are out of date; returns the count."""

    def get(self, scope: Scope) -> ConversationRecord | None: ...

    def mark_folded(self, scope: Scope, *, folded: int) -> None:
        """Store how many turns the summary covers."""

    def mark_cut(self, scope: Scope, *, before: int, cut: int) -> bool:
        """Move the end of the last episode from turn `before` to turn `cut`; False if it has moved meanwhile."""

    def mark_counted(self, scope: Scope, *, before: int, counted: int) -> bool:
        """Move the end of counted messages from `before` to `counted`; False if it has moved meanwhile."""

    def count_no_further(self, scope: Scope) -> None:
        """Mark all messages of the user so far as counted, without counting them."""

    def newest(self, scope: Scope, *, limit: int, before: tuple[datetime, str] | None) -> list[ConversationRecord]:
        """List the user's conversations by last activity, newest first, after `before`."""

    def remove(self, scope: Scope) -> int: ...


class Messages(Erasable, Protocol):
    """Append-only, in strict order inside a conversation."""

    def add(self, scope: Scope, messages: Sequence[Message]) -> None: ...

    def with_ids(self, scope: Scope, ids: Sequence[str]) -> dict[str, Message]: ...

    def newest(self, scope: Scope, *, limit: int, before: int | None = None) -> list[Message]:
        """List the newest messages with `seq` under `before`, in chronological order."""

    def after(self, scope: Scope, *, limit: int, seq: int) -> list[Message]:
        """List the oldest messages with a `seq` above the given one, in chronological order."""

    def turns(self, scope: Scope, *, limit: int) -> list[Message]:
        """List the newest messages except the system's, in chronological order."""

    def edition(self, scope: Scope) -> Edition:
        """Return the conversation's current edition; a read is valid while its edition is current."""

    def turns_after(self, scope: Scope, *, limit: int, seq: int) -> list[Message]:
        """List the oldest messages except the system's with a `seq` above the given one."""

    def count_turns_after(self, scope: Scope, *, seq: int) -> int:
        """Count the messages above a position, system messages excluded."""

    def mark(self, scope: Scope, id: str) -> MessageVisibility | None:
        """Return the visibility of a message; None if there is no such message."""

    def judge(self, scope: Scope, id: str, judged: Reason | None, *, shown: str | None = None) -> None:
        """Store the verdict on a message's own text, and its text with secrets masked."""

    def hide(self, scope: Scope, id: str, hidden: Reason | None) -> None:
        """Set the reason for hiding a message; None makes it visible."""

    def unjudged(self, scope: Scope, *, limit: int, seq: int = 0) -> list[Message]:
        """List the oldest messages above a position that were stored before visibility was decided at writing."""

    def remove(self, scope: Scope) -> int: ...

    def texts(self, scope: Scope, plan: ErasurePlan, *, limit: int) -> list[str]:
        """Return the texts of the messages that an erasure reaches."""
