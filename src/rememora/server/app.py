"""The application over an open `Rememora`: routes of the table, problems for all that is not there."""

from __future__ import annotations

import asyncio
import logging
import random
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, MutableMapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute
from starlette.routing import Route as WebRoute

from rememora import telemetry
from rememora.app import Rememora
from rememora.dashboard.home import pointers
from rememora.dashboard.mount import page_routes
from rememora.server import mem0, openapi
from rememora.server.answering import Doorkeeper
from rememora.server.doors import Doors
from rememora.server.pages.frame import asset_routes, page
from rememora.server.pages.reference import reference
from rememora.server.problems import problem, refused, unexpected
from rememora.server.route import PREFIX, Route
from rememora.server.routes import table
from rememora.server.signposts import Signposts
from rememora.telemetry import REQUEST

if TYPE_CHECKING:
    from fastapi import FastAPI

App = TypeVar("App", bound=Starlette)
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

logger = logging.getLogger(__name__)
REQUEST_HEADER = b"x-request-id"
WITH_IDS = (PREFIX, mem0.PREFIX)
"""Where paths begin that may hold ids with slashes in them."""
_PLAIN = re.compile(rb"[A-Za-z0-9._-]{1,64}")
HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cache-control": b"no-store",
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'",
    b"cross-origin-resource-policy": b"same-origin",
}


def create_app(rememora: Rememora, *, closes: bool = False) -> FastAPI:
    """The application as FastAPI has it, to mount or to add to; with `closes` it closes the memory at shutdown."""
    doors, keeper = Doors(rememora), Doorkeeper(rememora)
    made: FastAPI = import_module("fastapi").FastAPI(
        title="Rememora",
        routes=_beside(rememora, keeper),
        lifespan=_life(rememora, doors, closes=closes),
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
    )
    return _furnished(made, rememora, doors, keeper)


def application(rememora: Rememora) -> Starlette:
    """The same without FastAPI around it, whose import takes longer than all the rest of a start."""
    doors, keeper = Doors(rememora), Doorkeeper(rememora)
    made = Starlette(routes=_beside(rememora, keeper), lifespan=_life(rememora, doors))
    return _furnished(made, rememora, doors, keeper)


def _furnished(app: App, rememora: Rememora, doors: Doors, keeper: Doorkeeper) -> App:
    if telemetry.measures() is None:
        telemetry.switch_on()
    app.state.keeper = keeper
    app.state.rememora = rememora
    app.add_exception_handler(HTTPException, _not_here)
    app.add_middleware(Wrapped, signposts=Signposts(_addresses([*_table(rememora), *doors.table()], keeper)))
    return app


def _table(rememora: Rememora) -> list[Route]:
    return [route for route in table() if rememora.settings.missions.debug or not route.development]


def _beside(rememora: Rememora, keeper: Doorkeeper) -> list[BaseRoute]:
    """What stands beside the table of routes."""
    return [*_pointers(), *_described(_table(rememora)), *page_routes(rememora, keeper.places)]


def _life(
    rememora: Rememora, doors: Doors, *, closes: bool = False
) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def life(_: Starlette) -> AsyncIterator[None]:
        # Beside the first requests, not before them: a turn waits for it, a health check need not.
        warming = asyncio.create_task(rememora.warm())
        yield
        warming.cancel()
        await doors.close()
        if closes:
            await rememora.close()

    return life


class Wrapped:
    """Around every answer: the request's id, security headers, slashes in ids, and the way to its address.

    What stands in the table is answered from here; only what does not goes on to the framework.
    """

    def __init__(self, app: Application, *, signposts: Signposts[Address]) -> None:
        self._app = app
        self._signposts = signposts

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        answering = Answering(send, _request_id(scope["headers"]))
        token = REQUEST.set(answering.id.decode())
        try:
            await self._lead(scope, receive, answering)
        except Exception as error:
            logger.exception("%s failed: %s", scope["method"], type(error).__name__)
            if answering.begun:
                raise
            # Whatever happens anywhere behind this, the caller gets a problem with the id to ask about.
            await refused(unexpected())(scope, receive, answering)
        finally:
            REQUEST.reset(token)

    async def _lead(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["path"].startswith(WITH_IDS):
            scope["path"] = protect_slashes(scope.get("raw_path") or scope["path"].encode())
        found = self._signposts.find(scope["path"])
        if found is None:
            await self._app(scope, receive, send)
            return
        address, scope["path_params"] = found
        await address(scope, receive, send)


class Answering:
    """The way out: every answer says which request it belongs to, and has the headers of a careful server."""

    def __init__(self, send: Send, id: bytes) -> None:
        self._send = send
        self.id = id
        self.begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            given = {name for name, _ in message["headers"]}
            own = [(name, value) for name, value in HEADERS.items() if name not in given]
            message["headers"] = [*message["headers"], *own, (REQUEST_HEADER, self.id)]
        await self._send(message)


def _request_id(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """The caller's name for this request, where it is a plain one, or a new one."""
    given = next((value for name, value in headers if name == REQUEST_HEADER), None)
    if given is not None and _PLAIN.fullmatch(given):
        return given
    # Only to tell requests apart in the logs: it need not be hard to guess, and costs no system call.
    return b"%016x" % random.getrandbits(64)


def protect_slashes(raw: bytes) -> str:
    """A path decoded but for `%2F` and `%25`, so that an id may hold a slash; `path_params` undoes the rest."""
    text = raw.partition(b"?")[0].decode("ascii", "replace")
    if "%" not in text:
        return text
    kept = re.sub("%(2[Ff]|25)", lambda found: f"%25{found[1].upper()}", text)
    return unquote(kept)


class Address:
    """One path and the methods that go there; a fixed path owns its address whatever the method."""

    def __init__(self, routes: Iterable[Route], keeper: Doorkeeper) -> None:
        self._answers = {route.method: keeper.endpoint(route) for route in routes}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        head = request.method == "HEAD"
        answer = self._answers.get("GET" if head else request.method)
        response = self._refused() if answer is None else await answer(request)
        await (Head(response) if head else response)(scope, receive, send)

    def _refused(self) -> Response:
        allowed = ", ".join(sorted({*self._answers, "HEAD"} if "GET" in self._answers else self._answers))
        return refused(problem("method_not_allowed", f"here go {allowed}"), headers={"Allow": allowed})


class Head:
    """What GET would answer, without its body; a stream is not begun."""

    def __init__(self, response: Response) -> None:
        self._response = response

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        whole = self._response
        start = {"type": "http.response.start", "status": whole.status_code, "headers": whole.raw_headers}
        await send(start)
        await send({"type": "http.response.body", "body": b""})


def _addresses(routes: Sequence[Route], keeper: Doorkeeper) -> dict[str, Address]:
    paths = {route.path for route in routes}
    return {path: Address([each for each in routes if each.path == path], keeper) for path in paths}


def _pointers() -> list[WebRoute]:
    """Where a program lands that tries the address of the API alone."""

    async def point(_: Request) -> Response:
        return pointers()

    return [WebRoute(path, point, methods=["GET"]) for path in (PREFIX, f"{PREFIX}/")]


def _described(routes: Sequence[Route]) -> list[WebRoute]:
    """The OpenAPI document where programs look for it, and the page written from it."""

    @cache
    def document() -> dict[str, Any]:
        return openapi.document(routes)

    @cache
    def text() -> bytes:
        return msgspec.json.encode(document())

    async def describe(_: Request) -> Response:
        return Response(text(), media_type="application/json")

    async def show(request: Request) -> Response:
        body = reference(document(), base=str(request.base_url).rstrip("/"))
        return page(body, title="Rememora API", language="en", script="reference.js")

    async def elsewhere(_: Request) -> Response:
        return RedirectResponse("docs")

    return [
        *(WebRoute(path, describe, methods=["GET"]) for path in (f"{PREFIX}/openapi.json", "/openapi.json")),
        WebRoute("/docs", show, methods=["GET"]),
        WebRoute("/redoc", elsewhere, methods=["GET"]),
        *asset_routes(),
    ]


async def _not_here(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = "method_not_allowed" if error.status_code == 405 else "not_found"
    headers = error.headers if error.status_code == 405 else None
    return refused(problem(code, "there is nothing at this address"), headers=headers)
