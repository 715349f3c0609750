"""The chat page: a streamed turn, what it changed in memory, why it was answered so, and temporary talks."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from itertools import takewhile
from typing import Any, Literal, cast

import msgspec
from starlette.responses import Response, StreamingResponse

from rememora.dashboard.answering import PageRequest, Pages, error_page
from rememora.dashboard.client import telling
from rememora.dashboard.frame import SAFE, html
from rememora.dashboard.markdown import to_html
from rememora.domain.check import check_name
from rememora.domain.context import ContextPack, MemoryAction, Reply, ReplyPart
from rememora.domain.ids import new_id
from rememora.domain.memory import Memory, Proposal
from rememora.domain.message import Message, Modality
from rememora.errors import InvalidInput, NotFound, RememoraError
from rememora.handles.user import UserMemory

logger = logging.getLogger(__name__)
EVENTS = "text/event-stream"
SHOWN = 200
TURNS_APART = 20


class TemporaryTurn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One turn of a temporary talk, as the browser holds it."""

    role: Literal["user", "assistant"]
    content: str


class ChatAction(msgspec.Struct, frozen=True, kw_only=True):
    """Something done to memory because of a turn, with what it concerns."""

    deed: MemoryAction
    memories: tuple[Memory, ...] = ()
    replaced: tuple[Memory, ...] = ()
    question: Proposal | None = None


class LeftOutGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Items of one kind that were left out for one cause."""

    section: str
    why: str
    number: int = 0
    tokens: int = 0


class AnswerGrounds(msgspec.Struct, frozen=True, kw_only=True):
    """Grounds of an answer: memories, and the context exactly as the model got it."""

    memories: tuple[Memory, ...] = ()
    context: str = ""
    pack: ContextPack | None = None

    @property
    def left_out(self) -> list[LeftOutGroup]:
        """Count the items that were found and are not in the pack, by kind and cause."""
        counts: dict[tuple[str, str], LeftOutGroup] = {}
        for item in () if self.pack is None else self.pack.left_out:
            had = counts.get((item.section, item.why), LeftOutGroup(section=item.section, why=item.why))
            counts[item.section, item.why] = msgspec.structs.replace(
                had, number=had.number + 1, tokens=had.tokens + item.tokens
            )
        return list(counts.values())


def add_routes(pages: Pages) -> None:
    """Routes of the chat."""
    pages.own("/chat", show)
    pages.own("/chat/why", show_why)
    pages.own("/chat/say", say, method="POST")
    pages.own("/chat/temporary", say_apart, method="POST")


async def show(request: PageRequest) -> Response:
    """The chat: a new conversation, one that goes on, or a temporary one."""
    temporary = request.query.get("temporary") == "1"
    id = request.query.get("conversation") or new_id()
    person = request.visitor.person(request.rememora)
    messages = [] if temporary else await _messages(person, check_name("conversation", id))
    turns = [await _told(person, message) for message in messages]
    return request.page("chat.html", conversation=id, turns=turns, temporary=temporary, **telling(request))


class ToldTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A stored message of the chat, with the memories that its answer used and changed."""

    message: Message
    rendered: str
    used: tuple[Memory, ...] = ()
    changed: tuple[Memory, ...] = ()


async def _told(person: UserMemory, message: Message) -> ToldTurn:
    named = message.metadata if message.role == "assistant" else {}
    changed = await _known(person, _ids(named, "changed_memories"))
    return ToldTurn(
        message=message,
        rendered=to_html(message.content),
        used=await _known(person, _ids(named, "used_memories")),
        changed=changed,
    )


def _ids(metadata: Mapping[str, Any], name: str) -> list[str]:
    """Ids that an answer's metadata name; a host may have written anything there."""
    values = metadata.get(name) or ()
    return [id for id in values if isinstance(id, str)] if isinstance(values, list | tuple) else []


async def _messages(person: UserMemory, id: str) -> Sequence[Message]:
    """The newest turns of a conversation; none where it does not exist yet."""
    try:
        page = await person.conversation(id).messages(limit=SHOWN)
        while page.next is not None:
            page = await person.conversation(id).messages(limit=SHOWN, after=page.next)
    except NotFound:
        return ()
    return [message for message in page.items if message.role in ("user", "assistant")]


async def show_why(request: PageRequest) -> Response:
    """The context of an earlier answer, rebuilt: what a model would get for the same question now."""
    id = check_name("conversation", request.query.get("conversation", ""))
    person = request.visitor.person(request.rememora)
    question = _question(await _messages(person, id), request.query.get("message", ""))
    pack = await person.conversation(id).context(question.content)
    why = await _why(request, person, (), pack)
    template = "why_old.html" if request.visitor.partial else "why_page.html"
    return request.page(template, why=why, question=question.content, conversation=id)


def _question(messages: Sequence[Message], answer: str) -> Message:
    """Return the message of a person that an answer belongs to."""
    before = takewhile(lambda turn: turn.id != answer, messages)
    said = [turn for turn in before if turn.role == "user"]
    if not said or all(message.id != answer for message in messages):
        raise NotFound("message", answer)
    return said[-1]


async def say(request: PageRequest) -> Response:
    """One turn: streamed to the page's script, or answered whole where there is none."""
    text, id = _text(request), check_name("conversation", request.form.get("conversation") or new_id())
    modality: Modality = "voice" if request.form.get("modality") == "voice" else "chat"
    person = request.visitor.person(request.rememora)
    talk, key = person.conversation(id), request.form.get("key") or None
    if EVENTS not in request.request.headers.get("accept", ""):
        await talk.reply(text, key=key, modality=modality)
        return request.to(f"/chat?conversation={id}")
    events = _events(request, talk.stream(text, key=key, modality=modality))
    return StreamingResponse(events, headers={**SAFE, "X-Accel-Buffering": "no"}, media_type=EVENTS)


async def say_apart(request: PageRequest) -> Response:
    """One turn of a temporary talk: answered from memory, stored nowhere."""
    try:
        said = msgspec.json.decode(request.form.get("said", "[]"), type=list[TemporaryTurn])
    except msgspec.MsgspecError:
        raise InvalidInput("said", "must be the turns so far") from None
    person = request.visitor.person(request.rememora)
    earlier = [msgspec.structs.asdict(message) for message in said[-TURNS_APART:] if message.content.strip()]
    answer = await person.conversations.reply_unstored(_text(request), said=earlier)
    rendered = html(
        request.visitor,
        "turn.html",
        answer=to_html(answer.text),
        deeds=(),
        why=await _why(request, person, answer.used_memories, answer.pack),
        partial=False,
        **telling(request),
    )
    body = msgspec.json.encode({"text": answer.text, "html": rendered})
    return Response(body, media_type="application/json", headers=SAFE)


def _text(request: PageRequest) -> str:
    text = request.form.get("text", "").strip()
    if not text:
        raise InvalidInput("text", "must not be empty")
    return text


async def _events(request: PageRequest, pieces: AsyncIterator[ReplyPart]) -> AsyncIterator[bytes]:
    """The pieces of an answer, and at the end the whole turn as the page shows it."""
    person, caller = request.visitor.person(request.rememora), request.visitor.caller
    assert caller is not None
    with request.places.stream(caller) as free:
        if not free:
            yield _event("trouble", html(request.visitor, "notice.html", message="error.busy"))
            return
        async for event in _stream(request, person, pieces):
            yield event


async def _stream(
    request: PageRequest, person: UserMemory, pieces: AsyncIterator[ReplyPart]
) -> AsyncIterator[bytes]:
    try:
        async with aclosing(cast("Any", pieces)):
            async for piece in pieces:
                if piece.reply is None:
                    yield _event("piece", piece.text)
                else:
                    yield _event("turn", await _turn(request, person, piece.reply))
    except (RememoraError, TimeoutError) as error:
        yield _event("trouble", bytes(error_page(_partial(request), error).body).decode())
    except Exception as error:
        logger.exception("a streamed turn failed: %s", type(error).__name__)
        yield _event("trouble", html(request.visitor, "notice.html", message="error.trouble"))


def _partial(request: PageRequest) -> Any:
    return msgspec.structs.replace(request.visitor, partial=True)


def _event(name: str, value: str) -> bytes:
    return f"event: {name}\ndata: {msgspec.json.encode(value).decode()}\n\n".encode()


async def _turn(request: PageRequest, person: UserMemory, reply: Reply) -> str:
    return html(
        request.visitor,
        "turn.html",
        answer=to_html(reply.text),
        told=reply.text,
        deeds=[await _done(person, deed) for deed in reply.deeds],
        why=await _why(request, person, reply.used_memories, reply.pack),
        partial=reply.partial,
        **telling(request),
    )


async def _done(person: UserMemory, deed: MemoryAction) -> ChatAction:
    memories = await _known(person, deed.memories)
    replaced: tuple[Memory, ...] = ()
    if deed.kind == "corrected":
        replaced = await _known(person, [memory.supersedes for memory in memories if memory.supersedes])
    question = None
    if deed.question is not None:
        question = next(
            (proposal for proposal in await person.proposals.list() if proposal.id == deed.question), None
        )
    return ChatAction(deed=deed, memories=memories, replaced=replaced, question=question)


async def _why(
    request: PageRequest, person: UserMemory, used: Sequence[str], pack: ContextPack | None
) -> AnswerGrounds:
    context = "" if pack is None else str(request.rememora.render(pack, "markdown"))
    return AnswerGrounds(memories=await _known(person, used), context=context, pack=pack)


async def _known(person: UserMemory, ids: Sequence[str]) -> tuple[Memory, ...]:
    """The memories of these ids that still exist."""
    memories: list[Memory] = []
    for id in ids:
        try:
            memories.append(await person.memories.get(id))
        except NotFound:
            continue
    return tuple(memories)
