"""`Conversation` without `await`; `make sync` writes this file from `handles/conversation.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Unpack

from rememora.domain.context import ContextPack, MemoryAction, Reply, ReplyPart, Situation
from rememora.domain.episode import Episode, Summary
from rememora.domain.message import (
    Attachment,
    ConversationRecord,
    Message,
    Modality,
    NewMessage,
    Page,
    Removed,
    Role,
)
from rememora.domain.scope import Scope
from rememora.handles import conversation as wrapped
from rememora.handles.deprecated import OldConversationVerbs
from rememora.portal import Portal
from rememora.turn import ReplyOptions


class SyncConversation(OldConversationVerbs):
    """One thread of one user."""

    def __init__(self, portal: Portal, inner: wrapped.Conversation) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    @property
    def scope(self) -> Scope:
        """Scope of the conversation's owner."""
        return self._inner.scope

    def append(
        self,
        role: Role,
        content: str,
        *,
        id: str | None = None,
        created_at: datetime | None = None,
        modality: Modality = "chat",
        attachments: Sequence[Attachment | Mapping[str, Any]] = (),
        metadata: Mapping[str, Any] | None = None,
    ) -> Message:
        """Add one message at the end; an id given twice with the same message is stored once."""
        return self._portal.run(
            self._inner.append(
                role,
                content,
                id=id,
                created_at=created_at,
                modality=modality,
                attachments=attachments,
                metadata=metadata,
            )
        )

    def append_many(
        self, messages: Iterable[NewMessage | Mapping[str, Any]], *, progress: Callable[[int], None] | None = None
    ) -> int:
        """Add many messages, as imports do; returns how many were given."""
        return self._portal.run(self._inner.append_many(messages, progress=progress))

    def last_turns(self, limit: int | None = None) -> list[Message]:
        """Short memory: the newest turns that fit the window, in chronological order."""
        return self._portal.run(self._inner.last_turns(limit))

    def summary(self) -> Summary | None:
        """Return the summary of the older part of the conversation; None while it is short."""
        return self._portal.run(self._inner.summary())

    def append_episode(self, *, title: str | None = None, summary: str | None = None) -> Episode:
        """End an episode at the newest turn, in your words or extracted ones; once per turn count."""
        return self._portal.run(self._inner.append_episode(title=title, summary=summary))

    def list_episodes(self, *, limit: int = 20) -> list[Episode]:
        """The conversation's episodes, newest first."""
        return self._portal.run(self._inner.list_episodes(limit=limit))

    def messages(self, *, limit: int = 100, after: str | None = None) -> Page[Message]:
        """The whole conversation from its beginning, page by page."""
        return self._portal.run(self._inner.messages(limit=limit, after=after))

    def about(self) -> ConversationRecord:
        """Return the conversation's record."""
        return self._portal.run(self._inner.about())

    def describe(
        self, *, channel: str | None = None, metadata: Mapping[str, Any] | None = None
    ) -> ConversationRecord:
        """Create the conversation, or change its channel or metadata."""
        return self._portal.run(self._inner.describe(channel=channel, metadata=metadata))

    def act_on(self, message: Message) -> list[MemoryAction]:
        """Do what a stored message asks of memory, as `reply` does: save, forget, correct, answer a question."""
        return self._portal.run(self._inner.act_on(message))

    def context(
        self,
        query: str,
        *,
        budget: int | None = None,
        modality: Modality | None = None,
        situation: Situation | Mapping[str, Any] | None = None,
        claimed: Situation | Mapping[str, Any] | None = None,
        deeds: Sequence[MemoryAction] = (),
        mission: str | None = None,
    ) -> ContextPack:
        """Build the context for this query, within a budget of tokens; no model is called.

        `situation` comes from the host and is placed above the fence; `claimed` is the same from a caller who may
        not set it, and is treated as data. `deeds` are the actions already taken because of the message, which the
        model is informed about, as it is about the memory of a `mission`."""
        return self._portal.run(
            self._inner.context(
                query,
                budget=budget,
                modality=modality,
                situation=situation,
                claimed=claimed,
                deeds=deeds,
                mission=mission,
            )
        )

    def reply(self, text: str, *, key: str | None = None, **wishes: Unpack[ReplyOptions]) -> Reply:
        """One turn: what was said is stored, answered from memory, and the answer is stored too.

        `key` makes a retry safe: the same key is the same turn, answered once."""
        return self._portal.run(self._inner.reply(text, key=key, **wishes))

    def stream(self, text: str, *, key: str | None = None, **wishes: Unpack[ReplyOptions]) -> Iterator[ReplyPart]:
        """One turn, piece by piece; the last piece carries the reply. Left early, what was said is stored."""
        return self._portal.iterate(self._inner.stream(text, key=key, **wishes))

    def delete(self) -> Removed:
        """Remove the conversation and all that hangs on it; returns how much that was."""
        return self._portal.run(self._inner.delete())
