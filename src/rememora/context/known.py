"""The layers of knowledge: the person's profile, memories that match the question, entities, open questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec

from rememora.context.find import Finder
from rememora.context.gather import PackRequest, Source
from rememora.context.notes import NO_NOTE, Note, OutdatedWords, outdated, statement_notes
from rememora.domain.context import Item, Section
from rememora.domain.entity import Entity
from rememora.domain.hit import Hit, SearchRequest
from rememora.domain.memory import Memory, MemoryFilter, Proposal
from rememora.domain.scope import Scope
from rememora.domain.verdict import Origin
from rememora.knowledge.forget_question import suppressed_by
from rememora.ports.store import StoreReader, UnitOfWork

PROFILE = ("user", "profile", "tenant", "company", "prefs")
"""Namespaces that belong to every turn: who the person is, for whom they work, how they want to be answered."""

PROFILE_ITEMS = 40
MENTIONABLE = MemoryFilter(status="active", suppressed=False)


def profile(store: StoreReader) -> Source:
    """Return the source of the person's profile, which belongs to every turn."""

    async def read_profile(request: PackRequest) -> list[Item]:
        memories, notes = await store.read(request.scope, lambda work: _noted_profile(work, request))
        return [
            _item(memory, "profile", reason="known about the person", note=notes.get(memory.id, NO_NOTE))
            for memory in memories
        ]

    return read_profile


def memories(store: StoreReader, finder: Finder, *, limit: int) -> Source:
    """Return the source of memories that match the question; of all memories, if they are few."""

    async def read_memories(request: PackRequest) -> list[Item]:
        scope = request.scope
        search = SearchRequest(query=request.query, limit=min(limit, 100), kinds=frozenset({"memory"}))
        hits = {hit.id: hit for hit in await finder.find(request, search)}
        known, notes = await store.read(scope, lambda work: _noted_memories(work, request, hits, limit))
        items = [_weighed(memory, hits.get(memory.id), notes.get(memory.id, NO_NOTE)) for memory in known]
        return sorted(items, key=lambda item: -item.score)[:limit]

    return read_memories


def entities(store: StoreReader, *, limit: int) -> Source:
    """Return the source of the entities mentioned most, then most recently."""

    async def read_entities(request: PackRequest) -> list[Item]:
        known = await store.read(request.scope, lambda work: _standing_entities(work, request.scope, limit))
        return [_mentioned(entity) for entity in known]

    return read_entities


def _standing_entities(work: UnitOfWork, scope: Scope, limit: int) -> list[Entity]:
    """Return the entities mentioned most, without figures that occur only in outdated statements."""
    top = work.entities.top(scope, limit=limit)
    if not any(map(_has_figure, top)):
        return list(top)
    past = outdated(work, scope)
    return [entity for entity in top if not (_has_figure(entity) and _was_told(entity, past))]


def _has_figure(entity: Entity) -> bool:
    return any(map(str.isdigit, spoken(entity.value)))


def _was_told(entity: Entity, past: Sequence[OutdatedWords]) -> bool:
    """Return whether a value was stated before it became outdated or doubtful, and not again since."""
    value = spoken(entity.value)
    return any(value in words.said and entity.updated_at < words.since for words in past)


def questions(store: StoreReader) -> Source:
    """Return the source of unanswered questions to the person about their memory."""

    async def read_questions(request: PackRequest) -> list[Item]:
        proposals = await store.read(request.scope, lambda work: work.proposals.all(request.scope, status="open"))
        return [
            _pending(proposal, request.language)
            for proposal in proposals
            # A question that suppresses what it asks about would tell it.
            if proposal.expires_at > request.now and not suppressed_by(proposal)
        ]

    return read_questions


def spoken(value: Any) -> str:
    """Return a value as text."""
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence) and all(isinstance(part, str) for part in value):
        return ", ".join(value)
    return msgspec.json.encode(value).decode()


def _noted_profile(work: UnitOfWork, request: PackRequest) -> tuple[list[Memory], dict[str, Note]]:
    profile = list(islice(_profile(work, request.scope), PROFILE_ITEMS))
    return profile, statement_notes(work, request.scope, request.query, profile)


def _noted_memories(
    work: UnitOfWork, request: PackRequest, hits: Mapping[str, Hit], limit: int
) -> tuple[list[Memory], dict[str, Note]]:
    known = _memories(work, request.scope, hits, limit)
    return known, statement_notes(work, request.scope, request.query, known, hits)


def _profile(work: UnitOfWork, scope: Scope) -> Iterable[Memory]:
    for prefix in PROFILE:
        filters = msgspec.structs.replace(MENTIONABLE, prefix=prefix)
        page = work.memories.page(scope, filters, limit=PROFILE_ITEMS)
        yield from (memory for memory in page if _applies_here(memory, scope))


def _memories(work: UnitOfWork, scope: Scope, hits: Mapping[str, Hit], limit: int) -> list[Memory]:
    """Return the memories found by search, and the others if there are few; without those of the profile."""
    read = work.memories.with_ids(scope, list(hits))
    visible = [read[id] for id in hits if id in read and _is_visible(read[id]) and _applies_here(read[id], scope)]
    most = limit + PROFILE_ITEMS
    if len(visible) >= limit or work.memories.are_more(scope, than=most):
        return visible
    page = work.memories.page(scope, MENTIONABLE, limit=most)
    return [memory for memory in page if _is_visible(memory) and _applies_here(memory, scope)]


def _is_visible(memory: Memory) -> bool:
    """Return whether a memory is visible, and not part of the profile."""
    mentionable = memory.status == "active" and not memory.suppressed
    return mentionable and memory.key.partition(".")[0] not in PROFILE


def _applies_here(memory: Memory, scope: Scope) -> bool:
    """Return whether a memory applies here: one bound to a project is hidden in other conversations."""
    return memory.conversation is None or memory.conversation == scope.conversation


def _weighed(memory: Memory, hit: Hit | None, note: Note) -> Item:
    """Build the item of a memory with the score of its hit."""
    if hit is None:
        return _item(memory, "memories", reason="known about the person", note=note)
    why = "the question calls for it"
    return _item(memory, "memories", reason=why, score=hit.score, parts=hit.parts, note=note)


def _item(
    memory: Memory,
    section: Section,
    *,
    reason: str,
    score: float = 0.0,
    parts: Mapping[str, float] | None = None,
    note: Note = NO_NOTE,
) -> Item:
    return Item(
        section=section,
        text=spoken(memory.value),
        kind="memory",
        id=memory.id,
        key=memory.key,
        origin=str(memory.origin),
        trust="operator" if _by_operator(memory) else "recalled",
        reason=reason,
        score=score,
        parts=parts or {},
        source=memory.source_ref,
        category=memory.category,
        conversation=memory.conversation,
        at=memory.valid_from or memory.created_at,
        past=note.past,
        note=note.note,
    )


def _by_operator(memory: Memory) -> bool:
    """Tell whether an operator wrote it: the source says who brought it, the origin whose words it has."""
    return memory.source == "admin_system" and memory.origin is Origin.OPERATOR


def _mentioned(entity: Entity) -> Item:
    return Item(
        section="entities",
        text=spoken(entity.value),
        kind="entity",
        id=entity.key,
        key=entity.key,
        reason="mentioned once" if entity.mentions == 1 else f"mentioned {entity.mentions} times",
        score=float(entity.mentions),
        parts={"mentions": float(entity.mentions), "confidence": entity.confidence},
        category=entity.type,
        conversation=entity.conversation,
        at=entity.updated_at,
    )


def _pending(proposal: Proposal, language: str) -> Item:
    return Item(
        section="questions",
        text=proposal.question(language),
        kind="question",
        id=proposal.id,
        key=None,
        origin="assistant",
        reason="the person has not answered yet",
        at=proposal.created_at,
    )
