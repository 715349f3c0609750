"""`UserMemory` without `await`; `make sync` writes this file from `handles/user/__init__.py`."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any, Unpack

from rememora.domain.context import ContextPack
from rememora.domain.hit import Hit, Kind
from rememora.domain.memory import DraftOptions, Outcome
from rememora.domain.receipt import ErasureArguments, Receipt
from rememora.domain.scope import Scope
from rememora.handles import user as wrapped
from rememora.handles.deprecated import OldUserVerbs
from rememora.portal import Portal
from rememora.sync.conversation import SyncConversation
from rememora.sync.documents import SyncUserDocuments
from rememora.sync.missions import SyncUserMissions
from rememora.sync.user.archive import SyncUserArchive
from rememora.sync.user.audit import SyncUserAudit
from rememora.sync.user.conversations import SyncUserConversations
from rememora.sync.user.entities import SyncUserEntities
from rememora.sync.user.gate import SyncUserGate
from rememora.sync.user.memories import SyncUserMemories
from rememora.sync.user.profile import SyncUserProfile
from rememora.sync.user.proposals import SyncUserProposals
from rememora.sync.user.tasks import SyncUserTasks


class SyncUserMemory(OldUserVerbs):
    """All that is remembered of one user of one tenant.

    Six verbs are for every day: `conversation`, `recall`, `context`, `remember`, `forget` and `erase`. They are
    the way of one message through an agent (a thread to write into, a search, a prompt's context) and the wishes
    that people have about their memory. Everything else is a verb of a noun, such as `memories.explain`.
    """

    def __init__(self, portal: Portal, inner: wrapped.UserMemory) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    @property
    def scope(self) -> Scope:
        """Scope of the user."""
        return self._inner.scope

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

    def context(self, query: str, *, conversation: str | None = None, budget: int | None = None) -> ContextPack:
        """Build the context of a query from what is known and what other conversations said; no model is called.

        `Conversation.context` adds what its own conversation says."""
        return self._portal.run(self._inner.context(query, conversation=conversation, budget=budget))

    def remember(self, key: str, value: Any, **about: Unpack[DraftOptions]) -> Outcome:
        """Keep a fact, if the gate lets it; a new value takes the place of the old one.

        `source="admin_system"` is the operator's own word (`origin`), unless another origin is named."""
        return self._portal.run(self._inner.remember(key, value, **about))

    def forget(self, target: str, *, why: str = "", seen: Collection[str] | None = None) -> Outcome:
        """Delete softly what `target` means, `all` for everything; it can be restored (`memories.restore`)."""
        return self._portal.run(self._inner.forget(target, why=why, seen=seen))

    def erase(self, **what: Unpack[ErasureArguments]) -> Receipt:
        """Erase permanently one memory, a topic, a conversation or the whole person, and return the receipt."""
        return self._portal.run(self._inner.erase(**what))

    @property
    def memories(self) -> SyncUserMemories:
        """Memories, by id or key: list, get, correct, suppress, restore, explain, timeline, history …"""
        return SyncUserMemories(self._portal, self._inner.memories)

    @property
    def entities(self) -> SyncUserEntities:
        """Entities that this user mentions: list, mention, forget, restore."""
        return SyncUserEntities(self._portal, self._inner.entities)

    @property
    def tasks(self) -> SyncUserTasks:
        """Work handed to modules: list, get, delegate, cancel."""
        return SyncUserTasks(self._portal, self._inner.tasks)

    @property
    def conversations(self) -> SyncUserConversations:
        """All conversations: list, episodes, an answer that is stored nowhere."""
        return SyncUserConversations(self._portal, self._inner.conversations)

    @property
    def proposals(self) -> SyncUserProposals:
        """Questions that wait for this user's answer: list, answer."""
        return SyncUserProposals(self._portal, self._inner.proposals)

    @property
    def profile(self) -> SyncUserProfile:
        """Base profile, as an onboarding form fills it: seed."""
        return SyncUserProfile(self._portal, self._inner.profile)

    @property
    def gate(self) -> SyncUserGate:
        """The gate: note a message, judge or read it without writing, attempts so far."""
        return SyncUserGate(self._portal, self._inner.gate)

    @property
    def audit(self) -> SyncUserAudit:
        """Acts on this user's memory, and looks of others: list, note_access."""
        return SyncUserAudit(self._portal, self._inner.audit)

    @property
    def archive(self) -> SyncUserArchive:
        """All that is held: export, load, load_note, agents."""
        return SyncUserArchive(self._portal, self._inner.archive)

    @property
    def missions(self) -> SyncUserMissions:
        """Working memory of a team of agents, for requests of this user."""
        return SyncUserMissions(self._portal, self._inner.missions)

    def documents(self, space: str) -> SyncUserDocuments:
        """Return the documents of one kind that a framework keeps for this user."""
        return SyncUserDocuments(self._portal, self._inner.documents(space))
