"""The layers of knowledge: the person's profile, the memories a question calls for, entities, open questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from rememora.context.find import Finder
from rememora.context.gather import Ask, Source
from rememora.domain.context import Item, Section
from rememora.domain.entity import Entity
from rememora.domain.hit import Asked, Hit
from rememora.domain.memory import Memory, MemoryFilter, Proposal
from rememora.domain.scope import Scope
from rememora.domain.verdict import Origin
from rememora.ports.store import Reading, UnitOfWork

PROFILE = ("user", "profile", "tenant", "company", "prefs")
"""The namespaces that go with every turn: who the person is, for whom they work, how they want to be answered."""

PROFILE_ITEMS = 40
MENTIONABLE = MemoryFilter(status="active", suppressed=False)


def profile(store: Reading) -> Source:
    """What is known of the person at any time, asked or not."""

    async def read_profile(ask: Ask) -> list[Item]:
        memories = await store.read(ask.scope, lambda work: list(_profile(work, ask.scope)))
        return [_item(memory, "profile", reason="known of the person") for memory in memories[:PROFILE_ITEMS]]

    return read_profile


def memories(store: Reading, finder: Finder, *, limit: int) -> Source:
    """The memories that the question calls for; all of them, where they are few."""

    async def read_memories(ask: Ask) -> list[Item]:
        scope = ask.scope
        asked = Asked(query=ask.query, limit=min(limit, 100), kinds=frozenset({"memory"}))
        hits = {hit.id: hit for hit in await finder.find(ask, asked)}
        found = await store.read(scope, lambda work: _memories(work, scope, hits, limit))
        items = [_weighed(memory, hits.get(memory.id)) for memory in found]
        return sorted(items, key=lambda item: -item.score)[:limit]

    return read_memories


def entities(store: Reading, *, limit: int) -> Source:
    """What the person mentions most, then what was mentioned last."""

    async def read_entities(ask: Ask) -> list[Item]:
        found = await store.read(ask.scope, lambda work: work.entities.top(ask.scope, limit=limit))
        return [_mentioned(entity) for entity in found]

    return read_entities


def questions(store: Reading) -> Source:
    """What the person has been asked about their memory and has not answered."""

    async def read_questions(ask: Ask) -> list[Item]:
        found = await store.read(ask.scope, lambda work: work.proposals.all(ask.scope, status="open"))
        return [_pending(proposal, ask.language) for proposal in found if proposal.expires_at > ask.now]

    return read_questions


def spoken(value: Any) -> str:
    """A value as a person reads it."""
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence) and all(isinstance(part, str) for part in value):
        return ", ".join(value)
    return msgspec.json.encode(value).decode()


def _profile(work: UnitOfWork, scope: Scope) -> Iterable[Memory]:
    for prefix in PROFILE:
        wanted = msgspec.structs.replace(MENTIONABLE, prefix=prefix)
        found = work.memories.page(scope, wanted, limit=PROFILE_ITEMS)
        yield from (memory for memory in found if _here(memory, scope))


def _memories(work: UnitOfWork, scope: Scope, hits: Mapping[str, Hit], limit: int) -> list[Memory]:
    """Those that were searched for, and the others where all of them are few; not those of the profile."""
    read = work.memories.with_ids(scope, list(hits))
    found = [read[id] for id in hits if id in read and _told(read[id]) and _here(read[id], scope)]
    most = limit + PROFILE_ITEMS
    if len(found) >= limit or work.memories.are_more(scope, than=most):
        return found
    page = work.memories.page(scope, MENTIONABLE, limit=most)
    return [memory for memory in page if _told(memory) and _here(memory, scope)]


def _told(memory: Memory) -> bool:
    """Whether it may be mentioned, and is not of the profile, which goes with every turn."""
    mentionable = memory.status == "active" and not memory.suppressed
    return mentionable and memory.key.partition(".")[0] not in PROFILE


def _here(memory: Memory, scope: Scope) -> bool:
    """Whether a memory counts here: one bound to a project is silent in other conversations."""
    return memory.conversation is None or memory.conversation == scope.conversation


def _weighed(memory: Memory, hit: Hit | None) -> Item:
    """A memory with what search says of it."""
    if hit is None:
        return _item(memory, "memories", reason="known of the person")
    return _item(memory, "memories", reason="the question calls for it", score=hit.score, parts=hit.parts)


def _item(
    memory: Memory,
    section: Section,
    *,
    reason: str,
    score: float = 0.0,
    parts: Mapping[str, float] | None = None,
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
        at=memory.updated_at,
    )


def _by_operator(memory: Memory) -> bool:
    """Tell whether an operator wrote it, in own words: the source says who brought it, the origin whose words."""
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
        text=proposal.question_pt if language == "pt" else proposal.question_en,
        kind="question",
        id=proposal.id,
        key=None,
        origin="assistant",
        reason="the person has not answered yet",
        at=proposal.created_at,
    )
