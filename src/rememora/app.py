"""The way in: `Rememora`, and the scoped handles it gives out. One verb per use case, each one flow function."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Generator, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from rememora import wiring
from rememora.domain.check import check_name
from rememora.domain.episode import Episode, Summary
from rememora.domain.event import Event
from rememora.domain.hit import Asked, Hit, Kind
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
from rememora.domain.scope import SHARED, Scope
from rememora.domain.tenancy import Caller
from rememora.errors import InvalidInput
from rememora.events import outbox
from rememora.events.relay import Listener, relay
from rememora.handles.access import Access, Operator
from rememora.history import episodes, record, summarize, window
from rememora.ports.outbox import Parked
from rememora.ports.outside import Clock, Embedder, Model
from rememora.settings import Settings
from rememora.tenancy import answers, keys, links
from rememora.wiring import Outside, Parts


class Conversation:
    """One thread of one user."""

    def __init__(self, parts: Parts, scope: Scope, *, channel: str = "chat") -> None:
        self._parts = parts
        self._scope = scope
        self._channel = check_name("channel", channel)

    @property
    def scope(self) -> Scope:
        """Whose conversation it is."""
        return self._scope

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
        """Add one message at the end; an id given twice with the same message is stored once."""
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
        )
        return stored[0]

    async def append_many(
        self,
        messages: Iterable[NewMessage | Mapping[str, Any]],
        *,
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Add many messages, as imports do; returns how many were given."""
        parts = self._parts
        return await record.append_many(
            parts.store,
            self._scope,
            messages,
            clock=parts.clock,
            settings=parts.settings,
            channel=self._channel,
            progress=progress,
        )

    async def last_turns(self, limit: int | None = None) -> list[Message]:
        """Short memory: the newest turns that fit the window, in chronological order."""
        window_settings = self._parts.settings.window
        return await window.last_turns(
            self._parts.store,
            self._scope,
            limit=window_settings.turns if limit is None else limit,
            window=window_settings,
        )

    async def summary(self) -> Summary | None:
        """What the older part of the conversation came to; None while it is short."""
        return await summarize.summary(self._parts.store, self._scope)

    async def append_episode(self, *, title: str | None = None, summary: str | None = None) -> Episode:
        """End an episode at the newest turn, in your words or extracted ones; once per turn count."""
        parts = self._parts
        told = episodes.Told(title, summary)
        return await episodes.append_episode(
            parts.store, self._scope, told, settings=parts.settings.episodes, clock=parts.clock
        )

    async def list_episodes(self, *, limit: int = 20) -> list[Episode]:
        """The conversation's episodes, newest first."""
        return await episodes.list_episodes(self._parts.store, self._scope, limit=limit)

    async def messages(self, *, limit: int = 100, after: str | None = None) -> Page[Message]:
        """The whole conversation from its beginning, page by page."""
        return await record.messages(self._parts.store, self._scope, limit=limit, after=after)

    async def about(self) -> ConversationRecord:
        """What is known of the conversation itself."""
        return await record.about(self._parts.store, self._scope)

    async def describe(
        self, *, channel: str | None = None, metadata: Mapping[str, Any] | None = None
    ) -> ConversationRecord:
        """Create the conversation, or change its channel or metadata."""
        store, clock = self._parts.store, self._parts.clock
        return await record.describe(store, self._scope, clock=clock, channel=channel, metadata=metadata)

    async def delete(self) -> Removed:
        """Remove the conversation and all that hangs on it; returns how much that was."""
        removed = await record.delete(self._parts.store, self._scope, clock=self._parts.clock)
        cached = await self._parts.searcher().refresh(self._scope)
        return msgspec.structs.replace(removed, cached=cached)


class UserMemory:
    """All that is remembered of one user of one tenant."""

    def __init__(self, parts: Parts, scope: Scope) -> None:
        self._parts = parts
        self._scope = scope

    @property
    def scope(self) -> Scope:
        """Whose memory it is."""
        return self._scope

    def conversation(self, id: str, *, channel: str = "chat") -> Conversation:
        """One thread of this user; it comes to be with its first message."""
        return Conversation(self._parts, self._scope.within(id), channel=channel)

    async def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        kinds: Collection[Kind] | None = None,
        min_similarity: float | None = None,
        conversation: str | None = None,
        exclude_conversation: str | None = None,
        category: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> list[Hit]:
        """What of this user's memory answers the query, best first, each hit with its reasons."""
        wanted = self._parts.settings.recall
        asked = Asked(
            query=query,
            limit=wanted.limit if limit is None else limit,
            kinds=None if kinds is None else frozenset(kinds),
            min_similarity=wanted.min_similarity if min_similarity is None else min_similarity,
            conversation=conversation,
            exclude_conversation=exclude_conversation,
            category=category,
            since=since,
            until=until,
        )
        await self._parts.tally.take(self._scope, "searches")
        return await self._parts.searcher().recall(self._scope, asked)

    async def conversations(self, *, limit: int = 20, after: str | None = None) -> Page[ConversationRecord]:
        """This user's conversations, newest first."""
        return await record.conversations(self._parts.store, self._scope, limit=limit, after=after)

    async def list_episodes(self, *, conversation: str | None = None, limit: int = 20) -> list[Episode]:
        """This user's episodes, of one conversation or of all, newest first."""
        scope = self._scope if conversation is None else self._scope.within(conversation)
        return await episodes.list_episodes(self._parts.store, scope, limit=limit)


class Tenant:
    """What concerns a whole tenant, done by somebody whose name goes on record."""

    def __init__(self, parts: Parts, scope: Scope) -> None:
        self._parts = parts
        self._scope = scope

    @property
    def access(self) -> Access:
        """Who may come in, and how much is used."""
        return Access(self._parts, self._scope)

    async def events(self, *, after: int = 0, limit: int = 100, types: Sequence[str] | None = None) -> list[Event]:
        """The tenant's events after a position, oldest first."""
        return await outbox.page(self._parts.store, self._scope, after=after, limit=limit, types=types)

    async def dead_letters(self, *, limit: int = 100) -> list[Parked]:
        """The tenant's events that a subscriber never took, newest first."""
        return await outbox.dead_letters(self._parts.store, self._scope, limit=limit)


class Rememora:
    """The memory of many tenants; open it once per process."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    @classmethod
    def open(
        cls,
        url: str | None = None,
        *,
        settings: Settings | None = None,
        clock: Clock = wiring.utc_now,
        embedder: Embedder | None = None,
        model: Model | None = None,
        background: bool = True,
    ) -> Opening:
        """Open a store: `async with Rememora.open() as rememora:` or `rememora = await Rememora.open()`.

        `url` is a folder or `:memory:`; without it the settings say where. A `model` writes better summaries than
        the extractive ones. With `background=False` no loop runs in this process, and `rememora work` or
        `settle()` does what writes leave to be done.
        """
        outside = Outside(clock=clock, embedder=embedder, model=model)
        return Opening(_settled(settings, url), outside, background=background)

    @staticmethod
    async def reembed(
        url: str | None = None,
        *,
        settings: Settings | None = None,
        embedder: Embedder | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> int:
        """Make every vector of a store anew, as after changing the embedder; returns how many."""
        return await wiring.reembed(_settled(settings, url), embedder=embedder, progress=progress)

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._parts.settings

    def user(self, user: str, *, tenant: str) -> UserMemory:
        """The only way in: one user of one tenant."""
        if user == SHARED:
            raise InvalidInput("user", f"{SHARED!r} stands for all users of a tenant")
        return UserMemory(self._parts, Scope(tenant, user))

    def tenant(self, tenant: str, *, acting: str) -> Tenant:
        """What concerns a whole tenant; `acting` is who does it, for the record."""
        return Tenant(self._parts, Scope(tenant, acting))

    def operator(self, *, acting: str) -> Operator:
        """What concerns every tenant; `acting` is who does it, for the record."""
        return Operator(self._parts, acting)

    async def admit(self, credential: str) -> Caller:
        """Who a key or a signed link belongs to; refused when it opens nothing."""
        admit = links.admit if credential.startswith(links.PREFIX) else keys.admit
        return await admit(self._parts.store, credential, clock=self._parts.clock)

    async def once(
        self, scope: Scope, key: str, *, fingerprint: bytes, act: Callable[[], Awaitable[tuple[int, bytes]]]
    ) -> tuple[int, bytes, bool]:
        """Status and body of the one answer to a key, and whether it is given again."""
        store, clock = self._parts.store, self._parts.clock
        return await answers.once(store, scope, key, fingerprint=fingerprint, act=act, clock=clock)

    async def subscribe(
        self,
        name: str,
        listener: Listener,
        *,
        types: Iterable[str] | None = None,
        from_start: bool = False,
    ) -> None:
        """Have `listener` told of every tenant's events; the name remembers across restarts what it has heard."""
        parts = self._parts
        subscriber = await outbox.subscribe(parts.store, name, listener, types=types, from_start=from_start)
        parts.worker.add(
            f"relay-{name}",
            lambda: relay(parts.store, subscriber, settings=parts.settings.events, clock=parts.clock),
        )

    async def index_lag(self) -> int:
        """Items that are found by words only, until they have their vector."""
        return await self._parts.store.index(lambda keeper: keeper.lag(), reading=True)

    async def settle(self) -> None:
        """Return when all background work is done; what waits for a later retry is left to it."""
        await self._parts.worker.settle()

    async def close(self) -> None:
        """Stop the loops, finish what was submitted, close the store."""
        await self._parts.worker.stop()
        await self._parts.tally.flush()
        await self._parts.store.close()


class Opening:
    """A store about to be opened: enter it with `async with`, or await it and close it yourself."""

    def __init__(self, settings: Settings, outside: Outside, *, background: bool) -> None:
        self._settings = settings
        self._outside = outside
        self._background = background
        self._opened: Rememora | None = None

    async def open(self) -> Rememora:
        """Open the engines, and start the loops where they run in this process."""
        parts = await wiring.open_parts(self._settings, self._outside)
        if self._background:
            parts.worker.start()
        self._opened = Rememora(parts)
        return self._opened

    def __await__(self) -> Generator[Any, None, Rememora]:
        return self.open().__await__()

    async def __aenter__(self) -> Rememora:
        return await self.open()

    async def __aexit__(self, *_: object) -> None:
        if self._opened is not None:
            await self._opened.close()


def _settled(settings: Settings | None, url: str | None) -> Settings:
    """The settings to open with; a URL that is named beats the one they hold."""
    if settings is None:
        return Settings.load({} if url is None else {"store.url": url})
    if url is None:
        return settings
    return msgspec.structs.replace(settings, store=msgspec.structs.replace(settings.store, url=url))
