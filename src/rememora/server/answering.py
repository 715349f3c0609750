"""Handling of a request: admit, decode, run within a time limit, answer; every failure becomes a problem."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import AsyncIterator
from contextlib import nullcontext
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from rememora import telemetry
from rememora.app import Rememora
from rememora.domain.tenancy import Caller
from rememora.errors import ModelUnavailable, RememoraError
from rememora.server import sse
from rememora.server.auth import ApiRequest, admit
from rememora.server.decoding import arguments, read_body
from rememora.server.problems import Problem, RequestRefusal, problem, problem_of, refused, unexpected
from rememora.server.routing import ApiOperation, Handler, RouteAnswer
from rememora.server.shares import Limits, PagePlaces, Pot
from rememora.telemetry import REQUEST

logger = logging.getLogger(__name__)
JSON = "application/json"


class Dispatcher:
    """Answers requests to operations, up to a maximum number at the same time."""

    def __init__(self, rememora: Rememora) -> None:
        self._rememora = rememora
        self._settings = rememora.settings.server
        limits = rememora.settings.server
        self._requests = Pot(Limits("in_flight", limits.in_flight, limits.in_flight_tenant, limits.in_flight_key))
        self._streams = Pot(Limits("streams", limits.streams, limits.streams_tenant, limits.streams_key))
        self.closing = asyncio.Event()
        self.places = PagePlaces(self._requests, self._streams, self.closing)

    @property
    def busy(self) -> int:
        """Return the number of requests in progress, without streams."""
        return self._requests.held

    def handler(self, operation: ApiOperation) -> Handler:
        """Return the handler of one operation."""

        async def answer(request: Request) -> Response:
            begun = time.perf_counter()
            response = await self._answer(operation, request)
            self._seen(operation, response, time.perf_counter() - begun)
            return response

        return answer

    def _seen(self, operation: ApiOperation, response: Response, seconds: float) -> None:
        """Log and measure one answer: the route and the outcome, without content."""
        fields = {"route": operation.path, "status": response.status_code, "ms": round(seconds * 1000, 1)}
        logger.info("%s", operation.method, extra={"fields": fields})
        if (measures := telemetry.measures()) is not None:
            measures.requests.labels(operation.method, operation.path, response.status_code).inc()
            measures.waits.labels(operation.path).observe(seconds)
            measures.busy.set(self.busy)

    async def _answer(self, operation: ApiOperation, request: Request) -> Response:
        try:
            if operation.right is None:
                return await self._admitted(operation, request)
            self._requests.check_whole()
            with self._requests.place():
                return await self._admitted(operation, request)
        except (RememoraError, RequestRefusal, TimeoutError) as error:
            return refused(self._problem(operation, error))
        except Exception as error:
            # Whatever happens, the caller gets an answer, and nobody's content gets out.
            logger.exception("%s %s failed: %s", operation.method, operation.path, type(error).__name__)
            return refused(unexpected())

    async def _admitted(self, operation: ApiOperation, request: Request) -> Response:
        async with asyncio.timeout(self._seconds(operation)):
            ask = await admit(self._rememora, request.headers, operation.right, reads=operation.reads)
            ask.closing = self.closing
            with nullcontext() if operation.right is None else self._requests.share(ask.caller):
                body = await read_body(request, self._settings, self._most(operation))
                return await self._run(operation, request, ask, body)

    def _most(self, operation: ApiOperation) -> int:
        """Return the largest body of a request; one to the proxy may hold images."""
        return self._rememora.settings.proxy.body_bytes if operation.forwarded else self._settings.body_bytes

    def _seconds(self, operation: ApiOperation) -> float:
        """Return the time limit of an answer; with the model's, or the upstream's, if one of them answers."""
        settings = self._rememora.settings
        answering = settings.proxy if operation.forwarded else settings.model
        return self._settings.request_seconds + (answering.timeout_seconds if operation.patient else 0)

    async def _run(self, operation: ApiOperation, request: Request, ask: ApiRequest, raw: bytes) -> Response:
        taken = arguments(operation, request, raw)
        if operation.asks:
            taken["ask"] = ask
        await ask.put_on_record(operation)
        if operation.once and ask.repeat_key is not None:
            return await self._once(operation, request, ask, raw, taken)
        answer = await _acted(operation, request, ask, taken)
        if isinstance(answer, sse.Stream):
            pieces = self._stream(operation, answer)
            answer = sse.RawStream(pieces=pieces, headers={"Content-Type": sse.CONTENT_TYPE})
        if not isinstance(answer, sse.RawStream):
            return _response(operation, answer)
        # A stream under way holds a place among streams, and none among requests.
        try:
            self._streams.check_whole()
            self._streams.check_share(ask.caller)
        except RequestRefusal:
            # Nobody will read it: what it comes from must not be kept waiting.
            if answer.close is not None:
                await answer.close()
            raise
        return _Held(self._streams, ask.caller, answer)

    async def _once(
        self, operation: ApiOperation, request: Request, ask: ApiRequest, raw: bytes, taken: dict[str, Any]
    ) -> Response:
        """Run a write under an Idempotency-Key: done once, and answered every time it is requested."""
        assert ask.repeat_key is not None
        content = f"{request.method} {request.url.path}?{request.url.query}\n".encode() + raw

        async def act() -> tuple[int, bytes]:
            done = _response(operation, await _acted(operation, request, ask, taken))
            return done.status_code, bytes(done.body)

        fingerprint = hashlib.sha256(content).digest()
        status, body, again = await self._rememora.once(
            ask.scope, ask.repeat_key, fingerprint=fingerprint, act=act
        )
        headers = {"Idempotency-Replayed": "true"} if again else {}
        return Response(body, status, headers, media_type=JSON if body else None)

    async def _stream(self, operation: ApiOperation, answer: sse.Stream) -> AsyncIterator[bytes]:
        try:
            async for piece in sse.beating(answer.events):
                yield piece
        except (RememoraError, RequestRefusal, TimeoutError) as error:
            yield _last_word(self._problem(operation, error))
        except Exception as error:
            logger.exception("%s %s failed: %s", operation.method, operation.path, type(error).__name__)
            yield _last_word(unexpected())

    def _problem(self, operation: ApiOperation, error: RememoraError | RequestRefusal | TimeoutError) -> Problem:
        """Return the response for an expected error."""
        if isinstance(error, TimeoutError):
            return problem("timeout", f"no answer within {self._seconds(operation)} s")
        answer = problem_of(error)
        if answer.status >= 500:
            logger.warning("%s %s: %s", operation.method, operation.path, answer.code)
        return answer


async def _acted(operation: ApiOperation, request: Request, ask: ApiRequest, taken: dict[str, Any]) -> Any:
    """Run an operation; a link erases nothing until it is confirmed."""
    if operation.erases and ask.caller.link:
        named = f"{request.method} {request.url.path}?{request.url.query}\n".encode()
        await ask.confirm(hashlib.sha256(named + msgspec.json.encode(taken.get("body"))).digest())
    return await operation.run(**taken)


class _Held(StreamingResponse):
    """A streamed answer that keeps its slot while it is sent; a HEAD request never sends it."""

    def __init__(self, pot: Pot, caller: Caller, stream: sse.RawStream) -> None:
        super().__init__(stream.pieces, stream.status, {"X-Accel-Buffering": "no", **stream.headers})
        self._pot, self._caller = pot, caller

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        with self._pot.place(), self._pot.share(self._caller):
            try:
                await super().__call__(scope, receive, send)
            except ModelUnavailable as error:
                # Its status is sent already. Left without an end, the client sees that the answer broke off.
                logger.warning("a streamed answer broke off: %s", error.message)


def _last_word(problem: Problem) -> bytes:
    """Return the last event of a stream whose status was already sent: the problem, with the request's id."""
    named = msgspec.structs.replace(problem, request_id=REQUEST.get() or None)
    return sse.written(sse.Sent(event="problem", value=named))


def _response(operation: ApiOperation, answer: Any) -> Response:
    status, headers = operation.status, {}
    if isinstance(answer, Response):
        return answer
    if isinstance(answer, RouteAnswer):
        status = answer.status or status
        headers = {"ETag": answer.etag} if answer.etag else {}
        answer = answer.value
    if answer is None:
        return Response(status_code=204, headers=headers)
    return Response(msgspec.json.encode(answer), status, headers, media_type=JSON)
