"""Entities: counted at every mention, with the least mentioned evicted first."""

from __future__ import annotations

from datetime import datetime

from rememora.domain.check import check_text, check_whole
from rememora.domain.entity import Entity, Mention
from rememora.domain.hit import ItemKey
from rememora.domain.scope import Scope
from rememora.domain.visibility import Reason
from rememora.errors import InvalidInput, NotFound
from rememora.ports.outside import Clock
from rememora.ports.store import Store, UnitOfWork
from rememora.settings import EntitySettings
from rememora.visibility.judge import judge_value

PAGE_LIMIT = 200
TARGET_BYTES = 2000


async def mention(
    store: Store, scope: Scope, mention: Mention, *, clock: Clock, settings: EntitySettings
) -> Entity:
    """Count a mention; a new value replaces the old one, and a value with a secret is refused."""
    mention.check_type(types_of(settings))
    hidden = judge_mention(mention)
    if hidden == "secret":
        raise InvalidInput("value", "holds a secret or personal document, which is not kept")
    now = clock()
    return await store.write(
        scope, lambda work: count_mention(work, scope, mention, at=now, cap=settings.max_per_user, hidden=hidden)
    )


async def entities(store: Store, scope: Scope, *, limit: int, type: str | None = None) -> list[Entity]:
    """List a user's entities, the most mentioned first, then the most recent."""
    check_whole("limit", limit, 1, PAGE_LIMIT)
    return await store.read(scope, lambda work: work.entities.top(scope, limit=limit, type=type))


async def forget_entity(store: Store, scope: Scope, target: str) -> Entity:
    """Forget one entity, by its key or its id; a later mention starts a new count."""
    check_text("entity", target, max_bytes=TARGET_BYTES)
    return await store.write(scope, lambda work: _forget_one(work, scope, target))


async def restore_entity(store: Store, scope: Scope, target: str, *, cap: int) -> Entity:
    """Restore one forgotten entity with its count, by its key or its id."""
    check_text("entity", target, max_bytes=TARGET_BYTES)
    return (await store.write(scope, lambda work: _restore(work, scope, cap, target)))[0]


async def restore_entities(store: Store, scope: Scope, *, cap: int) -> list[Entity]:
    """Restore all forgotten entities; returns them, the most mentioned first."""
    return await store.write(scope, lambda work: _restore(work, scope, cap))


def forget_entities(work: UnitOfWork, scope: Scope) -> None:
    """Forget everything mentioned so far; it can be restored."""
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
    # What comes back counts into the cap like a new mention; one that is asked for by name is never displaced.
    gone = set(work.entities.evict(scope, keep=back[0].key if target else "", cap=cap if target else cap + 1))
    work.index.drop(scope, [ItemKey("entity", id) for id in gone])
    kept = [entity for entity in back if entity.id not in gone]
    shown = [ItemKey("entity", entity.id) for entity in kept if entity.hidden is None]
    if shown:
        work.index.put(scope, shown)
    return sorted(kept, key=lambda entity: -entity.mentions)


def judge_mention(mentioned: Mention | Entity) -> Reason | None:
    """Return why an entity's own text must be hidden, or None."""
    return judge_value(mentioned.key.replace("_", " "), mentioned.value)


def count_mention(
    work: UnitOfWork,
    scope: Scope,
    mention: Mention,
    *,
    at: datetime,
    cap: int,
    hidden: Reason | None = None,
    source: str | None = None,
) -> Entity:
    """Count one mention, update the index, and evict the least mentioned entity beyond the cap.

    `hidden` is the verdict on the mention alone, `source` the message of its conversation that contains it.
    """
    before = work.entities.get(scope, mention.key)
    entity = work.entities.mention(scope, mention, at=at, hidden=hidden)
    key = ItemKey("entity", entity.id)
    if before is None:
        work.sources.forget_mentions(scope, entity.key)
    if source is not None and mention.conversation is not None:
        work.sources.add_mention(scope.within(mention.conversation), entity.key, source)
    if entity.hidden is not None:
        work.index.drop(scope, [key])
        return entity
    same = before is not None and (before.type, before.value) == (entity.type, entity.value)
    # Indexes in memory learn the new count and time; an unchanged text keeps its vector.
    if not (same and work.index.touch(scope, key)):
        work.index.put(scope, [key])
    if before is None:
        gone = work.entities.evict(scope, keep=entity.key, cap=cap)
        work.index.drop(scope, [ItemKey("entity", id) for id in gone])
        if gone:
            work.sources.forget_mentions(scope)
    return entity


def types_of(settings: EntitySettings) -> tuple[str, ...]:
    """Return the types in the settings."""
    return tuple(name.strip() for name in settings.types.split(",") if name.strip())
