"""Builds the application over an open `Rememora`: the API, the pages, and what both share."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cache
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from rememora import telemetry
from rememora.app import Rememora
from rememora.dashboard.answering import nowhere
from rememora.dashboard.home import pointers, wants_html
from rememora.dashboard.mount import page_routes
from rememora.dashboard.visitor import look
from rememora.dashboard.words import TAGS
from rememora.server import mem0, openapi
from rememora.server.answering import Dispatcher
from rememora.server.mcp import McpDoor
from rememora.server.middleware import RequestContext
from rememora.server.pages.frame import asset_routes, page
from rememora.server.pages.reference import reference
from rememora.server.pages.wording import words_of
from rememora.server.problems import problem, refused
from rememora.server.proxy import ProxyDoor
from rememora.server.routes import table
from rememora.server.routing import PREFIX, Address, ApiOperation, Handler, starlette_routes
from rememora.settings import Settings


def create_app(rememora: Rememora, *, closes: bool = False) -> Starlette:
    """Return the ASGI application, to serve or to mount under any path; with `closes` it also closes the store.

    A host that mounts it has to run its lifespan: `lifespan=app.router.lifespan_context`.
    """
    if telemetry.measures() is None:
        telemetry.switch_on()
    dispatcher, mcp, proxy = Dispatcher(rememora), McpDoor(rememora), ProxyDoor(rememora)
    operations = operations_of(rememora.settings)
    compatible = [*mcp.routes().all, *mem0.routes.all, *proxy.routes().all]
    handlers = {operation.address: dispatcher.handler(operation) for operation in [*operations, *compatible]}

    @asynccontextmanager
    async def lifespan(_: object) -> AsyncIterator[None]:
        async with AsyncExitStack() as ending:
            if closes:
                ending.push_async_callback(rememora.close)
            ending.push_async_callback(mcp.close)
            ending.push_async_callback(proxy.close)
            # Beside the first requests, not before them: a turn waits for it, a health check need not.
            ending.callback(asyncio.create_task(rememora.warm()).cancel)
            ending.callback(asyncio.create_task(mcp.load_later()).cancel)
            yield

    app = Starlette(
        routes=[
            *starlette_routes(handlers | _document_handlers(operations)),
            *asset_routes(),
            *page_routes(rememora, dispatcher.places),
        ],
        middleware=[Middleware(RequestContext)],
        exception_handlers={HTTPException: _not_here},
        lifespan=lifespan,
    )
    app.state.dispatcher = dispatcher
    return app


def operations_of(settings: Settings) -> list[ApiOperation]:
    """Return the operations of a server with these settings."""
    return [operation for operation in table() if settings.missions.debug or not operation.development]


def _document_handlers(operations: Sequence[ApiOperation]) -> dict[Address, Handler]:
    """Return the handlers of the API's root, the OpenAPI document, and the reference page."""

    @cache
    def document() -> dict[str, Any]:
        return openapi.document(operations)

    @cache
    def text() -> bytes:
        return msgspec.json.encode(document())

    async def point(request: Request) -> Response:
        return pointers(request)

    async def describe(request: Request) -> Response:
        root = request.base_url.path.rstrip("/")
        # Paths of the document are from the application's root; `servers` says where that is mounted.
        body = msgspec.json.encode({**document(), "servers": [{"url": root}]}) if root else text()
        return Response(body, media_type="application/json")

    async def show(request: Request) -> Response:
        language = look(request).language
        body = reference(document(), base=str(request.base_url).rstrip("/"), words=words_of(language))
        return page(body, title="Rememora API", language=TAGS[language], script="reference.js")

    async def redirect(_: Request) -> Response:
        return RedirectResponse("docs")

    return {
        ("GET", "", PREFIX): point,
        ("GET", PREFIX, f"{PREFIX}/"): point,
        ("GET", PREFIX, f"{PREFIX}/openapi.json"): describe,
        ("GET", "", "/openapi.json"): describe,
        ("GET", "", "/docs"): show,
        ("GET", "", "/redoc"): redirect,
    }


async def _not_here(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    by_browser = wants_html(request.headers.get("accept", "")) and PREFIX not in request.url.path
    if error.status_code == 404 and by_browser:
        return nowhere(request)
    if error.status_code != 405:
        return refused(problem("not_found", "no such address"))
    allowed = (error.headers or {}).get("Allow", "")
    return refused(problem("method_not_allowed", f"allowed here: {allowed}"), headers=error.headers)
