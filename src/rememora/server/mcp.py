"""The MCP server at `/mcp`, over streamable HTTP, with the same keys, limits and logs as the API.

Each request is independent (stateless, answered as JSON), so that any worker process can answer it.
"""

from __future__ import annotations

import asyncio
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from rememora.app import Rememora
from rememora.errors import Forbidden, KeyRejected
from rememora.handles.user import UserMemory
from rememora.server.auth import ApiRequest
from rememora.server.routing import Routes

PATH = "/mcp"
ASK = "rememora.ask"
LOADED_AFTER_SECONDS = 3.0
"""After the server has begun: its first requests, and what they wait for, go before."""


class McpDoor:
    """Runs the MCP server next to the API; it is loaded when the server has been up for a while, or asked for."""

    def __init__(self, rememora: Rememora) -> None:
        self._rememora = rememora
        self._manager: asyncio.Task[Any] | None = None
        self._running: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()

    def routes(self) -> Routes:
        """Return the operation of the MCP server, if the extra `mcp` is installed."""
        routes = Routes("mcp", prefix="")
        if find_spec("mcp") is None:
            return routes

        @routes.post(PATH, once=False, reads=True, answer=Any)
        async def speak_mcp(ask: ApiRequest, body: msgspec.Raw) -> Response:
            """Answer one JSON-RPC message of an MCP client."""
            return McpResponse(await self._started(), ask, bytes(body))

        return routes

    async def load_later(self) -> None:
        """Load the SDK some seconds from now, so that no client waits for it."""
        if find_spec("mcp") is not None:
            await asyncio.sleep(LOADED_AFTER_SECONDS)
            await self._started()

    async def close(self) -> None:
        """Stop answering requests."""
        self._stop.set()
        if self._manager is not None and not self._manager.done():
            self._manager.cancel()
        if self._running is not None:
            await self._running

    async def _started(self) -> Any:
        if self._manager is None:
            self._manager = asyncio.create_task(self._start())
        return await asyncio.shield(self._manager)

    async def _start(self) -> Any:
        # Its import takes a second or two: in a thread, so that others are answered meanwhile.
        built = await asyncio.to_thread(import_module, "rememora.integrations.mcp")
        server = built.create_server(self._rememora, of_request)
        # Every request brings a credential, which no page of another origin has: any name of this host will do.
        security = import_module("mcp.server.transport_security").TransportSecuritySettings(
            enable_dns_rebinding_protection=False
        )
        server.streamable_http_app(
            json_response=True, stateless_http=True, streamable_http_path=PATH, transport_security=security
        )
        manager, ready = server.session_manager, asyncio.Event()
        self._running = asyncio.create_task(self._run(manager, ready))
        await ready.wait()
        return manager

    async def _run(self, manager: Any, ready: asyncio.Event) -> None:
        async with manager.run():
            ready.set()
            await self._stop.wait()


class McpResponse(Response):
    """Return the MCP server's answer to a request whose body has been read."""

    def __init__(self, manager: Any, ask: ApiRequest, body: bytes) -> None:
        super().__init__()
        self._manager, self._ask, self._body = manager, ask, body

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        unread = [{"type": "http.request", "body": self._body, "more_body": False}]

        async def replay() -> Any:
            return unread.pop() if unread else await receive()

        await self._manager.handle_request({**scope, ASK: self._ask}, replay, send)


async def of_request(request: Request | None, *, writes: bool) -> UserMemory:
    """Return the memory of the credential's owner; a read-only link cannot change it."""
    ask = None if request is None else request.scope.get(ASK)
    if not isinstance(ask, ApiRequest):
        raise KeyRejected
    if writes and ask.caller.read_only:
        raise Forbidden("this link only reads")
    return ask.voice
