"""The chat page: a streamed turn, what it changed in memory, why it was answered so, and temporary talks."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any, Literal, cast

import msgspec
from starlette.responses import Response, StreamingResponse

from rememora.dashboard.answering import Asked, Pages, told
from rememora.dashboard.client import telling
from rememora.dashboard.frame import SAFE, html
from rememora.dashboard.markdown import to_html
from rememora.domain.check import check_name
from rememora.domain.context import ContextPack, Deed, Piece, Reply
from rememora.domain.ids import new_id
from rememora.domain.memory import Memory, Proposal
from rememora.domain.message import Message, Modality
from rememora.errors import InvalidInput, NotFound, RememoraError
from rememora.handles.user import UserMemory

logger = logging.getLogger(__name__)
EVENTS = "text/event-stream"
SHOWN = 200
TURNS_APART = 20


class Said(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One turn of a temporary talk, as the browser holds it."""

    role: Literal["user", "assistant"]
    content: str


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """Something done to memory because of a turn, with what it concerns."""

    deed: Deed
    memories: tuple[Memory, ...] = ()
    replaced: tuple[Memory, ...] = ()
    question: Proposal | None = None


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """Items of one kind that were left out for one cause."""

    section: str
    why: str
    number: int = 0
    tokens: int = 0


class Why(msgspec.Struct, frozen=True, kw_only=True):
    """Grounds of an answer: memories, and the context exactly as the model got it."""

    memories: tuple[Memory, ...] = ()
    context: str = ""
    pack: ContextPack | None = None

    @property
    def left_out(self) -> list[Left]:
        """Count the items that were found and are not in the pack, by kind and cause."""
        counts: dict[tuple[str, str], Left] = {}
        for item in () if self.pack is None else self.pack.left_out:
            had = counts.get((item.section, item.why), Left(section=item.section, why=item.why))
            counts[item.section, item.why] = msgspec.structs.replace(
                had, number=had.number + 1, tokens=had.tokens + item.tokens
            )
        return list(counts.values())


def add_routes(pages: Pages) -> None:
    """Routes of the chat."""
    pages.own("/chat", show)
    pages.own("/chat/say", say, method="POST")
    pages.own("/chat/temporary", say_apart, method="POST")


async def show(asked: Asked) -> Response:
    """The chat: a new conversation, one that goes on, or a temporary one."""
    temporary = asked.query.get("temporary") == "1"
    id = asked.query.get("conversation") or new_id()
    person = asked.visitor.person(asked.rememora)
    messages = [] if temporary else await _messages(person, check_name("conversation", id))
    turns = [(each, to_html(each.content), await _used(person, each)) for each in messages]
    return asked.page("chat.html", conversation=id, turns=turns, temporary=temporary, **telling(asked))


async def _messages(person: UserMemory, id: str) -> Sequence[Message]:
    """The newest turns of a conversation; none where it does not exist yet."""
    try:
        page = await person.conversation(id).messages(limit=SHOWN)
        while page.next is not None:
            page = await person.conversation(id).messages(limit=SHOWN, after=page.next)
    except NotFound:
        return ()
    return [message for message in page.items if message.role in ("user", "assistant")]


async def say(asked: Asked) -> Response:
    """One turn: streamed to the page's script, or answered whole where there is none."""
    text, id = _text(asked), check_name("conversation", asked.form.get("conversation") or new_id())
    modality: Modality = "voice" if asked.form.get("modality") == "voice" else "chat"
    person = asked.visitor.person(asked.rememora)
    talk, key = person.conversation(id), asked.form.get("key") or None
    if EVENTS not in asked.request.headers.get("accept", ""):
        await talk.reply(text, key=key, modality=modality)
        return asked.to(f"/chat?conversation={id}")
    events = _events(asked, talk.stream(text, key=key, modality=modality))
    return StreamingResponse(events, headers={**SAFE, "X-Accel-Buffering": "no"}, media_type=EVENTS)


async def say_apart(asked: Asked) -> Response:
    """One turn of a temporary talk: answered from memory, stored nowhere."""
    try:
        said = msgspec.json.decode(asked.form.get("said", "[]"), type=list[Said])
    except msgspec.MsgspecError:
        raise InvalidInput("said", "must be the turns so far") from None
    person = asked.visitor.person(asked.rememora)
    earlier = [msgspec.structs.asdict(each) for each in said[-TURNS_APART:] if each.content.strip()]
    answer = await person.reply_apart(_text(asked), said=earlier)
    rendered = html(
        asked.visitor,
        "turn.html",
        answer=to_html(answer.text),
        deeds=(),
        why=await _why(asked, person, answer.used_memories, answer.pack),
        partial=False,
        **telling(asked),
    )
    body = msgspec.json.encode({"text": answer.text, "html": rendered})
    return Response(body, media_type="application/json", headers=SAFE)


def _text(asked: Asked) -> str:
    text = asked.form.get("text", "").strip()
    if not text:
        raise InvalidInput("text", "must not be empty")
    return text


async def _events(asked: Asked, pieces: AsyncIterator[Piece]) -> AsyncIterator[bytes]:
    """The pieces of an answer, and at the end the whole turn as the page shows it."""
    person, caller = asked.visitor.person(asked.rememora), asked.visitor.caller
    assert caller is not None
    with asked.places.stream(caller) as free:
        if not free:
            yield _event("trouble", html(asked.visitor, "notice.html", message="error.busy"))
            return
        async for event in _told(asked, person, pieces):
            yield event


async def _told(asked: Asked, person: UserMemory, pieces: AsyncIterator[Piece]) -> AsyncIterator[bytes]:
    try:
        async with aclosing(cast("Any", pieces)):
            async for piece in pieces:
                if piece.reply is None:
                    yield _event("piece", piece.text)
                else:
                    yield _event("turn", await _turn(asked, person, piece.reply))
    except (RememoraError, TimeoutError) as error:
        yield _event("trouble", bytes(told(_partial(asked), error).body).decode())
    except Exception as error:
        logger.exception("a streamed turn failed: %s", type(error).__name__)
        yield _event("trouble", html(asked.visitor, "notice.html", message="error.trouble"))


def _partial(asked: Asked) -> Any:
    return msgspec.structs.replace(asked.visitor, partial=True)


def _event(name: str, value: str) -> bytes:
    return f"event: {name}\ndata: {msgspec.json.encode(value).decode()}\n\n".encode()


async def _turn(asked: Asked, person: UserMemory, reply: Reply) -> str:
    return html(
        asked.visitor,
        "turn.html",
        answer=to_html(reply.text),
        deeds=[await _done(person, deed) for deed in reply.deeds],
        why=await _why(asked, person, reply.used_memories, reply.pack),
        partial=reply.partial,
        **telling(asked),
    )


async def _done(person: UserMemory, deed: Deed) -> Done:
    memories = await _known(person, deed.memories)
    replaced: tuple[Memory, ...] = ()
    if deed.kind == "corrected":
        replaced = await _known(person, [each.supersedes for each in memories if each.supersedes])
    question = None
    if deed.question is not None:
        question = next((each for each in await person.proposals() if each.id == deed.question), None)
    return Done(deed=deed, memories=memories, replaced=replaced, question=question)


async def _why(asked: Asked, person: UserMemory, used: Sequence[str], pack: ContextPack | None) -> Why:
    context = "" if pack is None else str(asked.rememora.render(pack, "markdown"))
    return Why(memories=await _known(person, used), context=context, pack=pack)


async def _used(person: UserMemory, message: Message) -> tuple[Memory, ...]:
    """The memories that a stored answer used."""
    used = message.metadata.get("used_memories", ()) if message.role == "assistant" else ()
    return await _known(person, [id for id in used if isinstance(id, str)])


async def _known(person: UserMemory, ids: Sequence[str]) -> tuple[Memory, ...]:
    """The memories of these ids that still exist."""
    found: list[Memory] = []
    for id in ids:
        try:
            found.append(await person.memory(id))
        except NotFound:
            continue
    return tuple(found)
