"""One turn with the agent, whole or streamed, and its context."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any, Literal, TypedDict, cast

import msgspec
from msgspec import Meta

from rememora.domain.context import (
    ContextPack,
    Form,
    MemoryAction,
    Placement,
    Reply,
    ReplyPart,
    Situation,
    UnstoredReply,
)
from rememora.domain.ids import new_id
from rememora.domain.message import Attachment, Message, Modality, NewMessage
from rememora.errors import RightMissing
from rememora.server.auth import ApiRequest
from rememora.server.routes.conversations import once_id
from rememora.server.routing import Routes
from rememora.server.sse import Sent, Stream
from rememora.server.words import Name, Prose
from rememora.turn import ReplyOptions

routes = Routes("chat")
Budget = Annotated[int, Meta(ge=1, le=1_000_000, description="Tokens of memory.")]


class ChatMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A message to the agent; hosts name its text and its conversation differently, and may add fields."""

    message: Prose | None = None
    text: Prose | None = None
    content: Prose | None = None
    conversation: Name | None = None
    conversation_id: Name | None = None
    session_id: Name | None = None
    thread_id: Name | None = None
    mission_id: Name | None = None
    channel: Name = "chat"
    modality: Modality = "chat"
    attachments: list[Attachment] = []
    stream: bool = False
    budget: Budget | None = None
    situation: Situation | None = None
    instructions: Prose | None = None
    placement: Placement | None = None

    def __post_init__(self) -> None:
        if self.said is None:
            raise ValueError("Object missing required field `message`")

    @property
    def said(self) -> str | None:
        """Return the text, under any of its names."""
        return self.message or self.text or self.content


class EarlierTurn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One turn of a temporary chat, which only the caller keeps."""

    role: Literal["user", "assistant"]
    content: Prose


class TemporaryChat(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question of a temporary chat."""

    message: Prose
    said: Annotated[list[EarlierTurn], Meta(max_length=100)] = []
    budget: Budget | None = None


class ChatReply(msgspec.Struct, frozen=True, kw_only=True):
    """One finished turn."""

    conversation_id: str
    reply: str
    asked: Message
    answer: Message
    used_memories: tuple[str, ...]
    deeds: tuple[MemoryAction, ...]
    partial: bool
    replayed: bool
    mission_id: str | None = None


class ContextQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Query of a context."""

    query: Prose
    budget: Budget | None = None
    modality: Modality | None = None
    situation: Situation | None = None
    mission_id: Name | None = None


class RenderQuery(ContextQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Query of a context, and the form for the model."""

    form: Form = "chat"
    placement: Placement = "instructions"


class RenderedContext(msgspec.Struct, frozen=True, kw_only=True):
    """The context in the form of a model."""

    form: Form
    rendered: Any
    tokens: int


@routes.post("/chat", once=False, streams=True, patient=True, answer=ChatReply)
async def chat(ask: ApiRequest, body: ChatMessage) -> ChatReply | Stream:
    """Run one turn: store the message, answer it from memory, and store the answer; streamed on request.

    An Idempotency-Key makes a retry safe: the same key is the same turn, and is answered once.
    """
    text = body.said or ""
    named = (body.conversation, body.conversation_id, body.session_id, body.thread_id)
    conversation = next(filter(None, named), None) or new_id()
    thread = ask.conversation(conversation, channel=body.channel)
    wishes = _wishes(ask, body)
    if body.stream:
        if body.mission_id is not None and ask.repeat_key is None:
            # While there is still a status to answer with; a repeat may outlive its mission.
            await ask.memory.missions.get(body.mission_id)
        return Stream(_events(thread.stream(text, key=once_id(ask), **wishes), body))
    return _chatted(await thread.reply(text, key=once_id(ask), **wishes), body)


@routes.post("/chat/temporary", once=False, patient=True, reads=True)
async def chat_temporary(ask: ApiRequest, body: TemporaryChat) -> UnstoredReply:
    """Answer once from memory; neither question nor answer is stored."""
    said = [NewMessage(role=turn.role, content=turn.content) for turn in body.said]
    budget: ReplyOptions = {} if body.budget is None else {"budget": body.budget}
    return await ask.voice.conversations.reply_unstored(body.message, said=said, **budget)


@routes.post("/conversations/{conversation}/context", once=False, reads=True)
async def get_context(ask: ApiRequest, conversation: Name, body: ContextQuery) -> ContextPack:
    """Build the context for a query, within a budget of tokens, each item with its origin and reason."""
    return await _context(ask, conversation, body)


@routes.post("/conversations/{conversation}/context/rendered", once=False, reads=True)
async def render_context(ask: ApiRequest, conversation: Name, body: RenderQuery) -> RenderedContext:
    """Build the same context in the form of OpenAI Responses or Chat, Anthropic, LangChain, or plain text."""
    pack = await _context(ask, conversation, body)
    written = ask.rememora.render(pack, body.form, placement=body.placement)
    return RenderedContext(form=body.form, rendered=written, tokens=pack.tokens)


async def _context(ask: ApiRequest, conversation: str, body: ContextQuery) -> ContextPack:
    return await ask.conversation(conversation).context(
        body.query,
        budget=body.budget,
        modality=body.modality,
        mission=body.mission_id,
        **_moment(ask, body.situation),
    )


async def _events(pieces: AsyncIterator[ReplyPart], body: ChatMessage) -> AsyncIterator[Sent]:
    async with aclosing(cast("Any", pieces)):
        async for piece in pieces:
            if piece.reply is not None:
                yield Sent(event="reply", value=_chatted(piece.reply, body))
            else:
                yield Sent(event="piece", value={"text": piece.text})


def _chatted(reply: Reply, body: ChatMessage) -> ChatReply:
    return ChatReply(
        conversation_id=reply.answer.conversation,
        reply=reply.text,
        asked=reply.asked,
        answer=reply.answer,
        used_memories=reply.used_memories,
        deeds=reply.deeds,
        partial=reply.partial,
        replayed=reply.replayed,
        mission_id=body.mission_id,
    )


def _wishes(ask: ApiRequest, body: ChatMessage) -> ReplyOptions:
    if body.instructions is not None and "serve" not in ask.caller.rights:
        raise RightMissing("serve")
    given = {
        "modality": body.modality,
        "attachments": body.attachments,
        "budget": body.budget,
        **_moment(ask, body.situation),
        "instructions": body.instructions,
        "placement": body.placement,
        "mission": body.mission_id,
    }
    return cast("ReplyOptions", {name: value for name, value in given.items() if value is not None})


class SituationClaim(TypedDict):
    """Split the situation into what the tenant states and what the caller claims."""

    situation: Situation
    claimed: Situation


def _moment(ask: ApiRequest, given: Situation | None) -> SituationClaim:
    """Return the situation as the caller states it; plan and quotas come from the store.

    Only an application or an administrator of the tenant may set text above the fence; anything else is treated
    as data.
    """
    said = msgspec.structs.replace(given or Situation(), plan=None, quotas={})
    if "serve" in ask.caller.rights:
        return SituationClaim(situation=said, claimed=Situation())
    return SituationClaim(situation=Situation(), claimed=said)
