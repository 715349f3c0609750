"""The way of a request: let in, read, run under a limit of time, answered; every failure becomes a problem."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import nullcontext
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from rememora import telemetry
from rememora.app import Rememora
from rememora.domain.tenancy import Caller
from rememora.errors import RememoraError
from rememora.server import intake, sse
from rememora.server.auth import Ask, admit
from rememora.server.problems import Problem, Refusal, problem, problem_of, refused, unexpected
from rememora.server.route import Answer, Route
from rememora.server.shares import Limits, PagePlaces, Pot
from rememora.telemetry import REQUEST

logger = logging.getLogger(__name__)
JSON = "application/json"


class Doorkeeper:
    """Answers requests, so many at once and no more."""

    def __init__(self, rememora: Rememora) -> None:
        self._rememora = rememora
        self._settings = rememora.settings.server
        limits = rememora.settings.server
        self._requests = Pot(Limits("in_flight", limits.in_flight, limits.in_flight_tenant, limits.in_flight_key))
        self._streams = Pot(Limits("streams", limits.streams, limits.streams_tenant, limits.streams_key))
        self.places = PagePlaces(self._requests, self._streams)
        self.closing = asyncio.Event()

    @property
    def busy(self) -> int:
        """How many requests are being worked on, streams apart."""
        return self._requests.held

    def endpoint(self, route: Route) -> Callable[[Request], Awaitable[Response]]:
        """What answers one route."""

        async def answer(request: Request) -> Response:
            begun = time.perf_counter()
            response = await self._answer(route, request)
            self._seen(route, response, time.perf_counter() - begun)
            return response

        return answer

    def _seen(self, route: Route, response: Response, seconds: float) -> None:
        """Log and measure one answer: which route and how it went, nothing of what was asked."""
        fields = {"route": route.path, "status": response.status_code, "ms": round(seconds * 1000, 1)}
        logger.info("%s", route.method, extra={"fields": fields})
        if (measures := telemetry.measures()) is not None:
            measures.requests.labels(route.method, route.path, response.status_code).inc()
            measures.waits.labels(route.path).observe(seconds)
            measures.busy.set(self.busy)

    async def _answer(self, route: Route, request: Request) -> Response:
        try:
            if route.right is None:
                return await self._admitted(route, request)
            self._requests.check_whole()
            with self._requests.place():
                return await self._admitted(route, request)
        except (RememoraError, Refusal, TimeoutError) as error:
            return refused(self._problem(route, error))
        except Exception as error:
            # The door: whatever happens behind it, the caller gets an answer, and nobody's content gets out.
            logger.exception("%s %s failed: %s", route.method, route.path, type(error).__name__)
            return refused(unexpected())

    async def _admitted(self, route: Route, request: Request) -> Response:
        async with asyncio.timeout(self._seconds(route)):
            ask = await admit(self._rememora, request.headers, route.right, reads=route.reads)
            ask.closing = self.closing
            with nullcontext() if route.right is None else self._requests.share(ask.caller):
                return await self._run(route, request, ask, await self._body(request))

    async def _body(self, request: Request) -> bytes:
        limits = self._settings
        return await intake.read_body(
            request,
            most=limits.body_bytes,
            first_seconds=limits.body_start_seconds,
            seconds=limits.body_seconds,
        )

    def _seconds(self, route: Route) -> float:
        """How long an answer may take; one that a model gives, as long as the model may."""
        model = self._rememora.settings.model.timeout_seconds if route.patient else 0
        return self._settings.request_seconds + model

    async def _run(self, route: Route, request: Request, ask: Ask, raw: bytes) -> Response:
        taken = intake.path_params(route, request.path_params)
        if route.asks:
            taken["ask"] = ask
        if route.query is not None:
            taken["query"] = intake.query_of(route, request)
        if route.body is not None:
            taken["body"] = intake.body_of(route, raw, request.headers.get("content-type", ""))
        await ask.put_on_record(route)
        if route.once and ask.repeat_key is not None:
            return await self._once(route, request, ask, raw, taken)
        answer = await _acted(route, request, ask, taken)
        if isinstance(answer, sse.Stream):
            return self._streamed(route, answer, ask.caller)
        if isinstance(answer, sse.RawStream):
            return self._passed_on(answer, ask.caller)
        return _response(route, answer)

    async def _once(self, route: Route, request: Request, ask: Ask, raw: bytes, taken: dict[str, Any]) -> Response:
        """A write under an Idempotency-Key: done once, answered as often as it is asked for."""
        assert ask.repeat_key is not None
        asked = f"{request.method} {request.url.path}?{request.url.query}\n".encode() + raw

        async def act() -> tuple[int, bytes]:
            done = _response(route, await _acted(route, request, ask, taken))
            return done.status_code, bytes(done.body)

        fingerprint = hashlib.sha256(asked).digest()
        status, body, again = await self._rememora.once(
            ask.scope, ask.repeat_key, fingerprint=fingerprint, act=act
        )
        headers = {"Idempotency-Replayed": "true"} if again else {}
        return Response(body, status, headers, media_type=JSON if body else None)

    def _streamed(self, route: Route, answer: sse.Stream, caller: Caller) -> Response:
        """A stream under way; it holds a place among streams, and none among requests."""
        self._streams.check_whole()
        self._streams.check_share(caller)
        headers = {"X-Accel-Buffering": "no"}
        told = self._told(route, answer)
        return _Held(self._streams, caller, told, headers=headers, media_type=sse.MEDIA_TYPE)

    def _passed_on(self, answer: sse.RawStream, caller: Caller) -> Response:
        """A stream of somebody else's bytes; it holds a place among streams as well."""
        self._streams.check_whole()
        self._streams.check_share(caller)
        headers = {"X-Accel-Buffering": "no", **answer.headers}
        return _Held(self._streams, caller, answer.pieces, status_code=answer.status, headers=headers)

    async def _told(self, route: Route, answer: sse.Stream) -> AsyncIterator[bytes]:
        try:
            async for piece in sse.beating(answer.events):
                yield piece
        except (RememoraError, Refusal, TimeoutError) as error:
            yield _last_word(self._problem(route, error))
        except Exception as error:
            logger.exception("%s %s failed: %s", route.method, route.path, type(error).__name__)
            yield _last_word(unexpected())

    def _problem(self, route: Route, error: RememoraError | Refusal | TimeoutError) -> Problem:
        """What a foreseen error is answered with."""
        if isinstance(error, TimeoutError):
            return problem("timeout", f"no answer within {self._seconds(route)} s")
        found = problem_of(error)
        if found.status >= 500:
            logger.warning("%s %s: %s", route.method, route.path, found.code)
        return found


async def _acted(route: Route, request: Request, ask: Ask, taken: dict[str, Any]) -> Any:
    """Answer a route; a link erases nothing until it is confirmed."""
    if route.erases and ask.caller.link:
        named = f"{request.method} {request.url.path}?{request.url.query}\n".encode()
        await ask.confirm(hashlib.sha256(named + msgspec.json.encode(taken.get("body"))).digest())
    return await route.run(**taken)


class _Held(StreamingResponse):
    """A streamed answer that holds its place as long as it is being sent; a HEAD request never sends it."""

    def __init__(self, pot: Pot, caller: Caller, told: AsyncIterator[bytes], **how: Any) -> None:
        super().__init__(told, **how)
        self._pot, self._caller = pot, caller

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        with self._pot.place(), self._pot.share(self._caller):
            await super().__call__(scope, receive, send)


def _last_word(found: Problem) -> bytes:
    """How a stream ends whose status is out already: the problem is the last thing told, with the request's id."""
    named = msgspec.structs.replace(found, request_id=REQUEST.get() or None)
    return sse.written(sse.Sent(event="problem", value=named))


def _response(route: Route, answer: Any) -> Response:
    status, headers = route.status, {}
    if isinstance(answer, Response):
        return answer
    if isinstance(answer, Answer):
        status = answer.status or status
        headers = {"ETag": answer.etag} if answer.etag else {}
        answer = answer.value
    if answer is None:
        return Response(status_code=204, headers=headers)
    return Response(msgspec.json.encode(answer), status, headers, media_type=JSON)
