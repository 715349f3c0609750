"""The structured things people mention: counted at every mention, the least mentioned leaving first."""

from __future__ import annotations

from rememora.domain.check import check_between
from rememora.domain.entity import Entity, Mention
from rememora.domain.scope import Scope
from rememora.ports.outside import Clock
from rememora.ports.store import Store
from rememora.settings import Entities

PAGE_LIMIT = 200


async def mention(store: Store, scope: Scope, mentioned: Mention, *, clock: Clock, settings: Entities) -> Entity:
    """Count a mention; a new value takes the place of the old one."""
    mentioned.check_type(types_of(settings))
    now = clock()
    return await store.write(
        scope, lambda work: work.entities.mention(scope, mentioned, at=now, cap=settings.max_per_user)
    )


async def entities(store: Store, scope: Scope, *, limit: int, type: str | None = None) -> list[Entity]:
    """A user's entities, the most mentioned first, then the most recent."""
    check_between("limit", limit, 1, PAGE_LIMIT)
    return await store.read(scope, lambda work: work.entities.top(scope, limit=limit, type=type))


def types_of(settings: Entities) -> tuple[str, ...]:
    """The types that the settings name."""
    return tuple(name.strip() for name in settings.types.split(",") if name.strip())
