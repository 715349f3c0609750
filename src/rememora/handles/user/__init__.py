"""Everything remembered about one user: six daily verbs, and a noun for each kind of thing that is kept."""

from __future__ import annotations

import time
from collections.abc import Collection
from datetime import datetime
from typing import Any, Unpack

from rememora.context.layers import ACROSS
from rememora.context.pack import build
from rememora.domain.context import ContextPack
from rememora.domain.hit import Hit, Kind, SearchRequest
from rememora.domain.memory import DraftOptions, MemoryDraft, Outcome
from rememora.domain.receipt import Erasure, ErasureArguments, Receipt
from rememora.domain.scope import Scope
from rememora.domain.verdict import Origin
from rememora.handles.conversation import Conversation
from rememora.handles.deprecated import OldUserVerbs
from rememora.handles.documents import UserDocuments
from rememora.handles.missions import UserMissions
from rememora.handles.user.archive import UserArchive
from rememora.handles.user.audit import UserAudit
from rememora.handles.user.conversations import UserConversations
from rememora.handles.user.entities import UserEntities
from rememora.handles.user.gate import UserGate
from rememora.handles.user.memories import UserMemories
from rememora.handles.user.noun import UserNoun
from rememora.handles.user.profile import UserProfile
from rememora.handles.user.proposals import UserProposals
from rememora.handles.user.tasks import UserTasks
from rememora.knowledge import keep
from rememora.telemetry import DELETE, SEARCH, UPSERT, spanned


class UserMemory(OldUserVerbs, UserNoun):
    """Everything remembered about one user of one tenant.

    Six verbs are for every day: `conversation`, `recall`, `context`, `remember`, `forget` and `erase`. They cover
    the path of a message through an agent (a conversation to write to, a search, the context of a prompt) and what
    people ask of their memory. Everything else is a verb of a noun, such as `memories.explain`.
    """

    @property
    def scope(self) -> Scope:
        """Scope of the user."""
        return self._scope

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
        settings = self._parts.settings.recall
        search = SearchRequest(
            query=query,
            limit=settings.hits if limit is None else limit,
            kinds=None if kinds is None else frozenset(kinds),
            min_similarity=settings.min_similarity if min_similarity is None else min_similarity,
            floor=settings.floor,
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

    async def context(
        self, query: str, *, conversation: str | None = None, budget: int | None = None
    ) -> ContextPack:
        """Build the context of a query from knowledge and other conversations; no model is called.

        `Conversation.context` also includes its own conversation.
        """
        await self._look()
        turns = self._parts.turns
        scope = self._scope if conversation is None else self._scope.within(conversation)
        options = turns.pack_options(query, budget=budget, layers=ACROSS)
        return await build(turns.gatherer, scope, options, now=self._parts.clock())

    @spanned(UPSERT)
    async def remember(self, key: str, value: Any, **about: Unpack[DraftOptions]) -> Outcome:
        """Save a fact, if the gate allows it; a new value replaces the old one.

        `source="admin_system"` marks the operator's own statement (`origin`), unless another origin is given.
        """
        if about.get("source") == "admin_system":
            about.setdefault("origin", Origin.OPERATOR)
        return await keep.remember(
            self._parts.desk, self._scope, MemoryDraft(key=key, value=value, **about), actor=self._actor
        )

    async def forget(self, target: str, *, why: str = "", seen: Collection[str] | None = None) -> Outcome:
        """Forget what `target` refers to, `all` for everything; `memories.restore` brings it back."""
        return await self.memories.forget(target, why=why, seen=seen)

    @spanned(DELETE)
    async def erase(self, **what: Unpack[ErasureArguments]) -> Receipt:
        """Erase permanently one memory, a topic, a conversation or the whole person, and return the receipt."""
        return await self._parts.eraser.erase(self._scope, Erasure(**what), actor=self._actor)

    @property
    def memories(self) -> UserMemories:
        """Memories, by id or key: list, get, correct, suppress, restore, explain, timeline, history …"""
        return UserMemories(self._parts, self._scope, actor=self._actor)

    @property
    def entities(self) -> UserEntities:
        """Entities that this user mentions: list, mention, forget, restore."""
        return UserEntities(self._parts, self._scope, actor=self._actor)

    @property
    def tasks(self) -> UserTasks:
        """Work handed to modules: list, get, delegate, cancel."""
        return UserTasks(self._parts, self._scope, actor=self._actor)

    @property
    def conversations(self) -> UserConversations:
        """All conversations: list, episodes, an answer that is not stored."""
        return UserConversations(self._parts, self._scope, actor=self._actor)

    @property
    def proposals(self) -> UserProposals:
        """Questions that wait for this user's answer: list, answer."""
        return UserProposals(self._parts, self._scope, actor=self._actor)

    @property
    def profile(self) -> UserProfile:
        """Base profile, as filled in by an onboarding form: seed."""
        return UserProfile(self._parts, self._scope, actor=self._actor)

    @property
    def gate(self) -> UserGate:
        """The gate: note a message, judge or read it without writing, list attempts."""
        return UserGate(self._parts, self._scope, actor=self._actor)

    @property
    def audit(self) -> UserAudit:
        """Changes of this user's memory, and accesses by others: list, note_access."""
        return UserAudit(self._parts, self._scope, actor=self._actor)

    @property
    def archive(self) -> UserArchive:
        """The whole archive: export, load, load_note, agents."""
        return UserArchive(self._parts, self._scope, actor=self._actor)

    @property
    def missions(self) -> UserMissions:
        """Working memory of a team of agents, for requests of this user."""
        return UserMissions(self._parts, self._scope, self._actor)

    def documents(self, space: str) -> UserDocuments:
        """Return the documents of one kind that a framework keeps for this user."""
        return UserDocuments(self._parts, self._scope, space, actor=self._actor)
