"""The same verbs without `await`, for plain code; `make sync` writes this file from `app.py`."""

from __future__ import annotations

import asyncio
from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from datetime import datetime
from typing import Any, Unpack

from rememora import app, wiring
from rememora.context.pack import Counter
from rememora.domain.audit import AuditEntry, ChainReport
from rememora.domain.context import ContextPack, Form, Piece, Placement, Reply, Situation
from rememora.domain.entity import Entity, Mentioned
from rememora.domain.episode import Episode, Summary
from rememora.domain.event import Event
from rememora.domain.hit import Hit, Kind
from rememora.domain.memory import (
    About,
    Memory,
    Outcome,
    Proposal,
    Quarantined,
    Review,
    Wanted,
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
)
from rememora.domain.mission import Mission
from rememora.domain.mission_bus import Message as Call
from rememora.domain.profile import Profile
from rememora.domain.receipt import Erasing, Receipt, ReceiptReport
from rememora.domain.rights import ADMIN, USER, Rights
from rememora.domain.scope import Scope
from rememora.domain.tenancy import (
    UNLIMITED,
    ApiKey,
    Caller,
    IssuedKey,
    IssuedLink,
    KeyRole,
    Plan,
    Standing,
    TenantAccount,
    Usage,
)
from rememora.domain.verdict import AnyVerdict, Origin
from rememora.events.relay import Listener
from rememora.handles import access, missions
from rememora.knowledge.export import Imported
from rememora.knowledge.note import Heard
from rememora.knowledge.profile import Ref
from rememora.knowledge.propose import Reply as Answered
from rememora.language import count_tokens
from rememora.missions import DebugViews, Report, Send, Terms
from rememora.missions.board import BoardAct, Closing
from rememora.portal import Portal
from rememora.ports.outbox import Parked
from rememora.ports.outside import Clock, Embedder, Model
from rememora.ports.responder import Responder
from rememora.settings import Settings
from rememora.tenancy.accounts import AnyPlan
from rememora.turn import Wishes


class SyncAccess:
    """Who may come into one tenant, and how much it uses."""

    def __init__(self, portal: Portal, inner: access.Access) -> None:
        self._portal = portal
        self._inner = inner

    def keys(self) -> list[ApiKey]:
        """Every key, newest first; never a secret."""
        return self._portal.run(self._inner.keys())

    def issue_key(
        self, role: KeyRole, *, user: str | None = None, label: str = "", days: float | None = None
    ) -> IssuedKey:
        """A new key; its secret is shown this once."""
        return self._portal.run(self._inner.issue_key(role, user=user, label=label, days=days))

    def rotate_key(self, id: str) -> IssuedKey:
        """A successor of a key; the old one goes on for the overlap of the settings."""
        return self._portal.run(self._inner.rotate_key(id))

    def revoke_key(self, id: str) -> ApiKey:
        """End a key at once."""
        return self._portal.run(self._inner.revoke_key(id))

    def link(self, user: str, *, minutes: float | None = None) -> IssuedLink:
        """A passing credential for one person's own page."""
        return self._portal.run(self._inner.link(user, minutes=minutes))

    def usage(self) -> list[Usage]:
        """What was used of each meter in its present window, and the limits."""
        return self._portal.run(self._inner.usage())

    def plan(self) -> Plan:
        """The plan in force."""
        return self._portal.run(self._inner.plan())


class SyncOperator:
    """What concerns every tenant, done by somebody whose name goes on record."""

    def __init__(self, portal: Portal, inner: access.Operator) -> None:
        self._portal = portal
        self._inner = inner

    @property
    def access(self) -> SyncAccess:
        """The operators' own keys."""
        return SyncAccess(self._portal, self._inner.access)

    @property
    def missions(self) -> DebugViews:
        """Views into missions for development; elsewhere each of them is refused."""
        return self._inner.missions

    def tenants(self, *, limit: int = 100, after: str | None = None) -> Page[TenantAccount]:
        """Every account, by id."""
        return self._portal.run(self._inner.tenants(limit=limit, after=after))

    def tenant(self, id: str) -> TenantAccount:
        """One tenant's account."""
        return self._portal.run(self._inner.tenant(id))

    def create_tenant(self, id: str, *, name: str | None = None, plan: AnyPlan = UNLIMITED) -> TenantAccount:
        """Open an account."""
        return self._portal.run(self._inner.create_tenant(id, name=name, plan=plan))

    def change_tenant(
        self,
        id: str,
        *,
        name: str | None = None,
        plan: AnyPlan | None = None,
        status: Standing | None = None,
        end_links: bool = False,
    ) -> TenantAccount:
        """Another name, plan or standing; `end_links` makes every link given out so far worthless."""
        return self._portal.run(
            self._inner.change_tenant(id, name=name, plan=plan, status=status, end_links=end_links)
        )


class SyncUserMissions:
    """The missions that work on one user's requests."""

    def __init__(self, portal: Portal, inner: missions.UserMissions) -> None:
        self._portal = portal
        self._inner = inner

    def create(self, query: str, *, conversation: str | None = None, terms: Terms | None = None) -> Mission:
        """Open a mission for a query, under terms of time and budget."""
        return self._portal.run(self._inner.create(query, conversation=conversation, terms=terms))

    def get(self, mission: str) -> Mission:
        """The mission as it is now."""
        return self._portal.run(self._inner.get(mission))

    def active(self, *, limit: int = 50) -> list[Mission]:
        """The active missions, newest first."""
        return self._portal.run(self._inner.active(limit=limit))

    def update(self, mission: str, changes: Mapping[str, object]) -> Mission:
        """Put values at paths, all of them or none."""
        return self._portal.run(self._inner.update(mission, changes))

    def act(self, mission: str, act: BoardAct, path: str, value: Any = 1) -> float:
        """Push to a list, increment a number or pull from a list; returns what stands there, or how many."""
        return self._portal.run(self._inner.act(mission, act, path, value))

    def send(self, mission: str, send: Send) -> Call:
        """Admit a call of one agent to another, or refuse it by name."""
        return self._portal.run(self._inner.send(mission, send))

    def settle(self, mission: str, message: str, report: Report) -> bool:
        """End a call with what it really used."""
        return self._portal.run(self._inner.settle(mission, message, report))

    def close(self, mission: str, status: Closing = "completed") -> bool:
        """End an active mission; says whether it was still active."""
        return self._portal.run(self._inner.close(mission, status))

    def delete(self, mission: str) -> bool:
        """Remove a mission and everything in it; says whether there was one."""
        return self._portal.run(self._inner.delete(mission))


class SyncConversation:
    """One thread of one user."""

    def __init__(self, portal: Portal, inner: app.Conversation) -> None:
        self._portal = portal
        self._inner = inner

    @property
    def scope(self) -> Scope:
        """Whose conversation it is."""
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
        """What the older part of the conversation came to; None while it is short."""
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
        """What is known of the conversation itself."""
        return self._portal.run(self._inner.about())

    def describe(
        self, *, channel: str | None = None, metadata: Mapping[str, Any] | None = None
    ) -> ConversationRecord:
        """Create the conversation, or change its channel or metadata."""
        return self._portal.run(self._inner.describe(channel=channel, metadata=metadata))

    def context(
        self,
        query: str,
        *,
        budget: int | None = None,
        modality: Modality | None = None,
        situation: Situation | Mapping[str, Any] | None = None,
    ) -> ContextPack:
        """What a model should get for this query, within a budget of tokens; no model takes part."""
        return self._portal.run(self._inner.context(query, budget=budget, modality=modality, situation=situation))

    def reply(self, text: str, *, key: str | None = None, **wishes: Unpack[Wishes]) -> Reply:
        """One turn: what was said is stored, answered from memory, and the answer is stored too.

        `key` makes a retry safe: the same key is the same turn, answered once."""
        return self._portal.run(self._inner.reply(text, key=key, **wishes))

    def stream(self, text: str, *, key: str | None = None, **wishes: Unpack[Wishes]) -> Iterator[Piece]:
        """One turn, piece by piece; the last piece carries the reply. Left early, what was said is stored."""
        return self._portal.iterate(self._inner.stream(text, key=key, **wishes))

    def delete(self) -> Removed:
        """Remove the conversation and all that hangs on it; returns how much that was."""
        return self._portal.run(self._inner.delete())


class SyncUserMemory:
    """All that is remembered of one user of one tenant."""

    def __init__(self, portal: Portal, inner: app.UserMemory) -> None:
        self._portal = portal
        self._inner = inner

    @property
    def scope(self) -> Scope:
        """Whose memory it is."""
        return self._inner.scope

    def conversation(self, id: str, *, channel: str = "chat") -> SyncConversation:
        """One thread of this user; it comes to be with its first message."""
        return SyncConversation(self._portal, self._inner.conversation(id, channel=channel))

    def recall(
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
        return self._portal.run(
            self._inner.recall(
                query,
                limit=limit,
                kinds=kinds,
                min_similarity=min_similarity,
                conversation=conversation,
                exclude_conversation=exclude_conversation,
                category=category,
                since=since,
                until=until,
            )
        )

    def related(self, query: str, *, conversation: str | None = None, budget: int | None = None) -> ContextPack:
        """What is known of this user that bears on the query, with passages of conversations but this one."""
        return self._portal.run(self._inner.related(query, conversation=conversation, budget=budget))

    @property
    def missions(self) -> SyncUserMissions:
        """The missions that work on this user's requests."""
        return SyncUserMissions(self._portal, self._inner.missions)

    def conversations(self, *, limit: int = 20, after: str | None = None) -> Page[ConversationRecord]:
        """This user's conversations, newest first."""
        return self._portal.run(self._inner.conversations(limit=limit, after=after))

    def list_episodes(self, *, conversation: str | None = None, limit: int = 20) -> list[Episode]:
        """This user's episodes, of one conversation or of all, newest first."""
        return self._portal.run(self._inner.list_episodes(conversation=conversation, limit=limit))

    def remember(self, key: str, value: Any, **about: Unpack[About]) -> Outcome:
        """Keep a fact, if the gate lets it; a new value takes the place of the old one."""
        return self._portal.run(self._inner.remember(key, value, **about))

    def judge(self, text: str, *, origin: Origin = Origin.USER_SAID, insists: bool = False) -> AnyVerdict:
        """What the gate says of a message; nothing is written."""
        return self._portal.run(self._inner.judge(text, origin=origin, insists=insists))

    def note(self, text: str, **heard: Unpack[Heard]) -> Outcome:
        """Judge a message and do what it asks: keep, ask, forget, correct, or hold it apart."""
        return self._portal.run(self._inner.note(text, **heard))

    def infer(
        self, text: str, model: Model, *, origin: Origin = Origin.USER_SAID, ref: str | None = None
    ) -> Outcome:
        """Keep what a language model reads in a message, as far as the gate lets it."""
        return self._portal.run(self._inner.infer(text, model, origin=origin, ref=ref))

    def memories(self, *, limit: int = 100, after: str | None = None, **wanted: Unpack[Wanted]) -> Page[Memory]:
        """What is known, by key, page by page; active memories unless another status is asked for."""
        return self._portal.run(self._inner.memories(limit=limit, after=after, **wanted))

    def memory(self, name: str) -> Memory:
        """One memory by its id, or the active one under a key."""
        return self._portal.run(self._inner.memory(name))

    def history(self, memory: str) -> list[AuditEntry]:
        """All that happened to one memory, oldest first."""
        return self._portal.run(self._inner.history(memory))

    def as_of(self, moment: datetime) -> list[Memory]:
        """What was known at a moment."""
        return self._portal.run(self._inner.as_of(moment))

    def correct(self, target: str, value: Any, *, why: str = "corrected") -> Outcome:
        """Put the right value in place of a wrong one, found by id, key, topic, category or words."""
        return self._portal.run(self._inner.correct(target, value, why=why))

    def forget(self, target: str, *, why: str = "") -> Outcome:
        """Delete softly what `target` means, `all` for everything; it can be restored."""
        return self._portal.run(self._inner.forget(target, why=why))

    def suppress(self, target: str, *, why: str = "") -> Outcome:
        """Keep what `target` means, and never mention it."""
        return self._portal.run(self._inner.suppress(target, why=why))

    def restore(self, target: str, *, why: str = "") -> Memory:
        """Let a forgotten, replaced or suppressed memory, by id or key, be known and mentioned again."""
        return self._portal.run(self._inner.restore(target, why=why))

    def proposals(self) -> list[Proposal]:
        """The questions that wait for this user's answer."""
        return self._portal.run(self._inner.proposals())

    def answer(self, proposal: str, reply: str | Answered) -> Outcome:
        """Answer a question: yes, no, the right value, or which one."""
        return self._portal.run(self._inner.answer(proposal, reply))

    def seed_profile(
        self, profile: Profile | Mapping[str, Any] | None = None, *, ref: Ref = "onboarding", **fields: Any
    ) -> list[Outcome]:
        """Write the base profile, under its own names or those of an onboarding form; twice changes nothing."""
        return self._portal.run(self._inner.seed_profile(profile, ref=ref, **fields))

    def mention(self, type: str, key: str, value: Any, **mentioned: Unpack[Mentioned]) -> Entity:
        """Count a mention of something structured: a campaign, a person, a product."""
        return self._portal.run(self._inner.mention(type, key, value, **mentioned))

    def entities(self, *, limit: int = 10, type: str | None = None) -> list[Entity]:
        """What this user mentions most, then most recently."""
        return self._portal.run(self._inner.entities(limit=limit, type=type))

    def erase(self, **what: Unpack[Erasing]) -> Receipt:
        """Remove for good one memory, a topic, a conversation or the whole person; the receipt says how much."""
        return self._portal.run(self._inner.erase(**what))

    def export(self) -> dict[str, Any]:
        """All that is held about this user, as JSON."""
        return self._portal.run(self._inner.export())

    def import_(self, document: Mapping[str, Any]) -> Imported:
        """Take an export in; what is here already is left as it is."""
        return self._portal.run(self._inner.import_(document))


class SyncTenant:
    """What concerns a whole tenant, done by somebody whose name goes on record."""

    def __init__(self, portal: Portal, inner: app.Tenant) -> None:
        self._portal = portal
        self._inner = inner

    @property
    def access(self) -> SyncAccess:
        """Who may come in, and how much is used."""
        return SyncAccess(self._portal, self._inner.access)

    def events(self, *, after: int = 0, limit: int = 100, types: Sequence[str] | None = None) -> list[Event]:
        """The tenant's events after a position, oldest first."""
        return self._portal.run(self._inner.events(after=after, limit=limit, types=types))

    def dead_letters(self, *, limit: int = 100) -> list[Parked]:
        """The tenant's events that a subscriber never took, newest first."""
        return self._portal.run(self._inner.dead_letters(limit=limit))

    def memories(self, user: str, *, reason: str, limit: int = 100, **wanted: Unpack[Wanted]) -> list[Memory]:
        """A person's memory, read under a reason that goes on record."""
        return self._portal.run(self._inner.memories(user, reason=reason, limit=limit, **wanted))

    def quarantined(
        self, *, status: Review | None = "held", limit: int = 100, after: str = ""
    ) -> list[Quarantined]:
        """Text that tried to give orders, oldest first."""
        return self._portal.run(self._inner.quarantined(status=status, limit=limit, after=after))

    def approve(self, quarantined: str, *, key: str | None = None, value: Any = None) -> Memory | None:
        """Let a held text go; under a key it becomes a memory."""
        return self._portal.run(self._inner.approve(quarantined, key=key, value=value))

    def reject(self, quarantined: str, *, why: str = "") -> None:
        """Keep a held text out for good."""
        return self._portal.run(self._inner.reject(quarantined, why=why))

    def audit(self, *, after: int = 0, limit: int = 100) -> list[AuditEntry]:
        """The tenant's chain of changes, oldest first."""
        return self._portal.run(self._inner.audit(after=after, limit=limit))

    def verify_audit(self, *, anchor: str | None = None) -> ChainReport:
        """Check the whole chain; `anchor` is an end noted earlier, which must be in it."""
        return self._portal.run(self._inner.verify_audit(anchor=anchor))

    def verify_receipt(self, receipt: Receipt, *, suspects: Sequence[str] = ()) -> ReceiptReport:
        """Check an erasure's receipt, and look for what it stands for in the store's files."""
        return self._portal.run(self._inner.verify_receipt(receipt, suspects=suspects))


class SyncRememora:
    """The memory of many tenants; open it once per process."""

    def __init__(self, portal: Portal, inner: app.Rememora) -> None:
        self._portal = portal
        self._inner = inner

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
    ) -> SyncRememora:
        """Open a store; close it, or use it as a context: `with SyncRememora.open() as rememora:`."""
        portal = Portal()
        try:
            opening = app.Rememora.open(
                url,
                settings=settings,
                clock=clock,
                embedder=embedder,
                model=model,
                responder=responder,
                counter=counter,
                background=background,
            )
            return cls(portal, portal.run(opening.open()))
        except BaseException:
            portal.close()
            raise

    def __enter__(self) -> SyncRememora:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @staticmethod
    def reembed(
        url: str | None = None,
        *,
        settings: Settings | None = None,
        embedder: Embedder | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> int:
        """Make every vector of a store anew, as after changing the embedder; returns how many."""
        return asyncio.run(app.Rememora.reembed(url=url, settings=settings, embedder=embedder, progress=progress))

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._inner.settings

    @property
    def policy(self) -> Mapping[str, Any]:
        """What may become a memory: the rules that every door goes by, as data."""
        return self._inner.policy

    def render(self, pack: ContextPack, form: Form, *, placement: Placement = "instructions") -> Any:
        """A context as a model gets it: for OpenAI Responses or Chat, Anthropic, LangChain, or as text."""
        return self._inner.render(pack, form, placement=placement)

    def user(self, user: str, *, tenant: str, rights: Rights = USER) -> SyncUserMemory:
        """The only way in: one user of one tenant; `rights` are what they may do beyond their own memory."""
        return SyncUserMemory(self._portal, self._inner.user(user, tenant=tenant, rights=rights))

    def tenant(self, tenant: str, *, acting: str, rights: Rights = ADMIN) -> SyncTenant:
        """What concerns a whole tenant; `acting` is who does it, for the record."""
        return SyncTenant(self._portal, self._inner.tenant(tenant, acting=acting, rights=rights))

    def verify_audit(self, *, acting: str) -> list[ChainReport]:
        """An operator's act: check the chain of every tenant."""
        return self._portal.run(self._inner.verify_audit(acting=acting))

    def operator(self, *, acting: str) -> SyncOperator:
        """What concerns every tenant; `acting` is who does it, for the record."""
        return SyncOperator(self._portal, self._inner.operator(acting=acting))

    def admit(self, credential: str) -> Caller:
        """Who a key or a signed link belongs to; refused when it opens nothing."""
        return self._portal.run(self._inner.admit(credential))

    def once(
        self, scope: Scope, key: str, *, fingerprint: bytes, act: Callable[[], Awaitable[tuple[int, bytes]]]
    ) -> tuple[int, bytes, bool]:
        """Status and body of the one answer to a key, and whether it is given again."""
        return self._portal.run(self._inner.once(scope, key, fingerprint=fingerprint, act=act))

    def subscribe(
        self, name: str, listener: Listener, *, types: Iterable[str] | None = None, from_start: bool = False
    ) -> None:
        """Have `listener` told of every tenant's events; the name remembers across restarts what it has heard."""
        return self._portal.run(self._inner.subscribe(name, listener, types=types, from_start=from_start))

    def index_lag(self) -> int:
        """Items that are found by words only, until they have their vector."""
        return self._portal.run(self._inner.index_lag())

    def settle(self) -> None:
        """Return when all background work is done; what waits for a later retry is left to it."""
        return self._portal.run(self._inner.settle())

    def close(self) -> None:
        """Stop the loops, finish what was submitted, close the store."""
        if self._portal.closed:
            return
        try:
            self._portal.run(self._inner.close())
        finally:
            self._portal.close()
