"""The memory of a conversation in one piece, and search: the addresses that hosts already call."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from rememora.domain.episode import Episode, Summary
from rememora.domain.hit import LIMIT, Hit, Kind
from rememora.domain.message import ConversationRecord, Message, Removed
from rememora.errors import InvalidInput
from rememora.server.auth import Ask
from rememora.server.route import Routes
from rememora.server.words import WRITTEN, Listed, Moment, Name

routes = Routes("memory")
Query = Annotated[str, Meta(min_length=1, max_length=10_000, pattern=WRITTEN)]


class Asked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to look for: `query`, or `q` as some hosts say."""

    query: Query | None = None
    q: Query | None = None
    limit: Annotated[int, Meta(ge=1, le=LIMIT)] = 5
    kinds: list[Kind] | None = None
    min_similarity: Annotated[float, Meta(ge=0, le=1)] | None = None
    conversation: Name | None = None
    exclude_conversation: Name | None = None
    category: Name | None = None
    since: Moment | None = None
    until: Moment | None = None


class ConversationMemory(msgspec.Struct, frozen=True, kw_only=True):
    """All that is remembered of one conversation: itself, its window, its summary, its episodes."""

    conversation: ConversationRecord
    messages: list[Message]
    summary: Summary | None
    episodes: list[Episode]


@routes.get("/memory/search")
async def search_memory(ask: Ask, query: Asked) -> Listed[Hit]:
    """What of the user's memory answers the query, best first, each hit with its reasons."""
    text = query.query or query.q
    if text is None:
        raise InvalidInput("query", "is missing")
    hits = await ask.memory.recall(
        text,
        limit=query.limit,
        kinds=query.kinds,
        min_similarity=query.min_similarity,
        conversation=query.conversation,
        exclude_conversation=query.exclude_conversation,
        category=query.category,
        since=query.since,
        until=query.until,
    )
    return Listed(items=hits)


@routes.get("/memory/{conversation}")
async def get_conversation_memory(ask: Ask, conversation: Name) -> ConversationMemory:
    """All that is remembered of a conversation."""
    chat = ask.conversation(conversation)
    return ConversationMemory(
        conversation=await chat.about(),
        messages=await chat.last_turns(),
        summary=await chat.summary(),
        episodes=await chat.list_episodes(),
    )


@routes.delete("/memory/{conversation}")
async def delete_conversation_memory(ask: Ask, conversation: Name) -> Removed:
    """Forget a conversation: its messages, summary, episodes and vectors; says how much that was."""
    return await ask.conversation(conversation).delete()
