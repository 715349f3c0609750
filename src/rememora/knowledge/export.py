"""Everything held about a person as one JSON document, and the way back in.

An import trusts nobody: values pass the gate again, an origin above the person's own word is lowered to it, and
what is here already is left as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from rememora.domain.check import check_name, check_time
from rememora.domain.entity import Entity, Mention
from rememora.domain.episode import Episode, Summary
from rememora.domain.event import event_of
from rememora.domain.hit import ItemKey
from rememora.domain.memory import Memory, MemoryFilter, Wish
from rememora.domain.message import ConversationRecord, Message, NewMessage
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.domain.task import TaskFilter
from rememora.domain.verdict import Ask, Origin, Quarantine, Save
from rememora.domain.visibility import Judged, Reason, Source
from rememora.errors import InvalidInput
from rememora.history import record
from rememora.history.episodes import created
from rememora.knowledge import keep
from rememora.knowledge.aside import hold
from rememora.knowledge.audit import entry_of
from rememora.knowledge.desk import Desk, Hand, state_of
from rememora.knowledge.entities import judge_mention
from rememora.ports.knowledge import Span
from rememora.ports.store import Store, UnitOfWork
from rememora.settings import Settings
from rememora.visibility.judge import judge_drafts, judge_value

FORMAT = "rememora.export"
VERSION = 1
EVERY = 1_000_000


class HeldMemory(msgspec.Struct, frozen=True, kw_only=True):
    """A memory, the times in which it was active, and the messages it came from."""

    memory: Memory
    spans: tuple[Span, ...] = ()
    sources: tuple[Source, ...] = ()


class HeldConversation(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation and all that was said in it."""

    about: ConversationRecord
    messages: tuple[Message, ...] = ()


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """An export as it is read back; what only informs is not read."""

    format: str
    version: int
    memories: tuple[HeldMemory, ...] = ()
    entities: tuple[Entity, ...] = ()
    conversations: tuple[HeldConversation, ...] = ()
    summaries: tuple[Summary, ...] = ()
    episodes: tuple[Episode, ...] = ()


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """How much came in, and how much the gate kept out."""

    memories: int = 0
    entities: int = 0
    messages: int = 0
    quarantined: int = 0
    refused: int = 0


async def export(store: Store, scope: Scope, *, at: datetime) -> dict[str, Any]:
    """All that is held about a person, on one snapshot."""
    held = await store.read(scope, lambda work: _held(work, scope))
    document: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(held))
    head = {"format": FORMAT, "version": VERSION, "tenant": scope.tenant, "user": scope.user}
    return {**head, "exported_at": at.isoformat(), **document}


async def load(desk: Desk, scope: Scope, document: Mapping[str, Any], *, actor: Actor) -> Imported:
    """Take an export in; done twice, the second time changes nothing."""
    parsed = read_document(document)
    said = 0
    for held in parsed.conversations:
        said += await _load_conversation(desk, scope, held, parsed)
    brought = await desk.write(scope, actor, lambda hand: _load(hand, desk, parsed))
    return msgspec.structs.replace(brought, messages=said)


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
    nouns = (*memories, *spans, *document.entities, *document.episodes, *document.summaries, *talks)
    for noun in nouns:
        for field in noun.__struct_fields__:
            value = getattr(noun, field)
            if field == "id":
                check_name(field, value)
            elif isinstance(value, datetime):
                check_time(field, value)
    if len({episode.id for episode in document.episodes}) < len(document.episodes):
        raise InvalidInput("episodes", "holds an id twice")
    for entity in document.entities:
        Mention(type=entity.type, key=entity.key, value=entity.value, confidence=entity.confidence)


def _held(work: UnitOfWork, scope: Scope) -> dict[str, Any]:
    memories = work.memories.page(scope, MemoryFilter(status=None, scope="personal"), limit=EVERY)
    links = work.audit.of_owner(scope, position=0, limit=EVERY)
    return {
        "memories": [_held_memory(work, scope, each) for each in memories],
        "entities": work.entities.every(scope),
        "conversations": _conversations(work, scope),
        "summaries": work.summaries.all(scope),
        "episodes": work.episodes.newest(scope, limit=EVERY),
        "proposals": work.proposals.all(scope, status=None),
        "quarantined": work.quarantine.of_user(scope),
        "tasks": work.tasks.page(scope, TaskFilter(), limit=EVERY),
        "attempts": work.attempts.newest(scope, limit=EVERY),
        "audit": [entry_of(link) for link in links],
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
    judged = [
        Judged("erased") if message.hidden == "erased" else each
        for message, each in zip(held.messages, await judge_drafts(drafts), strict=True)
    ]
    whole = await desk.store.write(
        inside, lambda work: _bring(work, inside, held, drafts, judged, document, settings=desk.settings, now=now)
    )
    if any(each.hidden is not None for each in judged):
        await desk.see_to(inside)
    if whole:
        return len(drafts)
    before = await record.about(desk.store, inside)
    await record.append_many(desk.store, inside, drafts, clock=desk.clock, settings=desk.settings)
    return (await record.about(desk.store, inside)).messages - before.messages


def _bring(
    work: UnitOfWork,
    scope: Scope,
    held: HeldConversation,
    drafts: Sequence[NewMessage],
    judged: Sequence[Judged],
    document: Document,
    *,
    settings: Settings,
    now: datetime,
) -> bool:
    """Bring a conversation that is not here, with its summary and episodes: they speak of places in the whole."""
    about = held.about
    known = work.conversations.get(scope)
    if known is not None and known.messages:
        return False
    if known is None:
        hidden = judge_value(about.metadata) if about.metadata else None
        metadata = about.metadata or None
        work.conversations.describe(scope, channel=about.channel, metadata=metadata, at=now, hidden=hidden)
    if drafts:
        here = record.bring(work, scope, drafts, judged=judged, settings=settings, now=now, channel=about.channel)
        own = [each for each in document.episodes if each.conversation == about.id]
        dark = [seq for seq, each in enumerate(judged, 1) if each.hidden is not None]
        brought = _bring_episodes(work, here, own, scope, dark)
        told = [event_of(scope, created(each, settings.episodes), at=now) for each in brought]
        work.outbox.add_all(scope, told)
        for summary in document.summaries:
            if summary.conversation == about.id and summary.last_seq <= here.messages:
                _bring_summary(work, scope, summary, dark)
    return True


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


def _load(hand: Hand, desk: Desk, document: Document) -> Imported:
    verdicts = [_load_memory(hand, desk, held) for held in document.memories]
    entities = sum(_load_entity(hand, entity) for entity in document.entities)
    gone = hand.work.entities.evict(hand.scope, keep="", cap=hand.settings.entities.max_per_user + 1)
    hand.work.index.drop(hand.scope, [ItemKey("entity", id) for id in gone])
    return Imported(
        memories=verdicts.count("save"),
        entities=entities,
        quarantined=verdicts.count("quarantine"),
        refused=verdicts.count("refuse"),
    )


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


def _load_memory(hand: Hand, desk: Desk, held: HeldMemory) -> str:
    """Bring one memory in; one that is here already, or whose key is taken by another, stays behind it."""
    memory = _own(hand.scope, held.memory)
    if hand.work.memories.get(hand.scope, memory.id) is not None:
        return "here"
    wish = _wish(memory)
    verdict = keep.weigh(desk, wish)
    if isinstance(verdict, Quarantine):
        return _load_held(hand, memory, wish, verdict)
    if not isinstance(verdict, Save | Ask):
        hand.attempt(verdict, wish)
        return "refuse"
    taken = hand.work.memories.active(hand.scope, memory.key, shared=False) is not None
    if memory.status == "active" and taken:
        memory = msgspec.structs.replace(memory, status="deprecated")
    hand.work.memories.add(hand.scope, memory, spans=_closed(held.spans, memory, hand.now))
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
    hand.show(memory)
    hand.record("import", memory, after=state_of(memory))
    hand.tell(keep.updated(memory, "import"))
    return "save"


def _load_held(hand: Hand, memory: Memory, wish: Wish, verdict: Quarantine) -> str:
    known = hand.work.quarantine.of_user(hand.scope)
    if any(each.source_ref == memory.id for each in known):
        return "here"
    hand.attempt(verdict, wish)
    named = msgspec.structs.replace(wish, source_ref=memory.id)
    hold(hand, str(wish.plain_value), verdict, wish=named)
    return "quarantine"


def _own(scope: Scope, memory: Memory) -> Memory:
    """The memory as it may stand here: this person's, and trusted no more than their word."""
    origin = min(memory.origin, Origin.USER_SAID, key=lambda each: each.trust)
    return msgspec.structs.replace(memory, tenant=scope.tenant, user=scope.user, scope="personal", origin=origin)


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
