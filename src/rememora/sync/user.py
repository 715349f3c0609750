"""Handles of one user without `await`."""

from __future__ import annotations

from rememora.domain.scope import Scope
from rememora.handles.conversation import Conversation
from rememora.handles.deprecated import OldCall, OldConversationVerbs, OldUserVerbs
from rememora.handles.documents import UserDocuments
from rememora.handles.missions import UserMissions
from rememora.handles.user import UserMemory
from rememora.handles.user.archive import UserArchive
from rememora.handles.user.audit import UserAudit
from rememora.handles.user.conversations import UserConversations
from rememora.handles.user.entities import UserEntities
from rememora.handles.user.gate import UserGate
from rememora.handles.user.memories import UserMemories
from rememora.handles.user.profile import UserProfile
from rememora.handles.user.proposals import UserProposals
from rememora.handles.user.tasks import UserTasks
from rememora.sync.shell import Noun, Shell, opens, stream, verb


class SyncUserArchive(Shell[UserArchive]):
    """Export and import of everything that is stored about one user."""

    export = verb(UserArchive.export)
    agents = verb(UserArchive.agents)
    load = verb(UserArchive.load)
    load_note = verb(UserArchive.load_note)


class SyncUserAudit(Shell[UserAudit]):
    """The audit entries about one user's memory."""

    list = verb(UserAudit.list)
    note_access = verb(UserAudit.note_access)


class SyncUserConversations(OldCall, Shell[UserConversations]):
    """All conversations of one user; use `conversation(id)` of the user for one of them."""

    list = verb(UserConversations.list)
    episodes = verb(UserConversations.episodes)
    reply_unstored = verb(UserConversations.reply_unstored)


class SyncUserDocuments(Shell[UserDocuments]):
    """The documents of one kind (`space`) of one user: plain JSON under a key, at most 64 KiB each.

    The gate does not judge them, recall does not find them, and no model sees them; export and erasure of
    the person reach them, and writes count into the quota `documents`.
    """

    get = verb(UserDocuments.get)
    put = verb(UserDocuments.put)
    delete = verb(UserDocuments.delete)
    prolong = verb(UserDocuments.prolong)
    page = verb(UserDocuments.page)
    all = verb(UserDocuments.all)
    expire = verb(UserDocuments.expire)


class SyncUserEntities(OldCall, Shell[UserEntities]):
    """The entities that one user mentions, with their counts."""

    list = verb(UserEntities.list)
    mention = verb(UserEntities.mention)
    forget = verb(UserEntities.forget)
    restore = verb(UserEntities.restore)
    restore_all = verb(UserEntities.restore_all)


class SyncUserGate(Shell[UserGate]):
    """The gate, as it reads and judges the messages of one user."""

    note = verb(UserGate.note)
    judge = verb(UserGate.judge)
    read = verb(UserGate.read)
    infer = verb(UserGate.infer)
    attempts = verb(UserGate.attempts)


class SyncUserMemories(OldCall, Shell[UserMemories]):
    """The memories of one user, by id or key: read them, change them, and see where they come from."""

    list = verb(UserMemories.list)
    get = verb(UserMemories.get)
    as_of = verb(UserMemories.as_of)
    nearest = verb(UserMemories.nearest)
    correct = verb(UserMemories.correct)
    forget = verb(UserMemories.forget)
    suppress = verb(UserMemories.suppress)
    restore = verb(UserMemories.restore)
    confirm = verb(UserMemories.confirm)
    history = verb(UserMemories.history)
    timeline = verb(UserMemories.timeline)
    explain = verb(UserMemories.explain)
    dependents = verb(UserMemories.dependents)
    sources = verb(UserMemories.sources)


class SyncUserMissions(Shell[UserMissions]):
    """The missions of one user; each is deleted once its answer is sent."""

    run = verb(UserMissions.run)
    create = verb(UserMissions.create)
    get = verb(UserMissions.get)
    active = verb(UserMissions.active)
    delete = verb(UserMissions.delete)
    promote = verb(UserMissions.promote)
    debug = verb(UserMissions.debug)


class SyncUserProfile(Shell[UserProfile]):
    """The base profile of one user, as filled in by an onboarding form."""

    seed = verb(UserProfile.seed)


class SyncUserProposals(OldCall, Shell[UserProposals]):
    """The questions that wait for one user's answer."""

    list = verb(UserProposals.list)
    answer = verb(UserProposals.answer)


class SyncUserTasks(OldCall, Shell[UserTasks]):
    """The work that was handed to modules for one user."""

    list = verb(UserTasks.list)
    get = verb(UserTasks.get)
    delegate = verb(UserTasks.delegate)
    cancel = verb(UserTasks.cancel)


class SyncConversation(OldConversationVerbs, Shell[Conversation]):
    """One conversation of one user."""

    @property
    def scope(self) -> Scope:
        """Scope of the conversation's owner."""
        return self._inner.scope

    append = verb(Conversation.append)
    append_many = verb(Conversation.append_many)
    last_turns = verb(Conversation.last_turns)
    summary = verb(Conversation.summary)
    append_episode = verb(Conversation.append_episode)
    list_episodes = verb(Conversation.list_episodes)
    messages = verb(Conversation.messages)
    about = verb(Conversation.about)
    describe = verb(Conversation.describe)
    act_on = verb(Conversation.act_on)
    acts_first = verb(Conversation.acts_first)
    context = verb(Conversation.context)
    reply = verb(Conversation.reply)
    stream = stream(Conversation.stream)
    delete = verb(Conversation.delete)


class SyncUserMemory(OldUserVerbs, Shell[UserMemory]):
    """Everything remembered about one user of one tenant.

    Six verbs are for every day: `conversation`, `recall`, `context`, `remember`, `forget` and `erase`. They cover
    the path of a message through an agent (a conversation to write to, a search, the context of a prompt) and what
    people ask of their memory. Everything else is a verb of a noun, such as `memories.explain`.
    """

    @property
    def scope(self) -> Scope:
        """Scope of the user."""
        return self._inner.scope

    conversation = opens(UserMemory.conversation, SyncConversation)
    recall = verb(UserMemory.recall)
    context = verb(UserMemory.context)
    remember = verb(UserMemory.remember)
    forget = verb(UserMemory.forget)
    erase = verb(UserMemory.erase)
    memories = Noun(SyncUserMemories)
    entities = Noun(SyncUserEntities)
    tasks = Noun(SyncUserTasks)
    conversations = Noun(SyncUserConversations)
    proposals = Noun(SyncUserProposals)
    profile = Noun(SyncUserProfile)
    gate = Noun(SyncUserGate)
    audit = Noun(SyncUserAudit)
    archive = Noun(SyncUserArchive)
    missions = Noun(SyncUserMissions)
    documents = opens(UserMemory.documents, SyncUserDocuments)
