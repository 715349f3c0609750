"""The way in: `Rememora`, and the scoped handles it gives out. One verb per use case, each one flow function."""

from __future__ import annotations

from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Generator,
    Iterable,
    Mapping,
    Sequence,
)
from datetime import datetime
from typing import Any, Unpack

import msgspec

from rememora import turn, wiring
from rememora.context.layers import ACROSS
from rememora.context.pack import Counter, build, situation_of
from rememora.context.render import render
from rememora.domain.audit import AuditEntry, ChainReport
from rememora.domain.check import check_name
from rememora.domain.context import ContextPack, Form, Piece, Placement, Reply, Situation
from rememora.domain.entity import Entity, Mention, Mentioned
from rememora.domain.episode import Episode, Summary
from rememora.domain.event import Event
from rememora.domain.hit import Asked, Hit, Kind
from rememora.domain.memory import (
    About,
    Memory,
    MemoryFilter,
    Outcome,
    Proposal,
    Quarantined,
    Review,
    Wanted,
    Wish,
)
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
from rememora.domain.profile import Profile
from rememora.domain.receipt import Erasing, Erasure, Receipt, ReceiptReport
from rememora.domain.rights import ADMIN, USER, Actor, Rights
from rememora.domain.scope import SHARED, Scope
from rememora.domain.tenancy import Caller
from rememora.domain.verdict import AnyVerdict, Origin
from rememora.errors import InvalidInput
from rememora.events import outbox
from rememora.events.relay import Listener, relay
from rememora.handles.access import Access, Operator
from rememora.handles.missions import UserMissions
from rememora.history import episodes, record, summarize, window
from rememora.knowledge import audit, control, entities, erase, export, keep, note, propose, review
from rememora.knowledge import profile as seed
from rememora.knowledge.export import Imported
from rememora.knowledge.note import Heard
from rememora.knowledge.profile import Ref
from rememora.knowledge.propose import Reply as Answered
from rememora.language import count_tokens
from rememora.ports.outbox import Parked
from rememora.ports.outside import Clock, Embedder, Model
from rememora.ports.responder import Responder
from rememora.settings import Settings
from rememora.telemetry import CHAT, CREATE, DELETE, GATE, LOAD, SEARCH, UPDATE, UPSERT, spanned
from rememora.tenancy import answers, keys, links
from rememora.turn import Wishes, turn_of
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

    @spanned(LOAD, text="query")
    async def context(
        self,
        query: str,
        *,
        budget: int | None = None,
        modality: Modality | None = None,
        situation: Situation | Mapping[str, Any] | None = None,
    ) -> ContextPack:
        """What a model should get for this query, within a budget of tokens; no model takes part."""
        turns, told = self._parts.turns, situation_of(situation)
        wanted = turns.wanted(query, budget=budget, modality=modality or self._modality, situation=told)
        return await build(turns.gatherer, self._scope, wanted, now=self._parts.clock())

    @spanned(CHAT, text="text")
    async def reply(self, text: str, *, key: str | None = None, **wishes: Unpack[Wishes]) -> Reply:
        """One turn: what was said is stored, answered from memory, and the answer is stored too.

        `key` makes a retry safe: the same key is the same turn, answered once.
        """
        asked = turn_of(text, key=key, channel=self._channel, modality=self._modality, wishes=wishes)
        await self._parts.tally.take(self._scope, "tokens", 0)
        return await turn.reply(self._parts.turns, self._scope, asked)

    def stream(self, text: str, *, key: str | None = None, **wishes: Unpack[Wishes]) -> AsyncIterator[Piece]:
        """One turn, piece by piece; the last piece carries the reply. Left early, what was said is stored."""
        asked = turn_of(text, key=key, channel=self._channel, modality=self._modality, wishes=wishes)
        pieces = turn.stream(self._parts.turns, self._scope, asked)
        return self._parts.tally.guarded(self._scope, "tokens", pieces)

    @property
    def _modality(self) -> Modality:
        return "voice" if self._channel == "voice" else "chat"

    async def delete(self) -> Removed:
        """Remove the conversation and all that hangs on it; returns how much that was."""
        removed = await record.delete(self._parts.store, self._scope, clock=self._parts.clock)
        cached = await self._parts.searcher().refresh(self._scope)
        return msgspec.structs.replace(removed, cached=cached)


class UserMemory:
    """All that is remembered of one user of one tenant."""

    def __init__(self, parts: Parts, scope: Scope, *, rights: Rights = USER) -> None:
        self._parts = parts
        self._desk = parts.desk
        self._scope = scope
        self._actor = Actor(scope.user, rights)

    @property
    def scope(self) -> Scope:
        """Whose memory it is."""
        return self._scope

    def conversation(self, id: str, *, channel: str = "chat") -> Conversation:
        """One thread of this user; it comes to be with its first message."""
        return Conversation(self._parts, self._scope.within(id), channel=channel)

    @spanned(SEARCH, text="query")
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

    async def related(
        self, query: str, *, conversation: str | None = None, budget: int | None = None
    ) -> ContextPack:
        """What is known of this user that bears on the query, with passages of conversations but this one."""
        turns = self._parts.turns
        scope = self._scope if conversation is None else self._scope.within(conversation)
        wanted = turns.wanted(query, budget=budget, layers=ACROSS)
        return await build(turns.gatherer, scope, wanted, now=self._parts.clock())

    @property
    def missions(self) -> UserMissions:
        """The missions that work on this user's requests."""
        return UserMissions(self._parts, self._scope)

    async def conversations(self, *, limit: int = 20, after: str | None = None) -> Page[ConversationRecord]:
        """This user's conversations, newest first."""
        return await record.conversations(self._parts.store, self._scope, limit=limit, after=after)

    async def list_episodes(self, *, conversation: str | None = None, limit: int = 20) -> list[Episode]:
        """This user's episodes, of one conversation or of all, newest first."""
        scope = self._scope if conversation is None else self._scope.within(conversation)
        return await episodes.list_episodes(self._parts.store, scope, limit=limit)

    @spanned(UPSERT)
    async def remember(self, key: str, value: Any, **about: Unpack[About]) -> Outcome:
        """Keep a fact, if the gate lets it; a new value takes the place of the old one."""
        return await keep.remember(self._desk, self._scope, Wish(key=key, value=value, **about), actor=self._actor)

    @spanned(GATE, text="text")
    async def judge(self, text: str, *, origin: Origin = Origin.USER_SAID, insists: bool = False) -> AnyVerdict:
        """What the gate says of a message; nothing is written."""
        return note.judge(self._desk, text, origin=origin, insists=insists)

    @spanned(GATE, text="text")
    async def note(self, text: str, **heard: Unpack[Heard]) -> Outcome:
        """Judge a message and do what it asks: keep, ask, forget, correct, or hold it apart."""
        return await note.note(self._desk, self._scope, text, actor=self._actor, **heard)

    async def infer(
        self, text: str, model: Model, *, origin: Origin = Origin.USER_SAID, ref: str | None = None
    ) -> Outcome:
        """Keep what a language model reads in a message, as far as the gate lets it."""
        return await note.infer(self._desk, self._scope, text, model, actor=self._actor, origin=origin, ref=ref)

    async def memories(
        self, *, limit: int = 100, after: str | None = None, **wanted: Unpack[Wanted]
    ) -> Page[Memory]:
        """What is known, by key, page by page; active memories unless another status is asked for."""
        narrowed = MemoryFilter(**wanted)
        return await keep.memories(self._parts.store, self._scope, narrowed, limit=limit, after=after)

    async def memory(self, name: str) -> Memory:
        """One memory by its id, or the active one under a key."""
        return await keep.memory(self._parts.store, self._scope, name)

    async def history(self, memory: str) -> list[AuditEntry]:
        """All that happened to one memory, oldest first."""
        return await audit.history(self._parts.store, self._scope, memory)

    async def as_of(self, moment: datetime) -> list[Memory]:
        """What was known at a moment."""
        return await keep.as_of(self._parts.store, self._scope, moment)

    @spanned(UPDATE)
    async def correct(self, target: str, value: Any, *, why: str = "corrected") -> Outcome:
        """Put the right value in place of a wrong one, found by id, key, topic, category or words."""
        return await control.correct(self._desk, self._scope, target, value, actor=self._actor, why=why)

    @spanned(DELETE)
    async def forget(self, target: str, *, why: str = "") -> Outcome:
        """Delete softly what `target` means, `all` for everything; it can be restored."""
        return await control.forget(self._desk, self._scope, target, actor=self._actor, why=why)

    async def suppress(self, target: str, *, why: str = "") -> Outcome:
        """Keep what `target` means, and never mention it."""
        return await control.suppress(self._desk, self._scope, target, actor=self._actor, why=why)

    async def restore(self, target: str, *, why: str = "") -> Memory:
        """Let a forgotten, replaced or suppressed memory, by id or key, be known and mentioned again."""
        return await control.restore(self._desk, self._scope, target, actor=self._actor, why=why)

    async def proposals(self) -> list[Proposal]:
        """The questions that wait for this user's answer."""
        return await propose.proposals(self._desk, self._scope, actor=self._actor)

    async def answer(self, proposal: str, reply: str | Answered) -> Outcome:
        """Answer a question: yes, no, the right value, or which one."""
        return await propose.answer(self._desk, self._scope, proposal, reply, actor=self._actor)

    async def seed_profile(
        self, profile: Profile | Mapping[str, Any] | None = None, *, ref: Ref = "onboarding", **fields: Any
    ) -> list[Outcome]:
        """Write the base profile, under its own names or those of an onboarding form; twice changes nothing."""
        known = {**fields} if profile is None else profile
        return await seed.seed(self._desk, self._scope, known, actor=self._actor, ref=ref)

    async def mention(self, type: str, key: str, value: Any, **mentioned: Unpack[Mentioned]) -> Entity:
        """Count a mention of something structured: a campaign, a person, a product."""
        named = Mention(type=type, key=key, value=value, **mentioned)
        store, clock, settings = self._parts.store, self._parts.clock, self._parts.settings.entities
        return await entities.mention(store, self._scope, named, clock=clock, settings=settings)

    async def entities(self, *, limit: int = 10, type: str | None = None) -> list[Entity]:
        """What this user mentions most, then most recently."""
        return await entities.entities(self._parts.store, self._scope, limit=limit, type=type)

    @spanned(DELETE)
    async def erase(self, **what: Unpack[Erasing]) -> Receipt:
        """Remove for good one memory, a topic, a conversation or the whole person; the receipt says how much."""
        receipt = await erase.erase(self._desk, self._scope, Erasure(**what), actor=self._actor)
        await self._parts.searcher().refresh(self._scope)
        return receipt

    async def export(self) -> dict[str, Any]:
        """All that is held about this user, as JSON."""
        return await export.export(self._parts.store, self._scope, at=self._parts.clock())

    async def import_(self, document: Mapping[str, Any]) -> Imported:
        """Take an export in; what is here already is left as it is."""
        return await export.load(self._desk, self._scope, document, actor=self._actor)


class Tenant:
    """What concerns a whole tenant, done by somebody whose name goes on record."""

    def __init__(self, parts: Parts, scope: Scope, *, rights: Rights = ADMIN) -> None:
        self._parts = parts
        self._desk = parts.desk
        self._scope = scope
        self._actor = Actor(scope.user, rights)

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

    async def memories(
        self, user: str, *, reason: str, limit: int = 100, **wanted: Unpack[Wanted]
    ) -> list[Memory]:
        """A person's memory, read under a reason that goes on record."""
        scope, narrowed = Scope(self._scope.tenant, user), MemoryFilter(**wanted)
        return await keep.read_personal(self._desk, scope, narrowed, actor=self._actor, reason=reason, limit=limit)

    async def quarantined(
        self, *, status: Review | None = "held", limit: int = 100, after: str = ""
    ) -> list[Quarantined]:
        """Text that tried to give orders, oldest first."""
        return await review.quarantined(
            self._desk, self._scope, actor=self._actor, status=status, limit=limit, after=after
        )

    async def approve(self, quarantined: str, *, key: str | None = None, value: Any = None) -> Memory | None:
        """Let a held text go; under a key it becomes a memory."""
        return await review.approve(self._desk, self._scope, quarantined, actor=self._actor, key=key, value=value)

    async def reject(self, quarantined: str, *, why: str = "") -> None:
        """Keep a held text out for good."""
        await review.reject(self._desk, self._scope, quarantined, actor=self._actor, why=why)

    async def audit(self, *, after: int = 0, limit: int = 100) -> list[AuditEntry]:
        """The tenant's chain of changes, oldest first."""
        return await audit.page(self._parts.store, self._scope, after=after, limit=limit)

    async def verify_audit(self, *, anchor: str | None = None) -> ChainReport:
        """Check the whole chain; `anchor` is an end noted earlier, which must be in it."""
        return await audit.verify(self._parts.store, self._scope, signer=self._desk.signer, anchor=anchor)

    async def verify_receipt(self, receipt: Receipt, *, suspects: Sequence[str] = ()) -> ReceiptReport:
        """Check an erasure's receipt, and look for what it stands for in the store's files."""
        return await erase.verify(self._desk, self._scope, receipt, suspects=suspects)


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
        responder: Responder | None = None,
        counter: Counter = count_tokens,
        background: bool = True,
    ) -> Opening:
        """Open a store: `async with Rememora.open() as rememora:` or `rememora = await Rememora.open()`.

        `url` is a folder or `:memory:`; without it the settings say where. A `model` writes better summaries than
        the extractive ones. With `background=False` no loop runs in this process, and `rememora work` or
        `settle()` does what writes leave to be done.
        """
        outside = Outside(clock=clock, embedder=embedder, model=model, responder=responder, counter=counter)
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

    @property
    def policy(self) -> Mapping[str, Any]:
        """What may become a memory: the rules that every door goes by, as data."""
        return self._parts.desk.policy.document

    def render(self, pack: ContextPack, form: Form, *, placement: Placement = "instructions") -> Any:
        """A context as a model gets it: for OpenAI Responses or Chat, Anthropic, LangChain, or as text."""
        return render(pack, form, placement=placement)

    def user(self, user: str, *, tenant: str, rights: Rights = USER) -> UserMemory:
        """The only way in: one user of one tenant; `rights` are what they may do beyond their own memory."""
        if user == SHARED:
            raise InvalidInput("user", f"{SHARED!r} stands for all users of a tenant")
        return UserMemory(self._parts, Scope(tenant, user), rights=rights)

    def tenant(self, tenant: str, *, acting: str, rights: Rights = ADMIN) -> Tenant:
        """What concerns a whole tenant; `acting` is who does it, for the record."""
        return Tenant(self._parts, Scope(tenant, acting), rights=rights)

    async def verify_audit(self, *, acting: str) -> list[ChainReport]:
        """An operator's act: check the chain of every tenant."""
        return await audit.verify_all(self._parts.store, acting=acting, signer=self._parts.desk.signer)

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
        await self._parts.turns.close()
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
