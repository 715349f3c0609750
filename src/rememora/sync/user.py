"""`UserMemory` without `await`; `make sync` writes this file from `handles/user.py`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Unpack

from rememora.domain.audit import AuditEntry
from rememora.domain.context import Apart, ContextPack
from rememora.domain.entity import Entity, Mentioned
from rememora.domain.episode import Episode
from rememora.domain.hit import Hit, Kind
from rememora.domain.memory import About, Attempt, Memory, Outcome, Proposal, Wanted
from rememora.domain.message import ConversationRecord, Message, NewMessage, Page
from rememora.domain.profile import Profile
from rememora.domain.receipt import Erasing, Receipt
from rememora.domain.scope import Scope
from rememora.domain.task import Narrowed, Task
from rememora.domain.verdict import AnyVerdict, Origin
from rememora.handles import user
from rememora.knowledge.export import Imported
from rememora.knowledge.note import Heard
from rememora.knowledge.profile import Ref, Seeded
from rememora.knowledge.propose import Reply as Answered
from rememora.portal import Portal
from rememora.ports.outside import Model
from rememora.sync.conversation import SyncConversation
from rememora.sync.documents import SyncUserDocuments
from rememora.sync.missions import SyncUserMissions
from rememora.turn import Wishes


class SyncUserMemory:
    """All that is remembered of one user of one tenant."""

    def __init__(self, portal: Portal, inner: user.UserMemory) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    @property
    def scope(self) -> Scope:
        """Whose memory it is."""
        return self._inner.scope

    @property
    def missions(self) -> SyncUserMissions:
        """Working memory of a team of agents, for requests of this user."""
        return SyncUserMissions(self._portal, self._inner.missions)

    def documents(self, space: str) -> SyncUserDocuments:
        """Documents of one kind that a framework keeps beside this user's memory."""
        return SyncUserDocuments(self._portal, self._inner.documents(space))

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

    def nearest(self, query: str, *, limit: int = 10) -> list[Hit]:
        """Items by the likeness of their vectors alone, as plain vector search orders them: to compare with."""
        return self._portal.run(self._inner.nearest(query, limit=limit))

    def related(self, query: str, *, conversation: str | None = None, budget: int | None = None) -> ContextPack:
        """What is known of this user that bears on the query, with passages of conversations but this one."""
        return self._portal.run(self._inner.related(query, conversation=conversation, budget=budget))

    def reply_apart(
        self, text: str, *, said: Sequence[NewMessage | Mapping[str, Any]] = (), **wishes: Unpack[Wishes]
    ) -> Apart:
        """Answer from what is remembered, and store neither question nor answer.

        `said` are the turns of this talk so far, oldest first: the caller alone holds them."""
        return self._portal.run(self._inner.reply_apart(text, said=said, **wishes))

    def conversations(self, *, limit: int = 20, after: str | None = None) -> Page[ConversationRecord]:
        """This user's conversations, newest first."""
        return self._portal.run(self._inner.conversations(limit=limit, after=after))

    def list_episodes(self, *, conversation: str | None = None, limit: int = 20) -> list[Episode]:
        """This user's episodes, of one conversation or of all, newest first."""
        return self._portal.run(self._inner.list_episodes(conversation=conversation, limit=limit))

    def remember(self, key: str, value: Any, **about: Unpack[About]) -> Outcome:
        """Keep a fact, if the gate lets it; a new value takes the place of the old one.

        `source="admin_system"` is the operator's own word (`origin`), unless another origin is named."""
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
        """All that happened to one memory, or to all that stood under a key, oldest first."""
        return self._portal.run(self._inner.history(memory))

    def sources(self, memory: str) -> list[Message]:
        """Messages that a memory was learned from and answers that told it, oldest first."""
        return self._portal.run(self._inner.sources(memory))

    def attempts(self, *, limit: int = 100) -> list[Attempt]:
        """Tries at keeping something, newest first, with what the gate said of each."""
        return self._portal.run(self._inner.attempts(limit=limit))

    def acts(self, *, limit: int = 100, before: int | None = None) -> list[AuditEntry]:
        """List the acts on this user's memory, newest first, from before a position of the chain."""
        return self._portal.run(self._inner.acts(limit=limit, before=before))

    def as_of(self, moment: datetime) -> list[Memory]:
        """What was known at a moment."""
        return self._portal.run(self._inner.as_of(moment))

    def correct(
        self, target: str, value: Any, *, why: str = "corrected", seen: Collection[str] | None = None
    ) -> Outcome:
        """Put the right value in place of a wrong one, found by id, key, topic, category or words.

        `seen` are the editions (`edition_of`) that the one memory may stand in; otherwise `ChangedMeanwhile`."""
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

    def mention(self, type: str, key: str, value: Any, **mentioned: Unpack[Mentioned]) -> Entity:
        """Count a mention of something structured: a campaign, a person, a product."""
        return self._portal.run(self._inner.mention(type, key, value, **mentioned))

    def entities(self, *, limit: int = 10, type: str | None = None) -> list[Entity]:
        """What this user mentions most, then most recently."""
        return self._portal.run(self._inner.entities(limit=limit, type=type))

    def forget_entity(self, entity: str) -> Entity:
        """Let one mentioned thing be known no longer, by its key or id; a mention after that begins anew."""
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

    def tasks(self, *, limit: int = 50, after: str | None = None, **wanted: Unpack[Narrowed]) -> Page[Task]:
        """What this user handed to modules, newest first, narrowed by status or module."""
        return self._portal.run(self._inner.tasks(limit=limit, after=after, **wanted))

    def task(self, id: str) -> Task:
        """How one piece of work stands."""
        return self._portal.run(self._inner.task(id))

    def cancel(self, task: str) -> Task:
        """Take work back; what has ended already stays as it ended."""
        return self._portal.run(self._inner.cancel(task))

    def erase(self, **what: Unpack[Erasing]) -> Receipt:
        """Remove for good one memory, a topic, a conversation or the whole person; the receipt says how much."""
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
        """Take in a sentence that another product remembers, known there as `ref` since `at`.

        It passes the gate and replaces nothing; one that came in before has no verdict and changes nothing.
        With `whole` none is lost: what the gate would ask about or refuse is kept as it stands under
        `user.imported…`, sensitive data in silence (`suppressed`), and what gives orders is held apart."""
        return self._portal.run(self._inner.import_note(text, ref=ref, at=at, whole=whole))
