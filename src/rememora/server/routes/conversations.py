"""History: conversations, their messages, window, summary and episodes."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from rememora.domain.episode import Episode, Summary
from rememora.domain.message import (
    Attachment,
    ConversationRecord,
    Message,
    Modality,
    NewMessage,
    Page,
    Removed,
    Role,
)
from rememora.errors import NotFound
from rememora.server.auth import ApiRequest
from rememora.server.routing import Routes
from rememora.server.words import ItemList, Limit, Moment, Name, Paging, Prose

routes = Routes("conversations")


class NewConversationMessage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A message to append."""

    role: Role
    content: Prose
    id: Name | None = None
    created_at: Moment | None = None
    modality: Modality = "chat"
    channel: Name = "chat"
    attachments: list[Attachment] = []
    metadata: dict[str, Any] = {}


class NewConversationMessages(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Messages to append, in order."""

    messages: Annotated[list[NewConversationMessage], Meta(min_length=1, max_length=500)]


class ConversationChange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes to a conversation; an absent field stays."""

    channel: Name | None = None
    metadata: dict[str, Any] | None = None


class NewestMessages(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Number of the newest to return."""

    limit: Limit = 20


class NewEpisode(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An episode in the host's own words; without them it is summarised from the turns."""

    title: Name | None = None
    summary: Prose | None = None


@routes.get("/conversations")
async def list_conversations(ask: ApiRequest, query: Paging) -> Page[ConversationRecord]:
    """List the user's conversations, newest first."""
    return await ask.memory.conversations.list(limit=query.limit, after=query.after)


@routes.get("/conversations/{conversation}")
async def get_conversation(ask: ApiRequest, conversation: Name) -> ConversationRecord:
    """Return the record of a conversation."""
    return await ask.conversation(conversation).about()


@routes.put("/conversations/{conversation}")
async def put_conversation(ask: ApiRequest, conversation: Name, body: ConversationChange) -> ConversationRecord:
    """Create a conversation, or change its channel or metadata."""
    return await ask.conversation(conversation).describe(channel=body.channel, metadata=body.metadata)


@routes.delete("/conversations/{conversation}", erases=True)
async def delete_conversation(ask: ApiRequest, conversation: Name) -> Removed:
    """Delete a conversation and everything that belongs to it; returns the counts."""
    return await ask.conversation(conversation).delete()


@routes.get("/conversations/{conversation}/messages")
async def list_messages(ask: ApiRequest, conversation: Name, query: Paging) -> Page[Message]:
    """Return the whole conversation from its beginning, page by page."""
    return await ask.conversation(conversation).messages(limit=query.limit, after=query.after)


@routes.post("/conversations/{conversation}/messages", status=201)
async def append_message(ask: ApiRequest, conversation: Name, body: NewConversationMessage) -> Message:
    """Append one message."""
    return await ask.conversation(conversation, channel=body.channel).append(
        body.role,
        body.content,
        id=body.id or once_id(ask),
        created_at=body.created_at,
        modality=body.modality,
        attachments=body.attachments,
        metadata=body.metadata,
    )


@routes.post("/conversations/{conversation}/messages/batch", status=201)
async def append_messages(ask: ApiRequest, conversation: Name, body: NewConversationMessages) -> ItemList[str]:
    """Append many messages in order, as imports do; returns their ids."""
    channel = body.messages[0].channel
    drafts = [_draft(ask, said, place) for place, said in enumerate(body.messages)]
    await ask.conversation(conversation, channel=channel).append_many(drafts)
    return ItemList(items=[draft.id for draft in drafts if draft.id is not None])


@routes.get("/conversations/{conversation}/window")
async def get_window(ask: ApiRequest, conversation: Name, query: NewestMessages) -> ItemList[Message]:
    """Return the newest turns that fit the window, in chronological order."""
    return ItemList(items=await ask.conversation(conversation).last_turns(query.limit))


@routes.get("/conversations/{conversation}/summary")
async def get_summary(ask: ApiRequest, conversation: Name) -> Summary:
    """Return the rolling summary, once the conversation is long enough to have one."""
    summary = await ask.conversation(conversation).summary()
    if summary is None:
        raise NotFound("summary", conversation)
    return summary


@routes.get("/conversations/{conversation}/episodes")
async def list_conversation_episodes(
    ask: ApiRequest, conversation: Name, query: NewestMessages
) -> ItemList[Episode]:
    """List the conversation's episodes, newest first."""
    return ItemList(items=await ask.conversation(conversation).list_episodes(limit=query.limit))


@routes.post("/conversations/{conversation}/episodes", status=201)
async def append_episode(ask: ApiRequest, conversation: Name, body: NewEpisode) -> Episode:
    """End an episode now, with the turns since the last one."""
    return await ask.conversation(conversation).append_episode(title=body.title, summary=body.summary)


def once_id(ask: ApiRequest, place: int = 0) -> str | None:
    """An id that the same Idempotency-Key always gives, so that a repeat after a crash adds nothing."""
    if ask.repeat_key is None:
        return None
    return "once-" + hashlib.sha256(f"{place}\n{ask.repeat_key}".encode()).hexdigest()[:32]


def _draft(ask: ApiRequest, body: NewConversationMessage, place: int) -> NewMessage:
    fields = {name: getattr(body, name) for name in NewMessage.__struct_fields__}
    fields["id"] = body.id or once_id(ask, place) or None
    return NewMessage(**{**fields, "attachments": tuple(body.attachments)})
