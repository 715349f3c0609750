"""`UserConversations` without `await`; `make sync` writes this file from `handles/user/conversations.py`."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from rememora.domain.context import UnstoredReply
from rememora.domain.episode import Episode
from rememora.domain.message import ConversationRecord, NewMessage, Page
from rememora.handles.deprecated import OldCall
from rememora.handles.user import conversations as wrapped
from rememora.portal import Portal
from rememora.turn import ReplyOptions


class SyncUserConversations(OldCall):
    """All conversations of one user; `conversation(id)` of the user is one of them."""

    def __init__(self, portal: Portal, inner: wrapped.UserConversations) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    def list(self, *, limit: int = 20, after: str | None = None) -> Page[ConversationRecord]:
        """This user's conversations, newest first."""
        return self._portal.run(self._inner.list(limit=limit, after=after))

    def episodes(self, *, conversation: str | None = None, limit: int = 20) -> builtins.list[Episode]:
        """This user's episodes, of one conversation or of all, newest first."""
        return self._portal.run(self._inner.episodes(conversation=conversation, limit=limit))

    def reply_unstored(
        self, text: str, *, said: Sequence[NewMessage | Mapping[str, Any]] = (), **wishes: Unpack[ReplyOptions]
    ) -> UnstoredReply:
        """Answer from what is remembered, and store neither question nor answer.

        `said` are the turns of this talk so far, oldest first: the caller alone holds them."""
        return self._portal.run(self._inner.reply_unstored(text, said=said, **wishes))
