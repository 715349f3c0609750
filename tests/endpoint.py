"""A model endpoint over real HTTP that answers as a test scripts it, well or badly."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

Act = Callable[[asyncio.StreamWriter], Awaitable[None]]


class Endpoint:
    """Plays its acts one by one, the last one for ever, and remembers what it was asked."""

    def __init__(self, *acts: Act) -> None:
        self.acts = list(acts)
        self.asked: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            first, *rest = head.strip().split("\r\n")
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in rest)}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            self.paths.append(first.split()[1])
            self.headers.append(headers)
            self.asked.append(json.loads(body or b"{}"))
            act = self.acts.pop(0) if len(self.acts) > 1 else self.acts[0]
            await act(writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def serving(*acts: Act) -> AsyncIterator[Endpoint]:
    """An endpoint that listens on a free port of this machine."""
    endpoint = Endpoint(*acts)
    server = await asyncio.start_server(endpoint.serve, "127.0.0.1", 0)
    endpoint.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield endpoint
    finally:
        server.close()


def answer(body: object, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Act:
    """One JSON answer."""
    return raw(json.dumps(body).encode(), status=status, headers=headers)


def raw(body: bytes, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Act:
    """Any bytes under a header that promises JSON."""

    async def play(writer: asyncio.StreamWriter) -> None:
        writer.write(_head(status, "application/json", {"content-length": str(len(body)), **(headers or {})}))
        writer.write(body)
        await writer.drain()

    return play


def events(bodies: Sequence[object], *, named: bool = False, end: bytes = b"data: [DONE]\n\n") -> Act:
    """A stream of server-sent events; without an `end` the connection just closes."""

    async def play(writer: asyncio.StreamWriter) -> None:
        writer.write(_head(200, "text/event-stream", {}))
        for body in bodies:
            name = f"event: {body['type']}\n" if named and isinstance(body, dict) else ""
            writer.write(f"{name}data: {json.dumps(body)}\n\n".encode())
            await writer.drain()
        writer.write(end)
        await writer.drain()

    return play


def stalling(bodies: Sequence[object] = ()) -> Act:
    """Says so much of a stream, then nothing more for as long as anybody waits."""

    async def play(writer: asyncio.StreamWriter) -> None:
        await events(bodies, end=b"")(writer)
        await asyncio.sleep(3600)

    return play


def _head(status: int, kind: str, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} X", f"content-type: {kind}", "connection: close"]
    return "\r\n".join([*lines, *(f"{name}: {value}" for name, value in headers.items()), "", ""]).encode()


def chat_answer(text: str | None, **message: Any) -> dict[str, Any]:
    """A Chat Completions answer."""
    said = {"role": "assistant", "content": text, **message}
    choice = {"index": 0, "message": said, "finish_reason": "stop"}
    return {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def chat_chunk(text: str | None, finish: str | None = None) -> dict[str, Any]:
    """A piece of a Chat Completions stream."""
    choice = {"index": 0, "delta": {"content": text} if text else {}, "finish_reason": finish}
    return {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def responses_answer(text: str) -> dict[str, Any]:
    """A Responses answer."""
    content = [{"type": "output_text", "text": text, "annotations": []}]
    message = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": content}
    return {
        "id": "r",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "output": [message],
        "status": "completed",
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def responses_events(*words: str) -> list[dict[str, Any]]:
    """The events of a Responses stream."""
    place = {"item_id": "m", "output_index": 0, "content_index": 0, "logprobs": []}
    deltas = [
        {"type": "response.output_text.delta", "sequence_number": number, "delta": word, **place}
        for number, word in enumerate(words)
    ]
    whole = responses_answer("".join(words))
    return [*deltas, {"type": "response.completed", "sequence_number": len(words), "response": whole}]


def anthropic_answer(text: str) -> dict[str, Any]:
    """A Messages answer."""
    return {
        "id": "x",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def anthropic_events(*words: str) -> list[dict[str, Any]]:
    """The events of a Messages stream."""
    start = {**anthropic_answer(""), "content": [], "stop_reason": None}
    pieces = [{"type": "text_delta", "text": word} for word in words]
    deltas = [{"type": "content_block_delta", "index": 0, "delta": piece} for piece in pieces]
    return [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *deltas,
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]
