"""Export and import of everything that is stored about a person, as one JSON document.

An import is not trusted: values pass the gate again, an origin or source above the person's own word is lowered
unless the importer may write shared memory, and existing items stay as they are.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

import msgspec

from rememora.domain.check import check_mapping, check_name, check_time, check_whole
from rememora.domain.document import StoredDocument, check_key
from rememora.domain.entity import Entity, Mention
from rememora.domain.episode import Episode, Summary
from rememora.domain.hit import ItemKey
from rememora.domain.memory import Memory, MemoryDraft, MemoryFilter
from rememora.domain.message import ConversationRecord, Message, NewMessage
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope, owner_of
from rememora.domain.task import TaskFilter
from rememora.domain.value_span import check_attribute_span
from rememora.domain.verdict import AnyVerdict, Ask, Origin, Quarantine, Save
from rememora.domain.visibility import MemorySource, Reason, VisibilityVerdict
from rememora.errors import InvalidInput
from rememora.history import record
from rememora.history.episodes import created
from rememora.knowledge import keep
from rememora.knowledge.audit import entry_of
from rememora.knowledge.base import KnowledgeBase, KnowledgeWriter, state_of
from rememora.knowledge.entities import judge_mention
from rememora.knowledge.pending import hold
from rememora.knowledge.spans import fitted
from rememora.ports.knowledge import ActivePeriod
from rememora.ports.store import Store, UnitOfWork
from rememora.settings import ImportSettings, Settings
from rememora.tenancy.quotas import charge
from rememora.visibility.judge import judge_drafts, judge_value

T = TypeVar("T")


class Admitted(msgspec.Struct, frozen=True, kw_only=True):
    """The entities of an import that are accepted, and what was done with the others."""

    entities: tuple[Entity, ...]
    clipped: int
    left_out: int


FORMAT = "rememora.export"
VERSION = 1
EVERY = 1_000_000
MOST_MENTIONS = 2**62


class HeldMemory(msgspec.Struct, frozen=True, kw_only=True):
    """A memory, the periods in which it was active, and its source messages."""

    memory: Memory
    spans: tuple[ActivePeriod, ...] = ()
    sources: tuple[MemorySource, ...] = ()


class HeldConversation(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation and its messages."""

    about: ConversationRecord
    messages: tuple[Message, ...] = ()


Weighed = tuple[HeldMemory, MemoryDraft, AnyVerdict]
"""A memory to import, as a draft, and the gate's verdict."""


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """An export as it is imported; purely informational fields are ignored."""

    format: str
    version: int
    memories: tuple[HeldMemory, ...] = ()
    entities: tuple[Entity, ...] = ()
    conversations: tuple[HeldConversation, ...] = ()
    documents: tuple[StoredDocument, ...] = ()
    summaries: tuple[Summary, ...] = ()
    episodes: tuple[Episode, ...] = ()


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of an import: imported, refused by the gate, and over the limits.

    `clipped` entities claimed more mentions than allowed, `left_out` ones were more than a user may have.
    """

    memories: int = 0
    entities: int = 0
    documents: int = 0
    messages: int = 0
    quarantined: int = 0
    refused: int = 0
    clipped: int = 0
    left_out: int = 0


async def export(store: Store, scope: Scope, *, at: datetime) -> dict[str, Any]:
    """Export everything that is stored about a person, from one snapshot."""
    held = await store.read(scope, lambda work: _held(work, scope))
    document: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(held))
    head = {"format": FORMAT, "version": VERSION, "tenant": scope.tenant, "user": scope.user}
    return {**head, "exported_at": at.isoformat(), **document}


async def load(knowledge: KnowledgeBase, scope: Scope, document: Mapping[str, Any], *, actor: Actor) -> Imported:
    """Import an export; importing it again changes nothing."""
    parsed = read_document(document)
    limits = knowledge.settings.imports
    check_size(_sizes(parsed), limits)
    # Weighed before anything is written, and off the loop: nobody waits for the gate, and what it cannot read
    # refuses the whole document.
    trusted = actor.rights.write_shared
    weighed = await asyncio.to_thread(_weighed, knowledge, scope, parsed.memories, trusted=trusted)
    said = 0
    for held in parsed.conversations:
        said += await _load_conversation(knowledge, scope, held, parsed)
    verdicts: list[str] = []
    for batch in batches(weighed, limits.batch):
        verdicts += await knowledge.write(scope, actor, partial(_load_memories, weighed=batch))
    brought = 0
    for documents in batches(parsed.documents, limits.batch):
        brought += await knowledge.write(scope, actor, partial(_load_documents, documents=documents))
    chosen = admitted(parsed.entities, cap=knowledge.settings.entities.max_per_user, mentions=limits.mentions)
    return Imported(
        memories=verdicts.count("save"),
        entities=await knowledge.write(scope, actor, partial(_load_entities, entities=chosen.entities)),
        documents=brought,
        messages=said,
        quarantined=verdicts.count("quarantine"),
        refused=verdicts.count("refuse"),
        clipped=chosen.clipped,
        left_out=chosen.left_out,
    )


def agents_of(document: object) -> dict[str, Mapping[str, Any]]:
    """Return the export of each agent's memory inside an export, each checked before anything is written."""
    agents = document.get("agents", {}) if isinstance(document, Mapping) else {}
    if not isinstance(agents, Mapping):
        raise InvalidInput("agents", f"must be a mapping, not {type(agents).__name__}")
    for name, inner in agents.items():
        owner_of("user", name)
        read_document(inner)
    return dict(agents)


def summed(taken: Sequence[Imported]) -> Imported:
    """Add up the counts of several imports."""
    fields = Imported.__struct_fields__
    return Imported(**{name: sum(getattr(outcome, name) for outcome in taken) for name in fields})


def _sizes(document: Document) -> dict[str, int]:
    return {
        "memories": len(document.memories),
        "entities": len(document.entities),
        "documents": len(document.documents),
        "messages": sum(len(held.messages) for held in document.conversations),
    }


def read_document(document: Mapping[str, Any]) -> Document:
    """Validate an export; an error names the wrong field."""
    if not isinstance(document, Mapping):
        raise InvalidInput("document", f"must be a mapping, not {type(document).__name__}")
    if document.get("format") != FORMAT:
        raise InvalidInput("format", f"must be {FORMAT!r}")
    if document.get("version") != VERSION:
        raise InvalidInput("version", f"must be {VERSION}")
    try:
        parsed = msgspec.convert(document, Document)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        raise InvalidInput("document", str(error)) from None
    _check(parsed)
    return parsed


def _check(document: Document) -> None:
    """Check what the types of a document do not: ids that can be stored, and valid times."""
    spans = [span for held in document.memories for span in held.spans]
    memories = [held.memory for held in document.memories]
    talks = [held.about for held in document.conversations]
    # Every id and every time of every noun, whatever its kind; what only some of them have follows below.
    nouns = (*memories, *spans, *document.entities, *document.episodes, *document.summaries)
    nouns += (*talks, *document.documents)
    for noun in nouns:
        for field in noun.__struct_fields__:
            value = getattr(noun, field)
            if field == "id":
                check_name(field, value)
            elif isinstance(value, datetime):
                check_time(field, value)
    if len({episode.id for episode in document.episodes}) < len(document.episodes):
        raise InvalidInput("episodes", "holds an id twice")
    for held in document.documents:
        check_key(held.key)
        check_name("space", held.space)
        check_mapping("value", held.value)
        check_whole("version", held.version, 1, MOST_MENTIONS)
    for memory in memories:
        check_attribute_span("attribute_span", memory.attribute_span, key=memory.key, value=memory.value)
    for entity in document.entities:
        check_whole("mentions", entity.mentions, 1, MOST_MENTIONS)
        Mention(type=entity.type, key=entity.key, value=entity.value, confidence=entity.confidence)


def _held(work: UnitOfWork, scope: Scope) -> dict[str, Any]:
    memories = work.memories.page(scope, MemoryFilter(status=None, scope="personal"), limit=EVERY)
    links = work.audit.of_owner(scope, position=0, limit=EVERY)
    return {
        "memories": [_held_memory(work, scope, memory) for memory in memories],
        "entities": work.entities.every(scope),
        "documents": work.documents.every(scope),
        "conversations": _conversations(work, scope),
        "summaries": work.summaries.all(scope),
        "episodes": work.episodes.newest(scope, limit=EVERY),
        "proposals": work.proposals.all(scope, status=None),
        "quarantined": work.quarantine.of_user(scope),
        "tasks": work.tasks.page(scope, TaskFilter(), limit=EVERY),
        "attempts": work.attempts.newest(scope, limit=EVERY),
        "audit": [entry_of(link) for link in links],
        "logins": [login for login in work.logins.all(scope) if login.user == scope.user],
    }


def _held_memory(work: UnitOfWork, scope: Scope, memory: Memory) -> HeldMemory:
    spans, sources = work.memories.spans(scope, memory), work.sources.of_memories(scope, [memory.id])
    return HeldMemory(memory=memory, spans=tuple(spans), sources=tuple(sources))


def _conversations(work: UnitOfWork, scope: Scope) -> list[HeldConversation]:
    held: list[HeldConversation] = []
    for about in work.conversations.newest(scope, limit=EVERY, before=None):
        messages = work.messages.after(scope.within(about.id), limit=EVERY, seq=0)
        held.append(HeldConversation(about=about, messages=tuple(messages)))
    return held


async def _load_conversation(
    knowledge: KnowledgeBase, scope: Scope, exported: HeldConversation, document: Document
) -> int:
    """Import messages; returns how many there were."""
    inside, now = scope.within(exported.about.id), knowledge.clock()
    drafts = [
        NewMessage(
            role=message.role,
            content=message.content,
            id=message.id,
            created_at=message.created_at,
            modality=message.modality,
            attachments=message.attachments,
            metadata=message.metadata,
        )
        for message in exported.messages
    ]
    judged = {
        # Erased turns stay hidden, whatever today's rules would say about their text.
        id(draft): VisibilityVerdict("erased") if message.hidden == "erased" else verdict
        for message, draft, verdict in zip(exported.messages, drafts, await judge_drafts(drafts), strict=True)
    }
    planned = record.plan_append(drafts, {})
    pieces = [*batches(planned, knowledge.settings.imports.batch)]
    dark = [seq for seq, draft in enumerate(planned, 1) if judged[id(draft)].hidden is not None]
    begun = await knowledge.store.write(inside, lambda work: _begin(work, inside, exported, now=now))
    if begun:
        for piece in pieces:
            last = piece is pieces[-1]
            bring = partial(
                _bring_piece, scope=inside, exported=exported, settings=knowledge.settings, now=now, dark=dark
            )
            said = [(draft, judged[id(draft)]) for draft in piece]
            await knowledge.store.write(inside, partial(bring, piece=said, document=document if last else None))
        if dark:
            await knowledge.see_to(inside)
        return sum(map(len, pieces))
    # The conversation exists here: only missing messages are appended, and its own summary stays.
    before = await record.about(knowledge.store, inside)
    await record.append_many(knowledge.store, inside, drafts, clock=knowledge.clock, settings=knowledge.settings)
    return (await record.about(knowledge.store, inside)).messages - before.messages


def _begin(work: UnitOfWork, scope: Scope, exported: HeldConversation, *, now: datetime) -> bool:
    """Create a conversation that does not exist yet; False if it already has messages."""
    known = work.conversations.get(scope)
    if known is None:
        metadata = exported.about.metadata or None
        hidden = judge_value(metadata) if metadata else None
        work.conversations.describe(
            scope, channel=exported.about.channel, metadata=metadata, at=now, hidden=hidden
        )
    return known is None or not known.messages


def _bring_piece(
    work: UnitOfWork,
    *,
    scope: Scope,
    exported: HeldConversation,
    piece: Sequence[tuple[NewMessage, VisibilityVerdict]],
    dark: Sequence[int],
    settings: Settings,
    now: datetime,
    document: Document | None,
) -> None:
    """Import some messages of a conversation; with the last ones, also its summary and episodes.

    Those refer to positions in the whole, and the worker must not make others from a part.
    `dark` are the positions of hidden messages.
    """
    last, channel = document is not None, exported.about.channel
    drafts, judged = [draft for draft, _ in piece], [verdict for _, verdict in piece]
    conversation = record.bring(
        work, scope, drafts, judged=judged, settings=settings, now=now, channel=channel, complete=last
    )
    if document is None:
        return
    episodes = [episode for episode in document.episodes if episode.conversation == exported.about.id]
    brought = _bring_episodes(work, conversation, episodes, scope, dark)
    created_events = [created(scope, episode, settings.episodes, at=now) for episode in brought]
    work.outbox.add_all(scope, created_events)
    for summary in document.summaries:
        # A summary that covers more than was imported would describe messages that are not here.
        if summary.conversation == exported.about.id and summary.last_seq <= conversation.messages:
            _bring_summary(work, scope, summary, dark)


def _bring_episodes(
    work: UnitOfWork, record: ConversationRecord, episodes: Sequence[Episode], scope: Scope, dark: Sequence[int]
) -> list[Episode]:
    """Import episodes with their ids and titles; those that do not fit the messages are made again.

    One that covers a hidden turn (`dark` are their positions) is made again from the others.
    """
    brought: list[Episode] = []
    end = 0
    for given in sorted(episodes, key=lambda episode: episode.turns):
        covers = any(given.first_seq <= seq <= given.last_seq for seq in dark)
        hidden = "withheld" if covers else judge_value(given.title, given.summary)
        episode = msgspec.structs.replace(given, hidden=hidden)
        # A document may come from anywhere: episodes that overlap or lie outside of the messages end the import
        # of episodes, and the worker cuts the rest anew.
        fits = (
            1 <= episode.first_seq <= episode.last_seq <= record.messages and end < episode.turns <= record.turns
        )
        if not fits or not work.episodes.add(scope, episode, summarised=bool(episode.summary) and not covers):
            break
        if episode.hidden is None:
            work.index.put(scope, [ItemKey("episode", episode.id, record.id)])
        brought.append(episode)
        end = episode.turns
    if end:
        work.conversations.mark_cut(scope, before=record.cut, cut=end)
    return brought


def _weighed(
    knowledge: KnowledgeBase, scope: Scope, memories: Sequence[HeldMemory], *, trusted: bool
) -> list[Weighed]:
    """Judge each memory as it would be imported."""
    ours = [msgspec.structs.replace(held, memory=own(scope, held.memory, trusted=trusted)) for held in memories]
    return [(held, wish, keep.weigh(knowledge, wish)) for held in ours for wish in [_wish(held.memory)]]


def _load_memories(writer: KnowledgeWriter, *, weighed: Sequence[Weighed]) -> list[str]:
    return [_load_memory(writer, held, wish, verdict) for held, wish, verdict in weighed]


def _load_entities(writer: KnowledgeWriter, *, entities: Sequence[Entity]) -> int:
    brought = sum(_load_entity(writer, entity) for entity in entities)
    gone = writer.work.entities.evict(writer.scope, keep="", cap=writer.settings.entities.max_per_user + 1)
    writer.work.index.drop(writer.scope, [ItemKey("entity", id) for id in gone])
    return brought


def _load_documents(writer: KnowledgeWriter, *, documents: Sequence[StoredDocument]) -> int:
    """Import documents under the quota; one whose key is taken is skipped."""
    brought = sum(writer.work.documents.add(writer.scope, document) for document in documents)
    if brought:
        charge(writer.work, writer.scope, "documents", brought, now=writer.now)
    return brought


def _bring_summary(work: UnitOfWork, scope: Scope, summary: Summary, dark: Sequence[int]) -> None:
    # What it says that may not be told is told by none of the turns: it is made again from the others.
    covers = any(seq <= summary.last_seq for seq in dark)
    withheld: Reason | None = "withheld" if covers or judge_value(summary.text) is not None else None
    if work.summaries.replace(scope, msgspec.structs.replace(summary, hidden=withheld), after_seq=0):
        work.conversations.mark_folded(scope, folded=summary.covered)
        if withheld is None:
            work.index.put(scope, [ItemKey("summary", summary.conversation, summary.conversation)])


def _load_entity(writer: KnowledgeWriter, entity: Entity) -> bool:
    hidden = judge_mention(entity)
    if hidden == "secret":
        return False
    new = writer.work.entities.add(writer.scope, msgspec.structs.replace(entity, hidden=hidden))
    if new and not entity.forgotten and hidden is None:
        writer.work.index.put(writer.scope, [ItemKey("entity", entity.id)])
    return new


def _load_memory(writer: KnowledgeWriter, exported: HeldMemory, draft: MemoryDraft, verdict: AnyVerdict) -> str:
    """Import one memory; one that exists already, or whose key is taken, is stored as superseded."""
    memory = exported.memory
    if writer.work.memories.get(writer.scope, memory.id) is not None:
        return "here"
    if isinstance(verdict, Quarantine):
        return _load_held(writer, memory, draft, verdict)
    if not isinstance(verdict, Save | Ask):
        writer.attempt(verdict, draft)
        return "refuse"
    # What is known here wins; the imported value becomes part of its past.
    taken = writer.work.memories.active(writer.scope, memory.key, shared=False) is not None
    if memory.status == "active" and taken:
        memory = msgspec.structs.replace(memory, status="deprecated")
    taken_spans = writer.work.memories.spans_of_key(writer.scope, memory.key)
    spans = fitted(_closed(exported.spans, memory, writer.now), taken_spans)
    writer.work.memories.add(writer.scope, memory, spans=spans)
    _link_sources(writer, exported, memory)
    writer.show(memory)
    writer.record("import", memory, after=state_of(memory))
    writer.tell(keep.updated(memory, "import"))
    return "save"


def _link_sources(writer: KnowledgeWriter, exported: HeldMemory, memory: Memory) -> None:
    """Link a memory to its source messages, as far as they were imported."""
    for source in exported.sources:
        place = writer.scope.within(source.conversation)
        if writer.work.messages.mark(place, source.message) is not None:
            link = MemorySource(
                user=writer.scope.user,
                memory=memory.id,
                conversation=source.conversation,
                message=source.message,
            )
            writer.work.sources.add(writer.scope, link)
    if not exported.sources:
        writer.cite(memory)


def _load_held(writer: KnowledgeWriter, memory: Memory, draft: MemoryDraft, verdict: Quarantine) -> str:
    known = writer.work.quarantine.of_user(writer.scope)
    if any(entity.source_ref == memory.id for entity in known):
        return "here"
    writer.attempt(verdict, draft)
    named = msgspec.structs.replace(draft, source_ref=memory.id)
    hold(writer, str(draft.plain_value), verdict, draft=named)
    return "quarantine"


def own(scope: Scope, memory: Memory, *, trusted: bool) -> Memory:
    """Return the memory as it may be imported: owned by this person, and trusted no more than their word.

    Only a `trusted` importer, who may write such memories anyway, can import an operator's memory as such.
    """
    ours = msgspec.structs.replace(memory, tenant=scope.tenant, user=scope.user, scope="personal")
    if trusted and memory.source == "admin_system" and memory.origin is Origin.OPERATOR:
        return ours
    origin = min(memory.origin, Origin.USER_SAID, key=lambda origin: origin.trust)
    source = "explicit_user" if memory.source == "admin_system" else memory.source
    return msgspec.structs.replace(ours, origin=origin, source=source)


def _wish(memory: Memory) -> MemoryDraft:
    return MemoryDraft(
        key=memory.key,
        value=memory.value,
        category=memory.category,
        scope="personal",
        confidence=memory.confidence,
        source=memory.source,
        source_ref=memory.source_ref,
        conversation=memory.conversation,
        origin=memory.origin,
        evidence=memory.evidence,
    )


def _closed(spans: tuple[ActivePeriod, ...], memory: Memory, now: datetime) -> list[ActivePeriod]:
    """Return the periods as exported; a memory that is stored behind another is no longer active."""
    if memory.status == "active":
        return list(spans) or [ActivePeriod(since=memory.created_at)]
    return [ActivePeriod(since=span.since, until=span.until or now) for span in spans]


def check_size(sizes: dict[str, int], limits: ImportSettings) -> None:
    """Refuse a document with more items than an import may have."""
    for name, size in sizes.items():
        most: int = getattr(limits, name)
        if size > most:
            raise InvalidInput(name, f"holds {size}, more than imports.{name} = {most} allows")


def admitted(entities: Sequence[Entity], *, cap: int, mentions: int) -> Admitted:
    """Return as many entities as a user may have, the most mentioned first, with counts clipped to the limit."""
    clipped = [msgspec.structs.replace(entity, mentions=min(entity.mentions, mentions)) for entity in entities]
    # As the store evicts them: forgotten ones first, then the least mentioned, then the oldest.
    ordered = sorted(
        clipped, key=lambda entity: (entity.forgotten, -entity.mentions, -entity.updated_at.timestamp())
    )
    return Admitted(
        entities=tuple(ordered[:cap]),
        clipped=sum(entity.mentions > mentions for entity in entities),
        left_out=max(0, len(ordered) - cap),
    )


def batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Split items into batches, each for a transaction of its own, so that others can write in between."""
    return (items[start : start + size] for start in range(0, len(items), size))
