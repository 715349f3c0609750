"""The structured things people mention: counted at every mention, the least mentioned leaving first."""

from __future__ import annotations

from datetime import datetime

from rememora.domain.check import check_text, check_whole
from rememora.domain.entity import Entity, Mention
from rememora.domain.hit import ItemKey
from rememora.domain.scope import Scope
from rememora.errors import NotFound
from rememora.ports.outside import Clock
from rememora.ports.store import Store, UnitOfWork
from rememora.settings import Entities

PAGE_LIMIT = 200
TARGET_BYTES = 2000


async def mention(store: Store, scope: Scope, mentioned: Mention, *, clock: Clock, settings: Entities) -> Entity:
    """Count a mention; a new value takes the place of the old one."""
    mentioned.check_type(types_of(settings))
    now = clock()
    return await store.write(
        scope, lambda work: count_mention(work, scope, mentioned, at=now, cap=settings.max_per_user)
    )


async def entities(store: Store, scope: Scope, *, limit: int, type: str | None = None) -> list[Entity]:
    """A user's entities, the most mentioned first, then the most recent."""
    check_whole("limit", limit, 1, PAGE_LIMIT)
    return await store.read(scope, lambda work: work.entities.top(scope, limit=limit, type=type))


async def forget_entity(store: Store, scope: Scope, target: str) -> Entity:
    """Let one entity be known no longer, by its key or its id; a mention after that begins anew."""
    check_text("entity", target, max_bytes=TARGET_BYTES)
    return await store.write(scope, lambda work: _forget_one(work, scope, target))


async def restore_entity(store: Store, scope: Scope, target: str, *, cap: int) -> Entity:
    """Let one forgotten entity be known again, with its count, by its key or its id."""
    check_text("entity", target, max_bytes=TARGET_BYTES)
    return (await store.write(scope, lambda work: _restore(work, scope, cap, target)))[0]


async def restore_entities(store: Store, scope: Scope, *, cap: int) -> list[Entity]:
    """Let all that was forgotten be known again; returns it, the most mentioned first."""
    return await store.write(scope, lambda work: _restore(work, scope, cap))


def forget_entities(work: UnitOfWork, scope: Scope) -> None:
    """Let nothing that was mentioned so far be known or counted; it can be restored."""
    gone = work.entities.forget(scope)
    work.index.drop(scope, [ItemKey("entity", entity.id) for entity in gone])
    work.conversations.count_no_further(scope)


def _forget_one(work: UnitOfWork, scope: Scope, target: str) -> Entity:
    gone = work.entities.forget(scope, target)
    if not gone:
        raise NotFound("entity", target)
    work.index.drop(scope, [ItemKey("entity", entity.id) for entity in gone])
    return gone[0]


def _restore(work: UnitOfWork, scope: Scope, cap: int, target: str | None = None) -> list[Entity]:
    back = work.entities.restore(scope, target)
    if target is not None and not back:
        raise NotFound("entity", target)
    gone = set(work.entities.evict(scope, keep=back[0].key if target else "", cap=cap if target else cap + 1))
    work.index.drop(scope, [ItemKey("entity", id) for id in gone])
    kept = [entity for entity in back if entity.id not in gone]
    if kept:
        work.index.put(scope, [ItemKey("entity", entity.id) for entity in kept])
    return sorted(kept, key=lambda entity: -entity.mentions)


def count_mention(work: UnitOfWork, scope: Scope, mentioned: Mention, *, at: datetime, cap: int) -> Entity:
    """Count one mention, keep the index true, and let the least mentioned leave beyond the cap."""
    before = work.entities.get(scope, mentioned.key)
    entity = work.entities.mention(scope, mentioned, at=at)
    key = ItemKey("entity", entity.id)
    same = before is not None and (before.type, before.value) == (entity.type, entity.value)
    # How often and when it was mentioned is told to whoever has it in memory; what says the same keeps its vector.
    if not (same and work.index.touch(scope, key)):
        work.index.put(scope, [key])
    if before is None:
        gone = work.entities.evict(scope, keep=entity.key, cap=cap)
        work.index.drop(scope, [ItemKey("entity", id) for id in gone])
    return entity


def types_of(settings: Entities) -> tuple[str, ...]:
    """The types that the settings name."""
    return tuple(name.strip() for name in settings.types.split(",") if name.strip())
