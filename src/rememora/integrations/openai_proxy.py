"""Memory in OpenAI-shaped requests: what to add to a request, and what to keep of its answer.

Everything that is not about memory (tools, images, formats, unknown fields) stays as the client sent it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec

from rememora.domain.message import Message
from rememora.handles.conversation import Conversation
from rememora.integrations.turns import OpenTurn, begin_turn, load_turn

Kind = Literal["chat", "responses"]
Body = dict[str, Any]
CONVERSATION = "openai"
_TEXTS = ("text", "input_text", "output_text")


async def prepare(
    chat: Conversation, body: Body, kind: Kind, *, budget: int | None, keep: bool
) -> tuple[Body, OpenTurn]:
    """Store the person's message, carry out its requests to memory, and add memory to the request.

    A request that continues a turn, because its last message is not a person's, gets memory all the same, and
    its answer belongs to the turn that waits for one. A message that may be acted on later is in `waiting`.
    """
    messages = messages_of(body, kind)
    query, known = last_said(messages), map(text_of, messages)
    # A person's newest message may be a picture alone: what was said before it is not said again.
    said = text_of(messages[-1]) if messages and _role(messages[-1]) == "user" else ""
    if keep and said.strip():
        turn = await begin_turn(chat, await _stored(chat, said), known=known, budget=budget, may_wait=True)
    else:
        waiting = await _waiting(chat) if keep else None
        question = None
        # A client that continues a turn (a tool was called) repeats the question: it must not be stored twice.
        if waiting is not None and query in ("", waiting.content):
            question, query = waiting.id, waiting.content
        if not query:
            return body, OpenTurn()
        turn = await load_turn(chat, query, known=known, budget=budget, question=question)
    return with_memory(body, kind, turn.text) if turn.text else body, turn


async def _stored(chat: Conversation, query: str) -> Message:
    """Store a message of the person; one that is sent again before it was answered is the same message."""
    waiting = await _waiting(chat)
    same = waiting is not None and waiting.content == query
    return waiting if waiting is not None and same else await chat.append("user", query)


async def _waiting(chat: Conversation) -> Message | None:
    """Return the person's message that has no answer yet."""
    newest = await chat.last_turns(1)
    return newest[-1] if newest and newest[-1].role == "user" else None


def messages_of(body: Mapping[str, Any], kind: Kind) -> list[Any]:
    """Return the messages of a request, in the form that it has them in."""
    given = body.get("messages" if kind == "chat" else "input")
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    return list(given) if isinstance(given, list) else []


def last_said(messages: list[Any]) -> str:
    """Return what the person said last; a picture or a file says nothing."""
    texts = (text_of(message) for message in reversed(messages) if _role(message) == "user")
    return next((text for text in texts if text.strip()), "")


def with_memory(body: Body, kind: Kind, text: str) -> Body:
    """Return the request with memory as a message before the person's last one: evidence, never an instruction."""
    messages = messages_of(body, kind)
    place = max((n for n, message in enumerate(messages) if _role(message) == "user"), default=len(messages))
    extended = [*messages[:place], {"role": "user", "content": text}, *messages[place:]]
    return {**body, "messages" if kind == "chat" else "input": extended}


def text_of(message: Any) -> str:
    """Return the text of a message, whole or in parts."""
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, Mapping) and part.get("type") in _TEXTS]
    return "\n".join(text for text in texts if isinstance(text, str))


def conversation_of(body: Mapping[str, Any], named: str | None) -> str:
    """Return the conversation of a request: as a header names it, else as the request does."""
    field = body.get("conversation")
    object_id = field.get("id") if isinstance(field, Mapping) else field
    about = body.get("metadata")
    metadata = about.get("conversation") if isinstance(about, Mapping) else None
    return next((name for name in (named, metadata, object_id) if isinstance(name, str) and name), CONVERSATION)


def answer_of(body: Any, kind: Kind) -> str:
    """Return the text of a whole answer."""
    if not isinstance(body, Mapping):
        return ""
    parts = body.get("choices" if kind == "chat" else "output")
    listed = [part for part in parts if isinstance(part, Mapping)] if isinstance(parts, list) else []
    if kind == "chat":
        return text_of(listed[0].get("message")) if listed else ""
    # Reasoning and calls of tools stand among the outputs; only messages are said.
    return "".join(text_of(output) for output in listed if output.get("type") == "message")


class StreamedText:
    """Collects the text of a streamed answer from its bytes, which pass on unchanged."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._rest = b""
        self._texts: list[str] = []

    @property
    def text(self) -> str:
        """Return the messages so far."""
        return "".join(self._texts)

    def hear(self, piece: bytes) -> None:
        """Take in the next bytes, wherever they were cut."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        self._texts.extend(text for line in lines for text in self._said(line.strip()))

    def _said(self, line: bytes) -> Iterator[str]:
        if not line.startswith(b"data:"):
            return
        try:
            event = msgspec.json.decode(line[5:].strip())
        except msgspec.DecodeError:
            return
        text = _delta(event) if self._kind == "chat" else _output(event)
        if isinstance(text, str):
            yield text


def _delta(event: Any) -> Any:
    choices = event.get("choices") if isinstance(event, Mapping) else None
    first = choices[0] if isinstance(choices, list) and choices else {}
    delta = first.get("delta") if isinstance(first, Mapping) and first.get("index", 0) == 0 else None
    return delta.get("content") if isinstance(delta, Mapping) else None


def _output(event: Any) -> Any:
    is_text = isinstance(event, Mapping) and event.get("type") == "response.output_text.delta"
    return event.get("delta") if is_text else None


def _role(message: Any) -> str:
    return str(message.get("role", "")) if isinstance(message, Mapping) else ""
