"""The OpenAI-compatible proxy at `/v1`: requests go to an upstream, with memory added, and are remembered.

The upstream's key comes from a setting or from the request, is sent only to the upstream, and is never stored.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, cast
from urllib.parse import quote

import msgspec
from starlette.responses import Response

from rememora.app import Rememora
from rememora.domain.check import check_name
from rememora.errors import InvalidInput, MissingExtra, ModelUnavailable, RememoraError, Unavailable
from rememora.handles.conversation import Conversation
from rememora.integrations.openai_proxy import (
    Body,
    Kind,
    StreamedText,
    answer_of,
    conversation_of,
    prepare,
)
from rememora.integrations.turns import OpenTurn, keep_answer
from rememora.server.auth import ApiRequest
from rememora.server.routing import Routes
from rememora.server.sse import RawStream

logger = logging.getLogger(__name__)
PREFIX = "/v1"
MEMORY_HEADER = "x-rememora-memory"
CONVERSATION_HEADER = "x-rememora-conversation"
UPSTREAM_KEY_HEADER = "x-upstream-key"
ADDED_HEADER = "x-rememora-added-ms"
USED_HEADER = "x-rememora-memories"
PASSED_UP = ("accept", "content-type", "user-agent", "idempotency-key", "openai-")
PASSED_DOWN = ("content-type", "openai-", "x-ratelimit-", "retry-after", "x-should-retry", "x-request-id")
CONNECT_SECONDS = 10.0
"""Time limit for a connection to the upstream; an answer may take far longer."""
KEPT_CONNECTIONS = 50
"""Connections that stay open between requests."""
Wish = Literal["on", "read", "off"]


class ProxyDoor:
    """Forwards requests; its HTTP client is created with the first one."""

    def __init__(self, rememora: Rememora) -> None:
        self._settings = rememora.settings.proxy
        self._client: Any = None
        self._keeping: set[asyncio.Task[None]] = set()

    def routes(self) -> Routes:
        """Return the operations that OpenAI's clients call, if an upstream is configured."""
        routes = Routes("openai", prefix=PREFIX)
        if not self._settings.upstream:
            return routes
        passed: Any = {"once": False, "patient": True, "forwarded": True, "answer": Any}
        how: Any = {**passed, "streams": True}

        @routes.post("/chat/completions", **how)
        async def chat_completions(ask: ApiRequest, body: Body) -> Response | RawStream:
            """Answer a chat completion with memory."""
            return await self._turn(ask, body, "chat")

        @routes.post("/responses", **how)
        async def responses(ask: ApiRequest, body: Body) -> Response | RawStream:
            """Answer a response with memory."""
            return await self._turn(ask, body, "responses")

        @routes.post("/embeddings", **passed, content=None)
        async def embeddings(ask: ApiRequest, body: Body) -> Response:
            """Embed texts with the upstream's model; memory has no part in it."""
            return await self._forwarded("POST", "/embeddings", ask, body)

        @routes.get("/models", **passed, content=None)
        async def models(ask: ApiRequest) -> Response:
            """List the upstream's models."""
            return await self._forwarded("GET", "/models", ask)

        @routes.get("/models/{model}", **passed, content=None)
        async def model(ask: ApiRequest, model: str) -> Response:
            """Describe one of the upstream's models."""
            return await self._forwarded("GET", f"/models/{quote(model, safe='')}", ask)

        return routes

    async def close(self) -> None:
        """Wait for answers that are being stored, and close connections."""
        if self._keeping:
            await asyncio.gather(*self._keeping, return_exceptions=True)
        if self._client is not None:
            await self._client.aclose()

    async def _turn(self, ask: ApiRequest, body: Body, kind: Kind) -> Response | RawStream:
        chat = ask.conversation(check_name(CONVERSATION_HEADER, conversation_of(body, _named(ask))))
        begun = time.perf_counter()
        extended, turn, state = await self._prepared(ask, chat, body, kind)
        added = time.perf_counter() - begun
        path = "/chat/completions" if kind == "chat" else "/responses"
        sent = asyncio.Event()
        acting = self._act_later(chat, turn, sent)
        try:
            answered = await self._sent("POST", path, ask, extended, sent)
        finally:
            sent.set()
        headers = {**_down(answered.headers), USED_HEADER: f"{len(turn.used)}", MEMORY_HEADER: state}
        if "text/event-stream" in answered.headers.get("content-type", ""):
            headers[ADDED_HEADER] = f"{added * 1000:.1f}"
            pieces = self._passed(answered, chat, turn, kind, acting)
            return RawStream(pieces=pieces, status=answered.status_code, headers=headers, close=answered.aclose)
        raw = await _whole(answered)
        if answered.status_code < 300:
            self._keep(chat, turn, answer_of(_decoded(raw), kind))
        begun = time.perf_counter()
        await acting
        headers[ADDED_HEADER] = f"{(added + time.perf_counter() - begun) * 1000:.1f}"
        return Response(raw, answered.status_code, headers)

    async def _forwarded(self, method: str, path: str, ask: ApiRequest, body: Body | None = None) -> Response:
        answered = await self._sent(method, path, ask, body)
        return Response(await _whole(answered), answered.status_code, _down(answered.headers))

    async def _prepared(
        self, ask: ApiRequest, chat: Conversation, body: Body, kind: Kind
    ) -> tuple[Body, OpenTurn, str]:
        """Add memory as the request asks; if it cannot be reached, or cannot hold the message, go on without."""
        wish = _wish(ask)
        if wish == "off":
            return body, OpenTurn(), wish
        try:
            budget = self._settings.budget
            extended, turn = await prepare(chat, body, kind, budget=budget, keep=wish == "on")
        except (Unavailable, InvalidInput) as error:
            return body, OpenTurn(), f"unavailable; {error.code}"
        return extended, turn, wish

    async def _passed(
        self, answered: Any, chat: Conversation, turn: OpenTurn, kind: Kind, acting: asyncio.Future[None]
    ) -> AsyncIterator[bytes]:
        """Forward a stream as it arrives; the exchange is stored even if the client disconnects."""
        heard = StreamedText(kind)
        try:
            async for piece in answered.aiter_bytes():
                heard.hear(piece)
                yield piece
            await acting
        except import_module("httpx").HTTPError as error:
            # The client sees the break and asks again: half an answer on record would make that another turn.
            heard = StreamedText(kind)
            raise _broken(error) from None
        finally:
            self._keep(chat, turn, heard.text)
            await answered.aclose()

    def _keep(self, chat: Conversation, turn: OpenTurn, answer: str) -> None:
        """Store an answer in the background: it was already sent, and the client may be gone."""
        self._background(_stored(chat, turn, answer))

    def _act_later(self, chat: Conversation, turn: OpenTurn, sent: asyncio.Event) -> asyncio.Future[None]:
        """Act on the message of a turn once its request is sent, while the upstream answers it.

        The answer ends after that, so that the next request finds what this one added. A client that is gone
        does not keep a message from being acted on.
        """
        return asyncio.shield(self._background(_act_once_sent(chat, turn, sent)))

    def _background(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._keeping.add(task)
        task.add_done_callback(self._keeping.discard)
        return task

    async def _sent(
        self, method: str, path: str, ask: ApiRequest, body: Body | None, sent: asyncio.Event | None = None
    ) -> Any:
        client = self._connected()
        # Uncompressed, because the answer is read on its way through.
        headers = {**_up(ask.headers), "accept-encoding": "identity"}
        key = ask.headers.get(UPSTREAM_KEY_HEADER) or self._settings.api_key
        if key:
            headers["authorization"] = f"Bearer {key}"
        content = None if body is None else msgspec.json.encode(body)

        async def follow(event: str, _: object) -> None:
            if sent is not None and event.endswith("send_request_body.complete"):
                sent.set()

        request = client.build_request(
            method,
            f"{self._settings.upstream.rstrip('/')}{path}",
            content=content,
            headers=headers,
            extensions={"trace": follow},
        )
        try:
            return await client.send(request, stream=True)
        except import_module("httpx").HTTPError as error:
            raise ModelUnavailable(f"the upstream does not answer ({type(error).__name__})") from None

    def _connected(self) -> Any:
        if find_spec("httpx") is None:
            raise MissingExtra("proxy")
        if self._client is None:
            httpx = import_module("httpx")
            seconds = self._settings.timeout_seconds
            self._client = httpx.AsyncClient(
                timeout=httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
                # The server counts requests and streams itself: none of those that it lets in waits here.
                limits=httpx.Limits(max_connections=None, max_keepalive_connections=KEPT_CONNECTIONS),
                follow_redirects=False,
            )
        return self._client


async def _act_once_sent(chat: Conversation, turn: OpenTurn, sent: asyncio.Event) -> None:
    if turn.waiting is not None:
        await sent.wait()
        # As for a request whose memory cannot be reached: the answer does not depend on it.
        with suppress(Unavailable):
            await chat.act_on(turn.waiting)


async def _stored(chat: Conversation, turn: OpenTurn, answer: str) -> None:
    """Store an answer; one that cannot be stored is logged, without its text."""
    try:
        await keep_answer(chat, turn, answer)
    except RememoraError as error:
        logger.warning("an answer of the upstream was not stored: %s", error.code)


async def _whole(answered: Any) -> bytes:
    """Return the whole body of the upstream's answer."""
    try:
        return cast("bytes", await answered.aread())
    except import_module("httpx").HTTPError as error:
        raise _broken(error) from None


def _broken(error: Exception) -> ModelUnavailable:
    return ModelUnavailable(f"the upstream's answer broke off ({type(error).__name__})")


def _wish(ask: ApiRequest) -> Wish:
    given = ask.headers.get(MEMORY_HEADER, "on").strip().lower()
    if given not in ("on", "read", "off"):
        raise InvalidInput(MEMORY_HEADER, "must be on, read or off")
    return cast("Wish", given)


def _named(ask: ApiRequest) -> str | None:
    return ask.headers.get(CONVERSATION_HEADER)


def _up(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers to forward to the upstream; our own credentials never are."""
    return {name: value for name, value in headers.items() if name.lower().startswith(PASSED_UP)}


def _down(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower().startswith(PASSED_DOWN)}


def _decoded(raw: bytes) -> Any:
    try:
        return msgspec.json.decode(raw)
    except msgspec.DecodeError:
        return None
