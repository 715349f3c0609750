"""`UserMemory` without `await`; `make sync` writes this file from `handles/user.py`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Unpack

from rememora.context.two_readings import TwoReadings
from rememora.domain.audit import AuditEntry
from rememora.domain.context import ContextPack, UnstoredReply
from rememora.domain.entity import Entity, MentionOptions
from rememora.domain.episode import Episode
from rememora.domain.explanation import Explanation
from rememora.domain.hit import Hit, Kind
from rememora.domain.memory import (
    Attempt,
    DraftOptions,
    Memory,
    MemoryFilterOptions,
    Outcome,
    Proposal,
    TimelineValue,
)
from rememora.domain.message import ConversationRecord, Message, NewMessage, Page
from rememora.domain.profile import Profile
from rememora.domain.receipt import ErasureArguments, Receipt
from rememora.domain.scope import Scope
from rememora.domain.task import Task, TaskFilterOptions
from rememora.domain.verdict import AnyVerdict, Origin
from rememora.handles import user
from rememora.knowledge.export import Imported
from rememora.knowledge.note import MessageOptions
from rememora.knowledge.profile import Ref, Seeded
from rememora.knowledge.propose import Reply as Answered
from rememora.portal import Portal
from rememora.ports.outside import Model
from rememora.sync.conversation import SyncConversation
from rememora.sync.documents import SyncUserDocuments
from rememora.sync.missions import SyncUserMissions
from rememora.turn import ReplyOptions


class SyncUserMemory:
    """All that is remembered of one user of one tenant."""

    def __init__(self, portal: Portal, inner: user.UserMemory) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    @property
    def scope(self) -> Scope:
        """Scope of the user."""
        return self._inner.scope

    @property
    def missions(self) -> SyncUserMissions:
        """Working memory of a team of agents, for requests of this user."""
        return SyncUserMissions(self._portal, self._inner.missions)

    def documents(self, space: str) -> SyncUserDocuments:
        """Return the documents of one kind that a framework keeps for this user."""
        return SyncUserDocuments(self._portal, self._inner.documents(space))

    def conversation(self, id: str, *, channel: str = "chat") -> SyncConversation:
        """Return one conversation of this user; it is created by its first message."""
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
        """Search this user's memory, best hit first, each with its reasons."""
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

    def nearest(self, query: str, *, limit: int = 10) -> list[Hit]:
        """Items by the likeness of their vectors alone, as plain vector search orders them: to compare with."""
        return self._portal.run(self._inner.nearest(query, limit=limit))

    def related(self, query: str, *, conversation: str | None = None, budget: int | None = None) -> ContextPack:
        """Find memories related to the query, with passages from other conversations."""
        return self._portal.run(self._inner.related(query, conversation=conversation, budget=budget))

    def reply_apart(
        self, text: str, *, said: Sequence[NewMessage | Mapping[str, Any]] = (), **wishes: Unpack[ReplyOptions]
    ) -> UnstoredReply:
        """Answer from what is remembered, and store neither question nor answer.

        `said` are the turns of this talk so far, oldest first: the caller alone holds them."""
        return self._portal.run(self._inner.reply_apart(text, said=said, **wishes))

    def conversations(self, *, limit: int = 20, after: str | None = None) -> Page[ConversationRecord]:
        """This user's conversations, newest first."""
        return self._portal.run(self._inner.conversations(limit=limit, after=after))

    def list_episodes(self, *, conversation: str | None = None, limit: int = 20) -> list[Episode]:
        """This user's episodes, of one conversation or of all, newest first."""
        return self._portal.run(self._inner.list_episodes(conversation=conversation, limit=limit))

    def remember(self, key: str, value: Any, **about: Unpack[DraftOptions]) -> Outcome:
        """Keep a fact, if the gate lets it; a new value takes the place of the old one.

        `source="admin_system"` is the operator's own word (`origin`), unless another origin is named."""
        return self._portal.run(self._inner.remember(key, value, **about))

    def judge(self, text: str, *, origin: Origin = Origin.USER_SAID, insists: bool = False) -> AnyVerdict:
        """Judge a message with the gate; nothing is written."""
        return self._portal.run(self._inner.judge(text, origin=origin, insists=insists))

    def read(self, text: str, *, model: bool = False) -> TwoReadings:
        """Read a text without the model and, with `model`, with the configured one too; nothing is written."""
        return self._portal.run(self._inner.read(text, model=model))

    def note(self, text: str, **heard: Unpack[MessageOptions]) -> Outcome:
        """Judge a message and do what it asks: keep, ask, forget, correct, or hold it apart."""
        return self._portal.run(self._inner.note(text, **heard))

    def infer(
        self, text: str, model: Model, *, origin: Origin = Origin.USER_SAID, ref: str | None = None
    ) -> Outcome:
        """Keep what a language model reads in a message, as far as the gate lets it."""
        return self._portal.run(self._inner.infer(text, model, origin=origin, ref=ref))

    def memories(
        self, *, limit: int = 100, after: str | None = None, **wanted: Unpack[MemoryFilterOptions]
    ) -> Page[Memory]:
        """List memories by key, page by page; active ones unless another status is asked for."""
        return self._portal.run(self._inner.memories(limit=limit, after=after, **wanted))

    def memory(self, name: str) -> Memory:
        """One memory by its id, or the active one under a key."""
        return self._portal.run(self._inner.memory(name))

    def history(self, memory: str) -> list[AuditEntry]:
        """All that happened to one memory, or to all that stood under a key, oldest first."""
        return self._portal.run(self._inner.history(memory))

    def timeline(self, memory: str, attribute: str | None = None) -> list[TimelineValue]:
        """Every value that a memory, by id or key, has had, oldest first; or an `attribute` of a subject."""
        return self._portal.run(self._inner.timeline(memory, attribute))

    def explain(self, memory: str) -> Explanation:
        """Explain a memory, by id or key: its timeline, what it rests on, what rests on it, and its history."""
        return self._portal.run(self._inner.explain(memory))

    def dependents(self, memory: str) -> list[Memory]:
        """The active memories that a rule made, that a change put in doubt, or that changed a part of this one."""
        return self._portal.run(self._inner.dependents(memory))

    def confirm(self, memory: str) -> Memory:
        """Say that a memory in doubt, by id or key, still holds."""
        return self._portal.run(self._inner.confirm(memory))

    def sources(self, memory: str) -> list[Message]:
        """List the messages that a memory was learned from and the answers that stated it, oldest first."""
        return self._portal.run(self._inner.sources(memory))

    def attempts(self, *, limit: int = 100) -> list[Attempt]:
        """Tries at keeping something, newest first, with what the gate said of each."""
        return self._portal.run(self._inner.attempts(limit=limit))

    def acts(self, *, limit: int = 100, before: int | None = None) -> list[AuditEntry]:
        """List the acts on this user's memory, newest first, from before a position of the chain."""
        return self._portal.run(self._inner.acts(limit=limit, before=before))

    def as_of(self, moment: datetime) -> list[Memory]:
        """List the memories that were active at a moment."""
        return self._portal.run(self._inner.as_of(moment))

    def correct(
        self, target: str, value: Any, *, why: str = "corrected", seen: Collection[str] | None = None
    ) -> Outcome:
        """Replace a wrong value with the right one, found by id, key, topic, category or words.

        `seen` are the editions (`edition_of`) that the one memory may be in; otherwise `ChangedMeanwhile`."""
        return self._portal.run(self._inner.correct(target, value, why=why, seen=seen))

    def forget(self, target: str, *, why: str = "", seen: Collection[str] | None = None) -> Outcome:
        """Delete softly what `target` means, `all` for everything; it can be restored."""
        return self._portal.run(self._inner.forget(target, why=why, seen=seen))

    def suppress(self, target: str, *, why: str = "", seen: Collection[str] | None = None) -> Outcome:
        """Keep what `target` means, and never mention it."""
        return self._portal.run(self._inner.suppress(target, why=why, seen=seen))

    def restore(self, target: str, *, why: str = "", seen: Collection[str] | None = None) -> Memory:
        """Let a forgotten, replaced or suppressed memory, by id or key, be known and mentioned again."""
        return self._portal.run(self._inner.restore(target, why=why, seen=seen))

    def proposals(self) -> list[Proposal]:
        """The questions that wait for this user's answer."""
        return self._portal.run(self._inner.proposals())

    def answer(self, proposal: str, reply: str | Answered) -> Outcome:
        """Answer a question: yes, no, the right value, or which one."""
        return self._portal.run(self._inner.answer(proposal, reply))

    def seed_profile(
        self, profile: Profile | Mapping[str, Any] | None = None, *, ref: Ref = "onboarding", **fields: Any
    ) -> Seeded:
        """Write the base profile, under its own names or those of an onboarding form; twice changes nothing.

        What the company shares changes only with the right `write_shared`; without it a field that nobody has
        filled is filled, and every other one is in `left`, with the reason."""
        return self._portal.run(self._inner.seed_profile(profile, ref=ref, **fields))

    def mention(self, type: str, key: str, value: Any, **mentioned: Unpack[MentionOptions]) -> Entity:
        """Count a mention of something structured: a campaign, a person, a product."""
        return self._portal.run(self._inner.mention(type, key, value, **mentioned))

    def entities(self, *, limit: int = 10, type: str | None = None) -> list[Entity]:
        """List the entities this user mentions most, then most recently."""
        return self._portal.run(self._inner.entities(limit=limit, type=type))

    def forget_entity(self, entity: str) -> Entity:
        """Forget one mentioned entity, by its key or id; a later mention starts a new count."""
        return self._portal.run(self._inner.forget_entity(entity))

    def restore_entity(self, entity: str) -> Entity:
        """Let one forgotten thing be known again, with its count, by its key or id."""
        return self._portal.run(self._inner.restore_entity(entity))

    def restore_entities(self) -> list[Entity]:
        """Let the mentions that were forgotten with everything else be known again, with their counts."""
        return self._portal.run(self._inner.restore_entities())

    def delegate(
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
        return self._portal.run(
            self._inner.delegate(
                module, kind, payload, correlation=correlation, key=key, conversation=conversation
            )
        )

    def tasks(
        self, *, limit: int = 50, after: str | None = None, **wanted: Unpack[TaskFilterOptions]
    ) -> Page[Task]:
        """List this user's tasks, newest first, filtered by status or module."""
        return self._portal.run(self._inner.tasks(limit=limit, after=after, **wanted))

    def task(self, id: str) -> Task:
        """Return one task."""
        return self._portal.run(self._inner.task(id))

    def cancel(self, task: str) -> Task:
        """Take work back; what has ended already stays as it ended."""
        return self._portal.run(self._inner.cancel(task))

    def erase(self, **what: Unpack[ErasureArguments]) -> Receipt:
        """Erase permanently one memory, a topic, a conversation or the whole person, and return the receipt."""
        return self._portal.run(self._inner.erase(**what))

    def note_access(self) -> None:
        """Put on record that somebody else looks through this person's memory, for the handle's `reason`."""
        return self._portal.run(self._inner.note_access())

    def export(self) -> dict[str, Any]:
        """All that is held about this user, as JSON."""
        return self._portal.run(self._inner.export())

    def import_(self, document: Mapping[str, Any]) -> Imported:
        """Take an export in; what is here already is left as it is."""
        return self._portal.run(self._inner.import_(document))

    def import_note(self, text: str, *, ref: str, at: datetime | None = None, whole: bool = False) -> Outcome:
        """Import a sentence that another product remembers, known there as `ref` since `at`.

        It passes the gate and replaces nothing; one that was imported before has no verdict and changes nothing.
        With `whole` none is lost: text that the gate would ask about or refuse is kept unchanged under
        `user.imported…`, sensitive data hidden (`suppressed`), and text that gives orders is quarantined."""
        return self._portal.run(self._inner.import_note(text, ref=ref, at=at, whole=whole))
