"""Declares the operations of the API as typed functions, and builds Starlette routes from them.

The parameters of the function define what the operation takes: `ask` is the caller, `query` and `body` are
structs, every other name is in the path. Its return type is the answer. OpenAPI is generated from the same types.
"""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from typing import Any, Literal, TypedDict, Unpack, get_type_hints
from urllib.parse import unquote

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route, Router

from rememora.domain.tenancy import Right

PREFIX = "/api/v1"
Address = tuple[str, str, str]
"""Method, prefix and path of a request; the path begins with the prefix."""
Verb = Callable[..., Awaitable[Any]]
Handler = Callable[[Request], Awaitable[Response]]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Content = Literal["person", "people"]
"""Owner of the content that an answer may contain: the named user, or any user of the tenant."""
_ENCODED = re.compile("%(2[Ff]|25)")


class OperationOptions(TypedDict, total=False):
    """Options of an operation besides its path; explained at `Operation`."""

    right: Right | None
    status: int
    also: tuple[int, ...]
    answer: Any
    once: bool
    streams: bool
    development: bool
    patient: bool
    forwarded: bool
    content: Content | None
    reads: bool
    erases: bool


class ApiOperation(msgspec.Struct, frozen=True, kw_only=True):
    """One operation of the API: its path, its types, and its options."""

    method: str
    prefix: str
    path: str  # Begins with the prefix; names stand in braces.
    noun: str
    name: str
    about: str
    run: Verb
    asks: bool
    params: Mapping[str, Any]
    query: Any
    body: Any
    answer: Any  # What it answers, where the return type does not say it.
    right: Right | None  # What the caller must be allowed; None lets anybody in.
    status: int = 200
    also: tuple[int, ...] = ()  # Other statuses that its answer may come with.
    once: bool = True  # Whether an Idempotency-Key makes it safe to repeat.
    streams: bool = False
    development: bool = False  # Whether it exists in development only.
    patient: bool = False  # Whether it may take as long as a model.
    forwarded: bool = False  # Whether the proxy's upstream answers it, under the proxy's limits.
    # Owner of the content it answers with: an overseer says why, which goes on record. A person's, unless said.
    content: Content | None = None
    reads: bool = False  # Whether it changes nothing, so that a read-only link may use it.
    erases: bool = False  # Whether what it takes away cannot be restored: a link has to confirm it.

    @property
    def address(self) -> Address:
        """Path of the operation with its prefix."""
        return self.method, self.prefix, self.path


class RouteAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer with more than its body."""

    value: Any
    status: int | None = None
    etag: str | None = None


class Routes:
    """Collects the operations of one noun; `get`, `post` … are decorators."""

    def __init__(self, noun: str, *, right: Right | None = "memory", prefix: str = PREFIX) -> None:
        self.noun = noun
        self.all: list[ApiOperation] = []
        self._prefix, self._right = prefix, right

    def get(self, path: str, **options: Unpack[OperationOptions]) -> Callable[[Verb], Verb]:
        """Declare an operation that changes nothing."""
        return self._declare("GET", path, {"once": False, "reads": True, **options})

    def post(self, path: str, **options: Unpack[OperationOptions]) -> Callable[[Verb], Verb]:
        """Declare an operation that changes something."""
        return self._declare("POST", path, options)

    def patch(self, path: str, **options: Unpack[OperationOptions]) -> Callable[[Verb], Verb]:
        """Declare an operation that changes part of something."""
        return self._declare("PATCH", path, options)

    def put(self, path: str, **options: Unpack[OperationOptions]) -> Callable[[Verb], Verb]:
        """Declare an operation that creates or replaces something."""
        return self._declare("PUT", path, options)

    def delete(self, path: str, **options: Unpack[OperationOptions]) -> Callable[[Verb], Verb]:
        """Declare an operation that deletes something."""
        return self._declare("DELETE", path, options)

    def _declare(self, method: str, path: str, options: OperationOptions) -> Callable[[Verb], Verb]:
        def declare(verb: Verb) -> Verb:
            hints = get_type_hints(verb, include_extras=True)
            right = options.get("right", self._right)
            # Whatever is neither caller, query nor body stands in the path.
            named = [name for name in inspect.signature(verb).parameters if name not in ("ask", "query", "body")]
            defaults = {
                "right": right,
                "answer": hints["return"],
                "content": "person" if right == "memory" else None,
            }
            operation = ApiOperation(
                method=method,
                prefix=self._prefix,
                path=self._prefix + path,
                noun=self.noun,
                name=verb.__name__,
                about=inspect.getdoc(verb) or "",
                run=verb,
                asks="ask" in hints,
                params={name: hints[name] for name in named},
                query=hints.get("query"),
                body=hints.get("body"),
                **{**defaults, **options},
            )
            self.all.append(operation)
            return verb

        return declare


class Endpoint:
    """Answers every method of one path; a fixed path takes precedence whatever the method."""

    def __init__(self) -> None:
        self.handlers: dict[str, Handler] = {}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        head = request.method == "HEAD"
        handler = self.handlers.get("GET" if head else request.method)
        if handler is None:
            allowed = {*self.handlers, "HEAD"} if "GET" in self.handlers else self.handlers
            raise HTTPException(405, headers={"Allow": ", ".join(sorted(allowed))})
        response = await handler(request)
        if head:
            # What GET would answer without its body; a stream is not begun.
            bare = Response(status_code=response.status_code)
            bare.raw_headers = response.raw_headers
            response = bare
        await response(scope, receive, send)


class Branches:
    """One Starlette router for each first segment of the path.

    Starlette tries its routes one after the other: with a hundred routes that costs more than a short answer.
    """

    def __init__(self, routes: Iterable[Route]) -> None:
        grouped: defaultdict[str, list[Route]] = defaultdict(list)
        for route in routes:
            grouped[route.path.split("/")[1]].append(route)
        self._routers = {part: Router(inner, redirect_slashes=False) for part, inner in grouped.items()}
        self._nowhere = Router(redirect_slashes=False)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        scope["path"] = protect_slashes(scope["path"], scope.get("raw_path"))
        part = scope["path"].removeprefix(scope["root_path"]).lstrip("/").partition("/")[0]
        await self._routers.get(part, self._nowhere)(scope, receive, send)


def starlette_routes(handlers: Mapping[Address, Handler]) -> list[BaseRoute]:
    """Return a mount for each prefix with a route for each path, then the routes without a prefix."""
    endpoints: defaultdict[tuple[str, str], Endpoint] = defaultdict(Endpoint)
    for (method, prefix, path), handler in handlers.items():
        endpoints[prefix, path].handlers[method] = handler
    routes: defaultdict[str, list[Route]] = defaultdict(list)
    # Fixed parts before names: `/memory/search` is no conversation.
    for prefix, path in sorted(endpoints, key=lambda place: ["{" in part for part in place[1].split("/")]):
        routes[prefix].append(Route(path.removeprefix(prefix), endpoints[prefix, path]))
    bare = routes.pop("", [])
    return [*(Mount(prefix, Branches(inner)) for prefix, inner in routes.items()), *bare]


def protect_slashes(path: str, raw: bytes | None) -> str:
    """Return a path with `%2F` and `%25` still encoded, so that an id may contain a slash; `arguments` decodes.

    `raw` is the path as it was sent; a host that mounts this application may have cut its prefix from either.
    """
    if raw is None:
        return path.replace("%", "%25")
    text = raw.partition(b"?")[0].decode("ascii", "replace")
    if not _ENCODED.search(text):
        return path
    protected = unquote(_ENCODED.sub(lambda found: f"%25{found[1].upper()}", text))
    longer = len(unquote(text)) - len(path)
    return protected[longer:] if longer >= 0 else path[:-longer] + protected
