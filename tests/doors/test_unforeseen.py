"""What nobody foresaw still has an answer: a problem with the request's id, and a log without anybody's words."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route
from tests.doors.conftest import settings_of

from rememora import Rememora, telemetry
from rememora.errors import NotFound
from rememora.server.answering import Dispatcher
from rememora.server.middleware import RequestContext
from rememora.server.routing import Routes, starlette_routes
from rememora.server.sse import Sent, Stream

SECRET = "o segredo de ana"
routes = Routes("broken", right=None)


@routes.get("/breaks", streams=True, answer="text/event-stream")
async def break_stream() -> Stream:
    """A stream that breaks after its first event."""
    return Stream(_breaking(RuntimeError(SECRET)))


@routes.get("/refuses", streams=True, answer="text/event-stream")
async def refuse_stream() -> Stream:
    """A stream that is refused after its first event."""
    return Stream(_breaking(NotFound("memory", "m1")))


@routes.get("/fails")
async def fail() -> dict[str, Any]:
    """A verb with a fault in it."""
    raise RuntimeError(SECRET)


async def _breaking(error: Exception) -> AsyncIterator[Sent]:
    yield Sent(event="piece", value={"text": "oi"})
    raise error


async def _faulty(_: object) -> None:
    """A page that knows no answer."""
    raise RuntimeError(SECRET)


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What is logged meanwhile."""
    stream = io.StringIO()
    logger = logging.getLogger("rememora")
    before = logger.handlers[:], logger.level, logger.propagate
    telemetry.log_to(stream, form="json", level="warning")
    yield stream
    logger.handlers[:], logger.level, logger.propagate = before


async def ask(folder: Path, path: str, *, method: str = "GET") -> httpx.Response:
    """One request to a door with faults behind it."""
    async with Rememora.open(settings=settings_of(folder), background=False) as rememora:
        dispatcher = Dispatcher(rememora)
        made = starlette_routes({route.address: dispatcher.handler(route) for route in routes.all})
        app = Starlette(routes=[*made, Route("/anywhere", _faulty)], middleware=[Middleware(RequestContext)])
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://door") as client:
            return await client.request(method, path, headers={"X-Request-Id": "r-1"})


@pytest.mark.parametrize(("path", "code"), [("breaks", "error"), ("refuses", "not_found")])
async def test_a_stream_that_breaks_ends_with_a_problem(
    tmp_path: Path, log: io.StringIO, path: str, code: str
) -> None:
    """The last event is a problem document that names the request; what the error says is told nobody."""
    answer = await ask(tmp_path, f"/api/v1/{path}")
    *_, named, reply = [line for line in answer.text.splitlines() if line]
    problem = json.loads(reply.removeprefix("data: "))

    assert "event: problem" == named
    assert (code, "r-1") == (problem["code"], problem["request_id"])
    assert SECRET not in answer.text + log.getvalue()


@pytest.mark.parametrize("path", ["/api/v1/fails", "/anywhere"])
async def test_a_fault_is_a_problem_with_the_requests_id(tmp_path: Path, log: io.StringIO, path: str) -> None:
    """In a verb or anywhere behind the door: the log has the fault's kind and place under the same id."""
    answer = await ask(tmp_path, path)
    logged = json.loads(log.getvalue().splitlines()[0])

    assert (500, "error") == (answer.status_code, answer.json()["code"])
    assert {"r-1"} == {answer.json()["request_id"], answer.headers["x-request-id"], logged["request"]}
    assert "RuntimeError" == logged["error"]
    assert SECRET not in answer.text + log.getvalue()


async def test_the_head_of_a_stream_is_told_without_beginning_it(tmp_path: Path, log: io.StringIO) -> None:
    """HEAD answers as GET does, without a body: what would break is not reached."""
    answer = await ask(tmp_path, "/api/v1/breaks", method="HEAD")

    assert (200, "text/event-stream; charset=utf-8") == (answer.status_code, answer.headers["content-type"])
    assert "" == answer.text + log.getvalue()
