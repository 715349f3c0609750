"""Server-sent events: an async iterator, one event per item, with a heartbeat that detects dead clients."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

import msgspec

from rememora.cancellation import cancel_and_wait

HEARTBEAT_SECONDS = 15.0
MEDIA_TYPE = "text/event-stream"
CONTENT_TYPE = f"{MEDIA_TYPE}; charset=utf-8"


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """One event of a stream."""

    event: str
    value: Any
    id: str | None = None


class Stream(msgspec.Struct, frozen=True):
    """A streamed answer of events."""

    events: AsyncIterator[Sent]


class RawStream(msgspec.Struct, frozen=True, kw_only=True):
    """A streamed answer in bytes with a status and headers, for answers of an upstream."""

    pieces: AsyncIterator[bytes]
    status: int = 200
    headers: Mapping[str, str]
    close: Callable[[], Awaitable[None]] | None = None
    """Ends what it comes from, where no piece is ever asked for."""


def written(sent: Sent) -> bytes:
    """Encode an event for the wire; JSON contains no raw line breaks."""
    lines = [f"event: {sent.event}"]
    if sent.id is not None:
        lines.append(f"id: {sent.id}")
    lines.append(f"data: {msgspec.json.encode(sent.value).decode()}")
    return ("\n".join(lines) + "\n\n").encode()


async def beating(events: AsyncIterator[Sent]) -> AsyncIterator[bytes]:
    """Encode the events, with a comment whenever nothing was sent for a while."""
    waiting = asyncio.ensure_future(anext(events, None))
    try:
        while True:
            done, _ = await asyncio.wait({waiting}, timeout=HEARTBEAT_SECONDS)
            if not done:
                yield b": still here\n\n"
                continue
            sent = waiting.result()
            if sent is None:
                return
            yield written(sent)
            waiting = asyncio.ensure_future(anext(events, None))
    finally:
        try:
            with suppress(Exception):
                await cancel_and_wait(waiting)
        finally:
            closer = getattr(events, "aclose", None)
            # One that is still winding down was told to end already, and must not be told twice.
            if closer is not None and waiting.done():
                await closer()
