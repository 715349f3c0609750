"""The seam of history: conversations and their messages, inside a unit of work."""

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
    """Room for new messages at the end of a conversation; `channel` counts only when it is opened.

    `unread`: there is an answer among them, whose mentions are still to be counted.
    """

    messages: int
    turns: int
    first: datetime
    last: datetime
    channel: str
    unread: bool = False


class Conversations(Erasable, Protocol):
    """The threads of a user."""

    def reserve(self, scope: Scope, places: ReservedPlaces) -> ConversationRecord:
        """Open the conversation where needed and take the next places; the record counts them in."""
        ...

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

        `hidden` says why new metadata is hidden.
        """
        ...

    def unjudged(self, scope: Scope, *, limit: int) -> list[ConversationRecord]:
        """The user's conversations that were stored before visibility was decided at writing."""
        ...

    def hide(self, scope: Scope, hidden: Reason | None) -> None:
        """Set why a conversation's metadata is hidden; None makes it visible."""
        ...

    def renew(self, scope: Scope) -> int:
        """Give the conversation another edition: what was read of it is out of date; returns how many were."""
        ...

    def get(self, scope: Scope) -> ConversationRecord | None: ...

    def mark_folded(self, scope: Scope, *, folded: int) -> None:
        """Note how many turns the summary covers."""
        ...

    def mark_cut(self, scope: Scope, *, before: int, cut: int) -> bool:
        """Move the end of the last episode from turn `before` to turn `cut`; False when it stood elsewhere."""
        ...

    def mark_counted(self, scope: Scope, *, before: int, counted: int) -> bool:
        """Move the end of what is counted from message `before` to `counted`; False when it stood elsewhere."""
        ...

    def count_no_further(self, scope: Scope) -> None:
        """Let the mentions of all that the user said so far go uncounted."""
        ...

    def newest(self, scope: Scope, *, limit: int, before: tuple[datetime, str] | None) -> list[ConversationRecord]:
        """The user's conversations by last activity, newest first, from after `before` on."""
        ...

    def remove(self, scope: Scope) -> int: ...


class Messages(Erasable, Protocol):
    """Append-only, in strict order inside a conversation."""

    def add(self, scope: Scope, messages: Sequence[Message]) -> None: ...

    def with_ids(self, scope: Scope, ids: Sequence[str]) -> dict[str, Message]: ...

    def newest(self, scope: Scope, *, limit: int, before: int | None = None) -> list[Message]:
        """The newest messages with `seq` under `before`, in chronological order."""
        ...

    def after(self, scope: Scope, *, limit: int, seq: int) -> list[Message]:
        """The oldest messages with a `seq` above the given one, in chronological order."""
        ...

    def turns(self, scope: Scope, *, limit: int) -> list[Message]:
        """The newest messages but the system's, in chronological order."""
        ...

    def edition(self, scope: Scope) -> Edition:
        """Return the conversation's current edition; a read is valid while its edition is current."""
        ...

    def turns_after(self, scope: Scope, *, limit: int, seq: int) -> list[Message]:
        """The oldest messages but the system's with a `seq` above the given one."""
        ...

    def count_turns_after(self, scope: Scope, *, seq: int) -> int:
        """Count the messages above a position, system messages excluded."""
        ...

    def mark(self, scope: Scope, id: str) -> MessageVisibility | None:
        """Return the visibility of a message; None when there is no such message."""
        ...

    def judge(self, scope: Scope, id: str, judged: Reason | None, *, shown: str | None = None) -> None:
        """Note what is judged of a message alone, and its text with secrets masked."""
        ...

    def hide(self, scope: Scope, id: str, hidden: Reason | None) -> None:
        """Set why a message is hidden; None makes it visible."""
        ...

    def unjudged(self, scope: Scope, *, limit: int, seq: int = 0) -> list[Message]:
        """The oldest above a place that were stored before visibility was decided at writing."""
        ...

    def remove(self, scope: Scope) -> int: ...

    def texts(self, scope: Scope, plan: ErasurePlan, *, limit: int) -> list[str]:
        """Return the texts of the messages that an erasure reaches."""
        ...
