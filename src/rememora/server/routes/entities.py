"""The structured things people mention, and the episodes of all their conversations."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from rememora.domain.entity import CONFIDENCE, Entity
from rememora.domain.episode import Episode
from rememora.server.auth import ApiRequest
from rememora.server.routing import Routes
from rememora.server.words import ItemList, Limit, Name

routes = Routes("entities")


class NewMention(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One time that something was mentioned."""

    type: Name
    key: Name
    value: Any
    confidence: Annotated[float, Meta(ge=0, le=1)] = CONFIDENCE
    conversation: Name | None = None


class EntityQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Filter on entities."""

    limit: Annotated[int, Meta(ge=1, le=200)] = 10
    type: Name | None = None


class EpisodeQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Filter on episodes."""

    limit: Limit = 20
    conversation: Name | None = None


@routes.get("/entities")
async def list_entities(ask: ApiRequest, query: EntityQuery) -> ItemList[Entity]:
    """List the entities the user mentions most, then most recently."""
    return ItemList(items=await ask.memory.entities.list(limit=query.limit, type=query.type))


@routes.post("/entities", status=201)
async def mention_entity(ask: ApiRequest, body: NewMention) -> Entity:
    """Count a mention of something structured: a campaign, a person, a product."""
    return await ask.memory.entities.mention(
        body.type, body.key, body.value, confidence=body.confidence, conversation=body.conversation
    )


@routes.post("/entities/restore")
async def restore_entities(ask: ApiRequest) -> ItemList[Entity]:
    """Let the mentions that were forgotten with everything else be known again, with their counts."""
    return ItemList(items=await ask.memory.entities.restore_all())


@routes.delete("/entities/{entity}")
async def forget_entity(ask: ApiRequest, entity: Name) -> Entity:
    """Let one mentioned thing be known no longer, by its key or id; it can be restored."""
    return await ask.memory.entities.forget(entity)


@routes.post("/entities/{entity}/restore")
async def restore_entity(ask: ApiRequest, entity: Name) -> Entity:
    """Let one forgotten thing be known again, with its count."""
    return await ask.memory.entities.restore(entity)


@routes.get("/episodes")
async def list_episodes(ask: ApiRequest, query: EpisodeQuery) -> ItemList[Episode]:
    """The user's episodes, of one conversation or of all, newest first."""
    return ItemList(
        items=await ask.memory.conversations.episodes(conversation=query.conversation, limit=query.limit)
    )
