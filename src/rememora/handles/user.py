"""All that is remembered of one user of one tenant."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Unpack

from rememora import turn
from rememora.context.layers import ACROSS
from rememora.context.pack import build
from rememora.context.two_readings import TwoReadings, read_both
from rememora.domain.audit import AuditEntry
from rememora.domain.context import ContextPack, UnstoredReply
from rememora.domain.entity import Entity, Mention, MentionOptions
from rememora.domain.episode import Episode
from rememora.domain.explanation import Explanation
from rememora.domain.hit import Hit, Kind, SearchRequest
from rememora.domain.memory import (
    Attempt,
    DraftOptions,
    Memory,
    MemoryDraft,
    MemoryFilter,
    MemoryFilterOptions,
    Outcome,
    Proposal,
    TimelineValue,
)
from rememora.domain.message import (
    ConversationRecord,
    Message,
    NewMessage,
    Page,
)
from rememora.domain.profile import Profile
from rememora.domain.receipt import Erasure, ErasureArguments, Receipt
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.domain.task import Task, TaskFilter, TaskFilterOptions, TaskOrder
from rememora.domain.verdict import AnyVerdict, Origin
from rememora.errors import UsageError
from rememora.events import tasks
from rememora.handles.conversation import Conversation
from rememora.handles.documents import UserDocuments
from rememora.handles.missions import UserMissions
from rememora.history import episodes, record
from rememora.knowledge import (
    audit,
    control,
    entities,
    evolve,
    explain,
    export,
    imported_notes,
    keep,
    note,
    propose,
    timeline,
    trace,
)
from rememora.knowledge import profile as seed
from rememora.knowledge.export import Imported
from rememora.knowledge.note import MessageOptions
from rememora.knowledge.profile import Ref, Seeded
from rememora.knowledge.propose import Reply as Answered
from rememora.ports.outside import Model
from rememora.telemetry import CHAT, DELETE, GATE, SEARCH, UPDATE, UPSERT, spanned
from rememora.turn import ReplyOptions
from rememora.wiring import Parts

NEAREST = 100
"""Hits among which the nearest are looked for."""


class UserMemory:
    """All that is remembered of one user of one tenant."""

    def __init__(self, parts: Parts, scope: Scope, *, actor: Actor) -> None:
        self._parts = parts
        self._desk = parts.desk
        self._scope = scope
        self._actor = actor

    def __repr__(self) -> str:
        return f"UserMemory(user={self._scope.user!r}, tenant={self._scope.tenant!r})"

    @property
    def scope(self) -> Scope:
        """Scope of the user."""
        return self._scope

    @property
    def missions(self) -> UserMissions:
        """Working memory of a team of agents, for requests of this user."""
        return UserMissions(self._parts, self._scope, self._actor)

    def documents(self, space: str) -> UserDocuments:
        """Return the documents of one kind that a framework keeps for this user."""
        return UserDocuments(self._parts, self._scope, space, actor=self._actor)

    def conversation(self, id: str, *, channel: str = "chat") -> Conversation:
        """Return one conversation of this user; it is created by its first message."""
        scope = self._scope.within(id)
        return Conversation(self._parts, scope, channel=channel, rights=self._actor.rights, reader=self._actor)

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
        """Search this user's memory, best hit first, each with its reasons."""
        wanted = self._parts.settings.recall
        search = SearchRequest(
            query=query,
            limit=wanted.hits if limit is None else limit,
            kinds=None if kinds is None else frozenset(kinds),
            min_similarity=wanted.min_similarity if min_similarity is None else min_similarity,
            floor=wanted.floor,
            conversation=conversation,
            exclude_conversation=exclude_conversation,
            category=category,
            since=since,
            until=until,
        )
        await self._look()
        await self._parts.tally.take(self._scope, "searches")
        begun = time.perf_counter()
        hits = await self._parts.searcher().recall(self._scope, search)
        self._parts.trends.observe(self._scope, "recall", time.perf_counter() - begun)
        return hits

    async def nearest(self, query: str, *, limit: int = 10) -> list[Hit]:
        """Items by the likeness of their vectors alone, as plain vector search orders them: to compare with."""
        await self._look()
        await self._parts.tally.take(self._scope, "searches")
        found = await self._parts.searcher().nearest(self._scope, query, limit=limit)
        if found is not None:
            return found
        search = SearchRequest(query=query, limit=NEAREST, min_similarity=0.0, floor=0.0)
        hits = await self._parts.searcher().recall(self._scope, search)
        return sorted(hits, key=lambda hit: -hit.similarity)[:limit]

    async def related(
        self, query: str, *, conversation: str | None = None, budget: int | None = None
    ) -> ContextPack:
        """Find memories related to the query, with passages from other conversations."""
        await self._look()
        turns = self._parts.turns
        scope = self._scope if conversation is None else self._scope.within(conversation)
        wanted = turns.wanted(query, budget=budget, layers=ACROSS)
        return await build(turns.gatherer, scope, wanted, now=self._parts.clock())

    @spanned(CHAT, text="text")
    async def reply_apart(
        self, text: str, *, said: Sequence[NewMessage | Mapping[str, Any]] = (), **wishes: Unpack[ReplyOptions]
    ) -> UnstoredReply:
        """Answer from what is remembered, and store neither question nor answer.

        `said` are the turns of this talk so far, oldest first: the caller alone holds them.
        """
        await self._look()
        await self._parts.tally.take(self._scope, "tokens", 0)
        asked = turn.turn_of(text, actor=self._actor, key=None, channel="chat", modality="chat", wishes=wishes)
        earlier = [NewMessage.of(each) for each in said]
        return await turn.reply_unstored(self._parts.turns, self._scope, asked, earlier)

    async def conversations(self, *, limit: int = 20, after: str | None = None) -> Page[ConversationRecord]:
        """This user's conversations, newest first."""
        await self._look()
        return await record.conversations(self._parts.store, self._scope, limit=limit, after=after)

    async def list_episodes(self, *, conversation: str | None = None, limit: int = 20) -> list[Episode]:
        """This user's episodes, of one conversation or of all, newest first."""
        await self._look()
        scope = self._scope if conversation is None else self._scope.within(conversation)
        return await episodes.list_episodes(self._parts.store, scope, limit=limit)

    @spanned(UPSERT)
    async def remember(self, key: str, value: Any, **about: Unpack[DraftOptions]) -> Outcome:
        """Keep a fact, if the gate lets it; a new value takes the place of the old one.

        `source="admin_system"` is the operator's own word (`origin`), unless another origin is named.
        """
        if about.get("source") == "admin_system":
            about.setdefault("origin", Origin.OPERATOR)
        return await keep.remember(
            self._desk, self._scope, MemoryDraft(key=key, value=value, **about), actor=self._actor
        )

    @spanned(GATE, text="text")
    async def judge(self, text: str, *, origin: Origin = Origin.USER_SAID, insists: bool = False) -> AnyVerdict:
        """Judge a message with the gate; nothing is written."""
        return await note.judge_apart(self._desk, text, origin=origin, insists=insists)

    @spanned(GATE, text="text")
    async def read(self, text: str, *, model: bool = False) -> TwoReadings:
        """Read a text without the model and, with `model`, with the configured one too; nothing is written."""
        reader = self._parts.reader
        if model and reader is None:
            raise UsageError("no language model is configured: `model.provider` names one")
        return await read_both(self._desk, self._scope, text, reader=reader if model else None)

    @spanned(GATE, text="text")
    async def note(self, text: str, **heard: Unpack[MessageOptions]) -> Outcome:
        """Judge a message and do what it asks: keep, ask, forget, correct, or hold it apart."""
        return await note.note_or_point(self._desk, self._scope, text, actor=self._actor, **heard)

    async def infer(
        self, text: str, model: Model, *, origin: Origin = Origin.USER_SAID, ref: str | None = None
    ) -> Outcome:
        """Keep what a language model reads in a message, as far as the gate lets it."""
        return await note.infer(self._desk, self._scope, text, model, actor=self._actor, origin=origin, ref=ref)

    async def memories(
        self, *, limit: int = 100, after: str | None = None, **wanted: Unpack[MemoryFilterOptions]
    ) -> Page[Memory]:
        """List memories by key, page by page; active ones unless another status is asked for."""
        narrowed = MemoryFilter(**wanted)
        await self._look()
        return await keep.memories(self._parts.store, self._scope, narrowed, limit=limit, after=after)

    async def memory(self, name: str) -> Memory:
        """One memory by its id, or the active one under a key."""
        await self._look()
        return await keep.memory(self._parts.store, self._scope, name)

    async def history(self, memory: str) -> list[AuditEntry]:
        """All that happened to one memory, or to all that stood under a key, oldest first."""
        await self._look()
        return await audit.history(self._parts.store, self._scope, memory)

    async def timeline(self, memory: str, attribute: str | None = None) -> list[TimelineValue]:
        """Every value that a memory, by id or key, has had, oldest first; or an `attribute` of a subject."""
        await self._look()
        if attribute is not None:
            return await timeline.timeline_of(self._parts.store, self._scope, memory, attribute)
        return await timeline.timeline(self._parts.store, self._scope, memory)

    async def explain(self, memory: str) -> Explanation:
        """Explain a memory, by id or key: its timeline, what it rests on, what rests on it, and its history."""
        await self._look()
        return await explain.explain(self._parts.store, self._scope, memory)

    async def dependents(self, memory: str) -> list[Memory]:
        """The active memories that a rule made, that a change put in doubt, or that changed a part of this one."""
        await self._look()
        return await timeline.dependents(self._parts.store, self._scope, memory)

    async def confirm(self, memory: str) -> Memory:
        """Say that a memory in doubt, by id or key, still holds."""
        await self._look()
        return await evolve.confirm(self._desk, self._scope, memory, actor=self._actor)

    async def sources(self, memory: str) -> list[Message]:
        """List the messages that a memory was learned from and the answers that stated it, oldest first."""
        await self._look()
        return await trace.sources(self._parts.store, self._scope, memory)

    async def attempts(self, *, limit: int = 100) -> list[Attempt]:
        """Tries at keeping something, newest first, with what the gate said of each."""
        await self._look()
        return await trace.attempts(self._parts.store, self._scope, limit=limit)

    async def acts(self, *, limit: int = 100, before: int | None = None) -> list[AuditEntry]:
        """List the acts on this user's memory, newest first, from before a position of the chain."""
        await self._look()
        return await trace.acts(self._parts.store, self._scope, before=before, limit=limit)

    async def as_of(self, moment: datetime) -> list[Memory]:
        """List the memories that were active at a moment."""
        await self._look()
        return await keep.as_of(self._parts.store, self._scope, moment)

    @spanned(UPDATE)
    async def correct(
        self, target: str, value: Any, *, why: str = "corrected", seen: Collection[str] | None = None
    ) -> Outcome:
        """Replace a wrong value with the right one, found by id, key, topic, category or words.

        `seen` are the editions (`edition_of`) that the one memory may be in; otherwise `ChangedMeanwhile`.
        """
        return await control.correct(self._desk, self._scope, target, value, actor=self._actor, why=why, seen=seen)

    @spanned(DELETE)
    async def forget(self, target: str, *, why: str = "", seen: Collection[str] | None = None) -> Outcome:
        """Delete softly what `target` means, `all` for everything; it can be restored."""
        return await control.forget(self._desk, self._scope, target, actor=self._actor, why=why, seen=seen)

    async def suppress(self, target: str, *, why: str = "", seen: Collection[str] | None = None) -> Outcome:
        """Keep what `target` means, and never mention it."""
        return await control.suppress(self._desk, self._scope, target, actor=self._actor, why=why, seen=seen)

    async def restore(self, target: str, *, why: str = "", seen: Collection[str] | None = None) -> Memory:
        """Let a forgotten, replaced or suppressed memory, by id or key, be known and mentioned again."""
        await self._look()
        return await control.restore(self._desk, self._scope, target, actor=self._actor, why=why, seen=seen)

    async def proposals(self) -> list[Proposal]:
        """The questions that wait for this user's answer."""
        await self._look()
        return await propose.proposals(self._desk, self._scope, actor=self._actor)

    async def answer(self, proposal: str, reply: str | Answered) -> Outcome:
        """Answer a question: yes, no, the right value, or which one."""
        await self._look()
        return await propose.answer(self._desk, self._scope, proposal, reply, actor=self._actor)

    async def seed_profile(
        self, profile: Profile | Mapping[str, Any] | None = None, *, ref: Ref = "onboarding", **fields: Any
    ) -> Seeded:
        """Write the base profile, under its own names or those of an onboarding form; twice changes nothing.

        What the company shares changes only with the right `write_shared`; without it a field that nobody has
        filled is filled, and every other one is in `left`, with the reason.
        """
        known = {**fields} if profile is None else profile
        return await seed.seed(self._desk, self._scope, known, actor=self._actor, ref=ref)

    async def mention(self, type: str, key: str, value: Any, **mentioned: Unpack[MentionOptions]) -> Entity:
        """Count a mention of something structured: a campaign, a person, a product."""
        named = Mention(type=type, key=key, value=value, **mentioned)
        store, clock, settings = self._parts.store, self._parts.clock, self._parts.settings.entities
        return await entities.mention(store, self._scope, named, clock=clock, settings=settings)

    async def entities(self, *, limit: int = 10, type: str | None = None) -> list[Entity]:
        """List the entities this user mentions most, then most recently."""
        await self._look()
        return await entities.entities(self._parts.store, self._scope, limit=limit, type=type)

    async def forget_entity(self, entity: str) -> Entity:
        """Forget one mentioned entity, by its key or id; a later mention starts a new count."""
        return await entities.forget_entity(self._parts.store, self._scope, entity)

    async def restore_entity(self, entity: str) -> Entity:
        """Let one forgotten thing be known again, with its count, by its key or id."""
        await self._look()
        cap = self._parts.settings.entities.max_per_user
        return await entities.restore_entity(self._parts.store, self._scope, entity, cap=cap)

    async def restore_entities(self) -> list[Entity]:
        """Let the mentions that were forgotten with everything else be known again, with their counts."""
        await self._look()
        cap = self._parts.settings.entities.max_per_user
        return await entities.restore_entities(self._parts.store, self._scope, cap=cap)

    async def delegate(
        self,
        module: str,
        kind: str,
        payload: Mapping[str, Any],
        *,
        correlation: str | None = None,
        key: str | None = None,
        conversation: str | None = None,
    ) -> Task:
        """Hand work to a module; under a `key` it is done once, however often it is asked for."""
        scope = self._scope if conversation is None else self._scope.within(conversation)
        order = TaskOrder(module=module, kind=kind, payload=payload, correlation=correlation, key=key)
        store, clock = self._parts.store, self._parts.clock
        return await tasks.delegate(store, scope, order, modules=self._parts.modules, clock=clock)

    async def tasks(
        self, *, limit: int = 50, after: str | None = None, **wanted: Unpack[TaskFilterOptions]
    ) -> Page[Task]:
        """List this user's tasks, newest first, filtered by status or module."""
        await self._look()
        return await tasks.page(self._parts.store, self._scope, TaskFilter(**wanted), limit=limit, after=after)

    async def task(self, id: str) -> Task:
        """Return one task."""
        await self._look()
        return await tasks.get(self._parts.store, self._scope, id)

    async def cancel(self, task: str) -> Task:
        """Take work back; what has ended already stays as it ended."""
        return await tasks.cancel(self._parts.store, self._scope, task, clock=self._parts.clock)

    @spanned(DELETE)
    async def erase(self, **what: Unpack[ErasureArguments]) -> Receipt:
        """Erase permanently one memory, a topic, a conversation or the whole person, and return the receipt."""
        return await self._parts.eraser.erase(self._scope, Erasure(**what), actor=self._actor)

    async def note_access(self) -> None:
        """Put on record that somebody else looks through this person's memory, for the handle's `reason`."""
        await self._look()

    async def _look(self) -> None:
        """Refuse a reader without right or reason, and put on record whoever reads another person's memory."""
        await keep.look(self._desk, self._scope, actor=self._actor)

    async def export(self) -> dict[str, Any]:
        """All that is held about this user, as JSON."""
        await self._look()
        return await export.export(self._parts.store, self._scope, at=self._parts.clock())

    async def import_(self, document: Mapping[str, Any]) -> Imported:
        """Take an export in; what is here already is left as it is."""
        taken = await export.load(self._desk, self._scope, document, actor=self._actor)
        if (windows := self._parts.windows) is not None:
            await windows.drop(self._scope)
        return taken

    @spanned(GATE, text="text")
    async def import_note(
        self, text: str, *, ref: str, at: datetime | None = None, whole: bool = False
    ) -> Outcome:
        """Import a sentence that another product remembers, known there as `ref` since `at`.

        It passes the gate and replaces nothing; one that was imported before has no verdict and changes nothing.
        With `whole` none is lost: text that the gate would ask about or refuse is kept unchanged under
        `user.imported…`, sensitive data hidden (`suppressed`), and text that gives orders is quarantined.
        """
        told = imported_notes.ImportedSentence(text=text, ref=ref, at=at, whole=whole)
        return await imported_notes.bring(self._desk, self._scope, told, actor=self._actor)
