"""The way of a request: let in, read, run under a limit of time, answered; every failure becomes a problem."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from rememora import telemetry
from rememora.app import Rememora
from rememora.errors import RememoraError
from rememora.server import intake, sse
from rememora.server.auth import Ask, admit
from rememora.server.problems import Problem, Refusal, problem, problem_of, refused, unexpected
from rememora.server.route import Answer, Route
from rememora.telemetry import REQUEST

logger = logging.getLogger(__name__)
JSON = "application/json"


class Doorkeeper:
    """Answers requests, so many at once and no more."""

    def __init__(self, rememora: Rememora) -> None:
        self._rememora = rememora
        self._settings = rememora.settings.server
        self._busy = 0
        self.closing = asyncio.Event()

    @property
    def busy(self) -> int:
        """How many requests are being worked on."""
        return self._busy

    def endpoint(self, route: Route) -> Callable[[Request], Awaitable[Response]]:
        """What answers one route."""

        async def answer(request: Request) -> Response:
            if self._busy >= self._settings.in_flight and route.right is not None:
                return refused(problem("busy", "too many requests are being worked on"))
            self._busy += 1
            begun = time.perf_counter()
            try:
                response = await self._answer(route, request)
                self._seen(route, response, time.perf_counter() - begun)
                return response
            finally:
                self._busy -= 1

        return answer

    def _seen(self, route: Route, response: Response, seconds: float) -> None:
        """Log and measure one answer: which route and how it went, nothing of what was asked."""
        fields = {"route": route.path, "status": response.status_code, "ms": round(seconds * 1000, 1)}
        logger.info("%s", route.method, extra={"fields": fields})
        if (measures := telemetry.measures()) is not None:
            measures.requests.labels(route.method, route.path, response.status_code).inc()
            measures.waits.labels(route.path).observe(seconds)
            measures.busy.set(self._busy)

    async def _answer(self, route: Route, request: Request) -> Response:
        try:
            async with asyncio.timeout(self._seconds(route)):
                ask = await admit(self._rememora, request.headers, route.right, reads=route.reads)
                ask.closing = self.closing
                raw = await intake.read_body(request, most=self._settings.body_bytes)
                return await self._run(route, request, ask, raw)
        except (RememoraError, Refusal, TimeoutError) as error:
            return refused(self._problem(route, error))
        except Exception as error:
            # The door: whatever happens behind it, the caller gets an answer, and nobody's content gets out.
            logger.exception("%s %s failed: %s", route.method, route.path, type(error).__name__)
            return refused(unexpected())

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
            return self._streamed(route, answer)
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

    def _streamed(self, route: Route, answer: sse.Stream) -> Response:
        headers = {"X-Accel-Buffering": "no"}
        return StreamingResponse(self._told(route, answer), headers=headers, media_type=sse.MEDIA_TYPE)

    async def _told(self, route: Route, answer: sse.Stream) -> AsyncIterator[bytes]:
        self._busy += 1
        try:
            async for piece in sse.beating(answer.events):
                yield piece
        except (RememoraError, Refusal, TimeoutError) as error:
            yield _last_word(self._problem(route, error))
        except Exception as error:
            logger.exception("%s %s failed: %s", route.method, route.path, type(error).__name__)
            yield _last_word(unexpected())
        finally:
            self._busy -= 1

    def _problem(self, route: Route, error: RememoraError | Refusal | TimeoutError) -> Problem:
        """What a foreseen error is answered with."""
        if isinstance(error, TimeoutError):
            return problem("timeout", f"no answer within {self._seconds(route)} s")
        found = problem_of(error)
        if found.status >= 500:
            logger.warning("%s %s: %s", route.method, route.path, found.code)
        return found


async def _acted(route: Route, request: Request, ask: Ask, taken: dict[str, Any]) -> Any:
    """What a route answers; what a link would erase is erased only once it is confirmed."""
    if route.erases and ask.caller.link:
        named = f"{request.method} {request.url.path}?{request.url.query}\n".encode()
        await ask.confirm(hashlib.sha256(named + msgspec.json.encode(taken.get("body"))).digest())
    return await route.run(**taken)


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
