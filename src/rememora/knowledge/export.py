"""Everything held about a person as one JSON document, and the way back in.

An import trusts nobody: values pass the gate again, origin and source above the person's own word are lowered
unless the importer may write shared memory, and what is here already is left as it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

import msgspec

from rememora.domain.check import check_mapping, check_name, check_time, check_whole
from rememora.domain.document import StoredDocument, check_key
from rememora.domain.entity import Entity, Mention
from rememora.domain.episode import Episode, Summary
from rememora.domain.hit import ItemKey
from rememora.domain.memory import Memory, MemoryFilter, Wish
from rememora.domain.message import ConversationRecord, Message, NewMessage
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.domain.task import TaskFilter
from rememora.domain.verdict import AnyVerdict, Ask, Origin, Quarantine, Save
from rememora.domain.visibility import Judged, Reason, Source
from rememora.errors import InvalidInput
from rememora.history import record
from rememora.history.episodes import created
from rememora.knowledge import keep
from rememora.knowledge.aside import hold
from rememora.knowledge.audit import entry_of
from rememora.knowledge.desk import Desk, Hand, state_of
from rememora.knowledge.entities import judge_mention
from rememora.knowledge.imports import admitted, batches, check_size
from rememora.knowledge.spans import fitted
from rememora.ports.knowledge import Span
from rememora.ports.store import Store, UnitOfWork
from rememora.settings import Settings
from rememora.tenancy.quotas import charge
from rememora.visibility.judge import judge_drafts, judge_value

FORMAT = "rememora.export"
VERSION = 1
EVERY = 1_000_000
MOST_MENTIONS = 2**62


class HeldMemory(msgspec.Struct, frozen=True, kw_only=True):
    """A memory, the times in which it was active, and the messages it came from."""

    memory: Memory
    spans: tuple[Span, ...] = ()
    sources: tuple[Source, ...] = ()


class HeldConversation(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation and all that was said in it."""

    about: ConversationRecord
    messages: tuple[Message, ...] = ()


Weighed = tuple[HeldMemory, Wish, AnyVerdict]
"""A memory to bring in, as a wish, and what the gate says of it."""


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """An export as it is read back; what only informs is not read."""

    format: str
    version: int
    memories: tuple[HeldMemory, ...] = ()
    entities: tuple[Entity, ...] = ()
    conversations: tuple[HeldConversation, ...] = ()
    documents: tuple[StoredDocument, ...] = ()
    summaries: tuple[Summary, ...] = ()
    episodes: tuple[Episode, ...] = ()


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """How much came in, how much the gate kept out, and what was too much.

    `clipped` entities claimed more mentions than an import may, `left_out` ones were more than a user may have.
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
    """All that is held about a person, on one snapshot."""
    held = await store.read(scope, lambda work: _held(work, scope))
    document: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(held))
    head = {"format": FORMAT, "version": VERSION, "tenant": scope.tenant, "user": scope.user}
    return {**head, "exported_at": at.isoformat(), **document}


async def load(desk: Desk, scope: Scope, document: Mapping[str, Any], *, actor: Actor) -> Imported:
    """Take an export in; done twice, the second time changes nothing."""
    parsed = read_document(document)
    limits = desk.settings.imports
    check_size(_sizes(parsed), limits)
    # Weighed before anything is written, and off the loop: nobody waits for the gate, and what it cannot read
    # refuses the whole document.
    trusted = actor.rights.write_shared
    weighed = await asyncio.to_thread(_weighed, desk, scope, parsed.memories, trusted=trusted)
    said = 0
    for held in parsed.conversations:
        said += await _load_conversation(desk, scope, held, parsed)
    verdicts: list[str] = []
    for batch in batches(weighed, limits.batch):
        verdicts += await desk.write(scope, actor, partial(_load_memories, weighed=batch))
    brought = 0
    for documents in batches(parsed.documents, limits.batch):
        brought += await desk.write(scope, actor, partial(_load_documents, documents=documents))
    chosen = admitted(parsed.entities, cap=desk.settings.entities.max_per_user, mentions=limits.mentions)
    return Imported(
        memories=verdicts.count("save"),
        entities=await desk.write(scope, actor, partial(_load_entities, entities=chosen.entities)),
        documents=brought,
        messages=said,
        quarantined=verdicts.count("quarantine"),
        refused=verdicts.count("refuse"),
        clipped=chosen.clipped,
        left_out=chosen.left_out,
    )


def _sizes(document: Document) -> dict[str, int]:
    return {
        "memories": len(document.memories),
        "entities": len(document.entities),
        "documents": len(document.documents),
        "messages": sum(len(held.messages) for held in document.conversations),
    }


def read_document(document: Mapping[str, Any]) -> Document:
    """An export, checked; a field that is wrong is named."""
    if not isinstance(document, Mapping):
        raise InvalidInput("document", f"must be a mapping, not {type(document).__name__}")
    if document.get("format") != FORMAT:
        raise InvalidInput("format", f"must be {FORMAT!r}")
    if document.get("version") != VERSION:
        raise InvalidInput("version", f"must be {VERSION}")
    try:
        parsed = msgspec.convert(document, Document)
    except msgspec.ValidationError as error:
        raise InvalidInput("document", str(error)) from None
    _check(parsed)
    return parsed


def _check(document: Document) -> None:
    """What the types of a document do not say: ids that can be kept, moments that are one."""
    spans = [span for held in document.memories for span in held.spans]
    memories = [held.memory for held in document.memories]
    talks = [held.about for held in document.conversations]
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
    for entity in document.entities:
        check_whole("mentions", entity.mentions, 1, MOST_MENTIONS)
        Mention(type=entity.type, key=entity.key, value=entity.value, confidence=entity.confidence)


def _held(work: UnitOfWork, scope: Scope) -> dict[str, Any]:
    memories = work.memories.page(scope, MemoryFilter(status=None, scope="personal"), limit=EVERY)
    links = work.audit.of_owner(scope, position=0, limit=EVERY)
    return {
        "memories": [_held_memory(work, scope, each) for each in memories],
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
        "logins": [each for each in work.logins.all(scope) if each.user == scope.user],
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


async def _load_conversation(desk: Desk, scope: Scope, held: HeldConversation, document: Document) -> int:
    """Bring what was said in; returns how many messages that were."""
    inside, now = scope.within(held.about.id), desk.clock()
    drafts = [
        NewMessage(
            role=each.role,
            content=each.content,
            id=each.id,
            created_at=each.created_at,
            modality=each.modality,
            attachments=each.attachments,
            metadata=each.metadata,
        )
        for each in held.messages
    ]
    judged = {
        id(draft): Judged("erased") if message.hidden == "erased" else each
        for message, draft, each in zip(held.messages, drafts, await judge_drafts(drafts), strict=True)
    }
    planned = record.plan_append(drafts, {})
    pieces = [*batches(planned, desk.settings.imports.batch)]
    dark = [seq for seq, draft in enumerate(planned, 1) if judged[id(draft)].hidden is not None]
    begun = await desk.store.write(inside, lambda work: _begin(work, inside, held, now=now))
    if begun:
        for piece in pieces:
            last = piece is pieces[-1]
            bring = partial(_bring_piece, scope=inside, held=held, settings=desk.settings, now=now, dark=dark)
            said = [(draft, judged[id(draft)]) for draft in piece]
            await desk.store.write(inside, partial(bring, piece=said, document=document if last else None))
        if dark:
            await desk.see_to(inside)
        return sum(map(len, pieces))
    before = await record.about(desk.store, inside)
    await record.append_many(desk.store, inside, drafts, clock=desk.clock, settings=desk.settings)
    return (await record.about(desk.store, inside)).messages - before.messages


def _begin(work: UnitOfWork, scope: Scope, held: HeldConversation, *, now: datetime) -> bool:
    """Make room for a conversation that is not here; False where something was said in it already."""
    known = work.conversations.get(scope)
    if known is None:
        metadata = held.about.metadata or None
        hidden = judge_value(metadata) if metadata else None
        work.conversations.describe(scope, channel=held.about.channel, metadata=metadata, at=now, hidden=hidden)
    return known is None or not known.messages


def _bring_piece(
    work: UnitOfWork,
    *,
    scope: Scope,
    held: HeldConversation,
    piece: Sequence[tuple[NewMessage, Judged]],
    dark: Sequence[int],
    settings: Settings,
    now: datetime,
    document: Document | None,
) -> None:
    """Bring some of a conversation; with the last, given the document, its summary and episodes.

    They speak of places in the whole, and the worker must not make others of a part.
    `dark` are the places of what may not be told.
    """
    last, channel = document is not None, held.about.channel
    drafts, judged = [draft for draft, _ in piece], [each for _, each in piece]
    here = record.bring(
        work, scope, drafts, judged=judged, settings=settings, now=now, channel=channel, complete=last
    )
    if document is None:
        return
    own = [each for each in document.episodes if each.conversation == held.about.id]
    brought = _bring_episodes(work, here, own, scope, dark)
    told = [created(scope, each, settings.episodes, at=now) for each in brought]
    work.outbox.add_all(scope, told)
    for summary in document.summaries:
        if summary.conversation == held.about.id and summary.last_seq <= here.messages:
            _bring_summary(work, scope, summary, dark)


def _bring_episodes(
    work: UnitOfWork, here: ConversationRecord, episodes: Sequence[Episode], scope: Scope, dark: Sequence[int]
) -> list[Episode]:
    """The episodes under their own ids and titles; those that do not fit what was said are cut anew.

    One that covers a hidden turn (`dark` are their places) is made again from the others.
    """
    brought: list[Episode] = []
    end = 0
    for given in sorted(episodes, key=lambda each: each.turns):
        covers = any(given.first_seq <= seq <= given.last_seq for seq in dark)
        hidden = "withheld" if covers else judge_value(given.title, given.summary)
        episode = msgspec.structs.replace(given, hidden=hidden)
        fits = 1 <= episode.first_seq <= episode.last_seq <= here.messages and end < episode.turns <= here.turns
        if not fits or not work.episodes.add(scope, episode, told=bool(episode.summary) and not covers):
            break
        if episode.hidden is None:
            work.index.put(scope, [ItemKey("episode", episode.id, here.id)])
        brought.append(episode)
        end = episode.turns
    if end:
        work.conversations.mark_cut(scope, before=here.cut, cut=end)
    return brought


def _weighed(desk: Desk, scope: Scope, memories: Sequence[HeldMemory], *, trusted: bool) -> list[Weighed]:
    """Judge each memory, as it may stand here."""
    ours = [msgspec.structs.replace(held, memory=own(scope, held.memory, trusted=trusted)) for held in memories]
    return [(held, wish, keep.weigh(desk, wish)) for held in ours for wish in [_wish(held.memory)]]


def _load_memories(hand: Hand, *, weighed: Sequence[Weighed]) -> list[str]:
    return [_load_memory(hand, held, wish, verdict) for held, wish, verdict in weighed]


def _load_entities(hand: Hand, *, entities: Sequence[Entity]) -> int:
    brought = sum(_load_entity(hand, entity) for entity in entities)
    gone = hand.work.entities.evict(hand.scope, keep="", cap=hand.settings.entities.max_per_user + 1)
    hand.work.index.drop(hand.scope, [ItemKey("entity", id) for id in gone])
    return brought


def _load_documents(hand: Hand, *, documents: Sequence[StoredDocument]) -> int:
    """Bring documents in under the quota; one whose key is here is left as it is."""
    brought = sum(hand.work.documents.add(hand.scope, each) for each in documents)
    if brought:
        charge(hand.work, hand.scope, "documents", brought, now=hand.now)
    return brought


def _bring_summary(work: UnitOfWork, scope: Scope, summary: Summary, dark: Sequence[int]) -> None:
    # What it says that may not be told is told by none of the turns: it is made again from the others.
    covers = any(seq <= summary.last_seq for seq in dark)
    withheld: Reason | None = "withheld" if covers or judge_value(summary.text) is not None else None
    if work.summaries.replace(scope, msgspec.structs.replace(summary, hidden=withheld), after_seq=0):
        work.conversations.mark_folded(scope, folded=summary.covered)
        if withheld is None:
            work.index.put(scope, [ItemKey("summary", summary.conversation, summary.conversation)])


def _load_entity(hand: Hand, entity: Entity) -> bool:
    hidden = judge_mention(entity)
    if hidden == "secret":
        return False
    new = hand.work.entities.add(hand.scope, msgspec.structs.replace(entity, hidden=hidden))
    if new and not entity.forgotten and hidden is None:
        hand.work.index.put(hand.scope, [ItemKey("entity", entity.id)])
    return new


def _load_memory(hand: Hand, held: HeldMemory, wish: Wish, verdict: AnyVerdict) -> str:
    """Bring one memory in; one that is here already, or whose key is taken by another, stays behind it."""
    memory = held.memory
    if hand.work.memories.get(hand.scope, memory.id) is not None:
        return "here"
    if isinstance(verdict, Quarantine):
        return _load_held(hand, memory, wish, verdict)
    if not isinstance(verdict, Save | Ask):
        hand.attempt(verdict, wish)
        return "refuse"
    taken = hand.work.memories.active(hand.scope, memory.key, shared=False) is not None
    if memory.status == "active" and taken:
        memory = msgspec.structs.replace(memory, status="deprecated")
    taken_spans = hand.work.memories.spans_of_key(hand.scope, memory.key)
    spans = fitted(_closed(held.spans, memory, hand.now), taken_spans)
    hand.work.memories.add(hand.scope, memory, spans=spans)
    _link_sources(hand, held, memory)
    hand.show(memory)
    hand.record("import", memory, after=state_of(memory))
    hand.tell(keep.updated(memory, "import"))
    return "save"


def _link_sources(hand: Hand, held: HeldMemory, memory: Memory) -> None:
    """Link a memory to the messages it came from, as far as they are here."""
    for source in held.sources:
        place = hand.scope.within(source.conversation)
        if hand.work.messages.mark(place, source.message) is not None:
            link = Source(
                user=hand.scope.user,
                memory=memory.id,
                conversation=source.conversation,
                message=source.message,
            )
            hand.work.sources.add(hand.scope, link)
    if not held.sources:
        hand.cite(memory)


def _load_held(hand: Hand, memory: Memory, wish: Wish, verdict: Quarantine) -> str:
    known = hand.work.quarantine.of_user(hand.scope)
    if any(each.source_ref == memory.id for each in known):
        return "here"
    hand.attempt(verdict, wish)
    named = msgspec.structs.replace(wish, source_ref=memory.id)
    hold(hand, str(wish.plain_value), verdict, wish=named)
    return "quarantine"


def own(scope: Scope, memory: Memory, *, trusted: bool) -> Memory:
    """The memory as it may stand here: this person's, and trusted no more than their word.

    Only a `trusted` importer, who may write such memories anyway, brings an operator's in as an operator's.
    """
    ours = msgspec.structs.replace(memory, tenant=scope.tenant, user=scope.user, scope="personal")
    if trusted and memory.source == "admin_system" and memory.origin is Origin.OPERATOR:
        return ours
    origin = min(memory.origin, Origin.USER_SAID, key=lambda each: each.trust)
    source = "explicit_user" if memory.source == "admin_system" else memory.source
    return msgspec.structs.replace(ours, origin=origin, source=source)


def _wish(memory: Memory) -> Wish:
    return Wish(
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


def _closed(spans: tuple[Span, ...], memory: Memory, now: datetime) -> list[Span]:
    """The times as they were told; what arrives behind another memory is active no longer."""
    if memory.status == "active":
        return list(spans) or [Span(since=memory.created_at)]
    return [Span(since=span.since, until=span.until or now) for span in spans]
