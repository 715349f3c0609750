"""All conversations of one user: the list, their episodes, and an answer outside of them."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from rememora import turn
from rememora.domain.context import UnstoredReply
from rememora.domain.episode import Episode
from rememora.domain.message import ConversationRecord, NewMessage, Page
from rememora.handles.deprecated import OldCall
from rememora.handles.user.noun import UserNoun
from rememora.history import episodes, record
from rememora.telemetry import CHAT, spanned
from rememora.turn import ReplyOptions


class UserConversations(OldCall, UserNoun):
    """All conversations of one user; use `conversation(id)` of the user for one of them."""

    async def list(self, *, limit: int = 20, after: str | None = None) -> Page[ConversationRecord]:
        """List this user's conversations, newest first."""
        await self._look()
        return await record.conversations(self._parts.store, self._scope, limit=limit, after=after)

    async def episodes(self, *, conversation: str | None = None, limit: int = 20) -> builtins.list[Episode]:
        """List this user's episodes, of one conversation or of all, newest first."""
        await self._look()
        scope = self._scope if conversation is None else self._scope.within(conversation)
        return await episodes.list_episodes(self._parts.store, scope, limit=limit)

    @spanned(CHAT, text="text")
    async def reply_unstored(
        self, text: str, *, said: Sequence[NewMessage | Mapping[str, Any]] = (), **wishes: Unpack[ReplyOptions]
    ) -> UnstoredReply:
        """Answer from memory, and store neither question nor answer.

        `said` are the turns so far, oldest first; only the caller keeps them.
        """
        await self._look()
        await self._parts.tally.take(self._scope, "tokens", 0)
        request = turn.turn_of(text, actor=self._actor, key=None, channel="chat", modality="chat", wishes=wishes)
        earlier = [NewMessage.of(before) for before in said]
        return await turn.reply_unstored(self._parts.turns, self._scope, request, earlier)
