"""A whole conversation with its summary and episodes, and search: the paths that hosts already call."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from rememora.domain.episode import Episode, Summary
from rememora.domain.hit import LIMIT, Hit, Kind
from rememora.domain.message import ConversationRecord, Message, Removed
from rememora.errors import InvalidInput
from rememora.server.auth import ApiRequest
from rememora.server.routing import Routes
from rememora.server.words import WRITTEN, ItemList, Moment, Name, Paging

routes = Routes("memory")
EPISODES = 20
"""Number of episodes returned with a conversation; all are under `/conversations/{conversation}/episodes`."""
Query = Annotated[str, Meta(min_length=1, max_length=10_000, pattern=WRITTEN)]


class MemorySearch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Search query: `query`, or `q` for hosts that call it so."""

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
    """One remembered conversation: its record, a page of its messages, its summary, and its newest episodes.

    `next` is the `after` of the following page; it is absent on the last page.
    """

    conversation: ConversationRecord
    messages: list[Message]
    next: str | None
    summary: Summary | None
    episodes: list[Episode]
    more_episodes: bool


@routes.get("/memory/search")
async def search_memory(ask: ApiRequest, query: MemorySearch) -> ItemList[Hit]:
    """Search the user's memory, best hit first, each with its reasons."""
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
    return ItemList(items=hits)


@routes.get("/memory/{conversation}")
async def get_conversation_memory(ask: ApiRequest, conversation: Name, query: Paging) -> ConversationMemory:
    """Return a remembered conversation: messages from its beginning, page by page; episodes newest first."""
    chat = ask.conversation(conversation)
    about = await chat.about()
    page = await chat.messages(limit=query.limit, after=query.after)
    episodes = await chat.list_episodes(limit=EPISODES + 1)
    return ConversationMemory(
        conversation=about,
        messages=list(page.items),
        next=page.next,
        summary=await chat.summary(),
        episodes=episodes[:EPISODES],
        more_episodes=len(episodes) > EPISODES,
    )


@routes.delete("/memory/{conversation}", erases=True)
async def delete_conversation_memory(ask: ApiRequest, conversation: Name) -> Removed:
    """Delete a conversation: its messages, summary, episodes and vectors; returns the counts."""
    return await ask.conversation(conversation).delete()
