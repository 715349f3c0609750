"""Entities of one user: people, products and campaigns that are mentioned."""

from __future__ import annotations

import builtins
from typing import Any, Unpack

from rememora.domain.entity import Entity, Mention, MentionOptions
from rememora.handles.deprecated import OldCall
from rememora.handles.user.noun import UserNoun
from rememora.knowledge import entities


class UserEntities(OldCall, UserNoun):
    """The entities that one user mentions, with their counts."""

    async def list(self, *, limit: int = 10, type: str | None = None) -> builtins.list[Entity]:
        """List the entities this user mentions most, then most recently."""
        await self._look()
        return await entities.entities(self._parts.store, self._scope, limit=limit, type=type)

    async def mention(self, type: str, key: str, value: Any, **mentioned: Unpack[MentionOptions]) -> Entity:
        """Count a mention of something structured: a campaign, a person, a product."""
        named = Mention(type=type, key=key, value=value, **mentioned)
        store, clock, settings = self._parts.store, self._parts.clock, self._parts.settings.entities
        return await entities.mention(store, self._scope, named, clock=clock, settings=settings)

    async def forget(self, entity: str) -> Entity:
        """Forget one mentioned entity, by its key or id; a later mention starts a new count."""
        return await entities.forget_entity(self._parts.store, self._scope, entity)

    async def restore(self, entity: str) -> Entity:
        """Restore one forgotten entity with its count, by its key or id."""
        await self._look()
        cap = self._parts.settings.entities.max_per_user
        return await entities.restore_entity(self._parts.store, self._scope, entity, cap=cap)

    async def restore_all(self) -> builtins.list[Entity]:
        """Restore the entities that were forgotten with everything else, with their counts."""
        await self._look()
        cap = self._parts.settings.entities.max_per_user
        return await entities.restore_entities(self._parts.store, self._scope, cap=cap)
