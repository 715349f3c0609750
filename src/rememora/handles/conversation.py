"""One conversation of one user: its messages, and the turn."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Unpack

import msgspec

from rememora import turn
from rememora.context.pack import build, done, situation_of
from rememora.domain.check import check_name
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
    attachments_of,
)
from rememora.domain.rights import USER, Actor, Rights
from rememora.domain.scope import Scope
from rememora.handles.deprecated import OldConversationVerbs
from rememora.history import episodes, record, summarize, window
from rememora.knowledge import keep
from rememora.telemetry import CHAT, CREATE, LOAD, spanned
from rememora.turn import ReplyOptions, turn_of
from rememora.wiring.parts import Parts


class Conversation(OldConversationVerbs):
    """One conversation of one user."""

    def __init__(
        self,
        parts: Parts,
        scope: Scope,
        *,
        channel: str = "chat",
        rights: Rights = USER,
        reader: Actor | None = None,
    ) -> None:
        self._parts = parts
        self._scope = scope
        # Messages are the person's own words, no matter which program sends them; readers are recorded.
        self._actor = Actor(scope.user, rights)
        self._reader = reader or self._actor
        self._channel = check_name("channel", channel)

    def __repr__(self) -> str:
        scope = self._scope
        return f"Conversation({scope.conversation!r}, user={scope.user!r}, tenant={scope.tenant!r})"

    @property
    def scope(self) -> Scope:
        """Scope of the conversation's owner."""
        return self._scope

    @spanned(CREATE)
    async def append(
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
        """Append one message; the same id with the same message is stored once."""
        draft = NewMessage(
            role=role,
            content=content,
            id=id,
            created_at=created_at,
            modality=modality,
            attachments=attachments_of(attachments) if attachments else (),
            metadata={} if metadata is None else metadata,
        )
        parts = self._parts
        stored = await record.append(
            parts.store,
            self._scope,
            [draft],
            clock=parts.clock,
            settings=parts.settings,
            channel=self._channel,
            cache=parts.windows,
        )
        return stored[0]

    async def append_many(
        self,
        messages: Iterable[NewMessage | Mapping[str, Any]],
        *,
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Append many messages, as imports do; returns how many were given."""
        parts = self._parts
        return await record.append_many(
            parts.store,
            self._scope,
            messages,
            clock=parts.clock,
            settings=parts.settings,
            channel=self._channel,
            progress=progress,
            cache=parts.windows,
        )

    async def last_turns(self, limit: int | None = None) -> list[Message]:
        """Return the newest turns that fit the window, in chronological order."""
        await self._look()
        window_settings = self._parts.settings.window
        return await window.last_turns(
            self._parts.store,
            self._scope,
            limit=window_settings.turns if limit is None else limit,
            window=window_settings,
            cache=self._parts.windows,
        )

    async def summary(self) -> Summary | None:
        """Return the summary of the older part of the conversation; None while it is short."""
        await self._look()
        return await summarize.summary(self._parts.store, self._scope)

    async def append_episode(self, *, title: str | None = None, summary: str | None = None) -> Episode:
        """End an episode at the newest turn, with your summary or an extracted one; once per turn count."""
        await self._look()
        parts = self._parts
        episode = episodes.EpisodeText(title, summary)
        return await episodes.append_episode(
            parts.store, self._scope, episode, settings=parts.settings.episodes, clock=parts.clock
        )

    async def list_episodes(self, *, limit: int = 20) -> list[Episode]:
        """List the conversation's episodes, newest first."""
        await self._look()
        return await episodes.list_episodes(self._parts.store, self._scope, limit=limit)

    async def messages(self, *, limit: int = 100, after: str | None = None) -> Page[Message]:
        """Return the whole conversation from its beginning, page by page."""
        await self._look()
        return await record.messages(self._parts.store, self._scope, limit=limit, after=after)

    async def about(self) -> ConversationRecord:
        """Return the conversation's record."""
        await self._look()
        return await record.about(self._parts.store, self._scope)

    async def describe(
        self, *, channel: str | None = None, metadata: Mapping[str, Any] | None = None
    ) -> ConversationRecord:
        """Create the conversation, or change its channel or metadata."""
        store, clock = self._parts.store, self._parts.clock
        return await record.describe(
            store, self._scope, clock=clock, channel=channel, metadata=metadata, opened_on=self._channel
        )

    async def act_on(self, message: Message) -> list[MemoryAction]:
        """Do what a stored message asks of memory, as `reply` does: save, forget, correct, answer a question."""
        return list(await turn.hear(self._parts.turns, self._scope, message, self._actor))

    async def acts_first(self, message: Message) -> bool:
        """Return whether the answer to a stored message needs what `act_on` does: if not, it can wait."""
        return await turn.acts_first(self._parts.turns, self._scope, message)

    @spanned(LOAD, text="query")
    async def context(
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

        `situation` comes from the host and is placed above the fence. `claimed` is a situation from a caller who
        may not set it, and is treated as data. `deeds` are the actions that the message already caused; the model
        is told about them, and about the memory of a `mission`.
        """
        turns = self._parts.turns
        await self._look()
        options = turns.pack_options(
            query,
            budget=budget,
            modality=modality or self._modality,
            situation=situation_of(situation),
            claimed=situation_of(claimed, field="claimed"),
            beside=(*done(deeds), *await turn.about_mission(turns, self._scope, mission)),
        )
        return await build(turns.gatherer, self._scope, options, now=self._parts.clock())

    @spanned(CHAT, text="text")
    async def reply(self, text: str, *, key: str | None = None, **wishes: Unpack[ReplyOptions]) -> Reply:
        """Run one turn: store the message, answer it from memory, and store the answer.

        `key` makes a retry safe: the same key is the same turn, and is answered once.
        """
        request = self._turn(text, key, wishes)
        await self._look()
        await self._parts.tally.take(self._scope, "tokens", 0)
        begun = time.perf_counter()
        answered = await turn.reply(self._parts.turns, self._scope, request)
        self._parts.trends.observe(self._scope, "turn", time.perf_counter() - begun)
        return answered

    def stream(
        self, text: str, *, key: str | None = None, **wishes: Unpack[ReplyOptions]
    ) -> AsyncIterator[ReplyPart]:
        """Stream one turn; the last part carries the reply. The message is always stored."""
        request = self._turn(text, key, wishes)
        pieces = self._pieces(request)
        return self._parts.tally.guarded(self._scope, "tokens", pieces)

    async def _pieces(self, pending: turn.Turn) -> AsyncIterator[ReplyPart]:
        await self._look()
        begun, pieces = time.perf_counter(), turn.stream(self._parts.turns, self._scope, pending)
        try:
            async for piece in pieces:
                if piece.reply is not None:
                    self._parts.trends.observe(self._scope, "turn", time.perf_counter() - begun)
                yield piece
        finally:
            if isinstance(pieces, AsyncGenerator):
                await pieces.aclose()

    async def _look(self) -> None:
        """Record that somebody other than the person reads this conversation."""
        await keep.look(self._parts.desk, self._scope.person(), actor=self._reader)

    def _turn(self, text: str, key: str | None, wishes: ReplyOptions) -> turn.Turn:
        channel, modality = self._channel, self._modality
        return turn_of(text, actor=self._actor, key=key, channel=channel, modality=modality, wishes=wishes)

    @property
    def _modality(self) -> Modality:
        return "voice" if self._channel == "voice" else "chat"

    async def delete(self) -> Removed:
        """Delete the conversation and everything that belongs to it; returns the counts."""
        parts = self._parts
        removed = await record.delete(parts.store, self._scope, clock=parts.clock, cache=parts.windows)
        cached = await parts.searcher().refresh(self._scope)
        return msgspec.structs.replace(removed, cached=removed.cached + cached)
