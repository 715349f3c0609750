"""The table of routes: a verb of the API, what it takes, what it answers, and the right it needs.

A route is a plain function. Its parameters say what it takes: `ask` is who asks, `query` and `body` are structs,
every other name stands in the path. What it returns is its answer.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, TypedDict, Unpack, get_type_hints

import msgspec

from rememora.domain.tenancy import Right

PREFIX = "/api/v1"
Verb = Callable[..., Awaitable[Any]]
Content = Literal["person", "people"]
"""Owner of the content that an answer may hold: the named user's, or that of any user of the tenant."""


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """One verb of the API."""

    method: str
    path: str
    noun: str
    name: str
    about: str
    run: Verb
    asks: bool
    params: Mapping[str, Any]
    query: Any
    body: Any
    answer: Any
    right: Right | None
    status: int = 200
    also: tuple[int, ...] = ()
    once: bool = True
    streams: bool = False
    development: bool = False
    patient: bool = False
    content: Content | None = None
    reads: bool = False
    erases: bool = False


class How(TypedDict, total=False):
    """What may be said of a route besides its path."""

    right: Right | None
    """What the caller must be allowed; None lets anybody in."""
    status: int
    also: tuple[int, ...]
    """Other statuses that its answer may come with."""
    answer: Any
    """What it answers, where the function's own type does not say it."""
    once: bool
    """Whether an Idempotency-Key makes it safe to repeat."""
    streams: bool
    development: bool
    """Whether it exists in development only."""
    patient: bool
    """Whether it may take as long as a model."""
    content: Content | None
    """Owner of the content it answers with: an overseer says why, which goes on record. A person, unless said."""
    reads: bool
    """Tell whether it changes nothing, so that a read-only link may use it."""
    erases: bool
    """Tell whether what it takes away cannot be restored: a link has to confirm it."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer with more than its body."""

    value: Any
    status: int | None = None
    etag: str | None = None


class Routes:
    """The routes of one noun."""

    def __init__(self, noun: str, *, right: Right | None = "memory", prefix: str = PREFIX) -> None:
        self.noun = noun
        self._prefix = prefix
        self.all: list[Route] = []
        self._right = right

    def get(self, path: str, **how: Unpack[How]) -> Callable[[Verb], Verb]:
        """A verb that changes nothing."""
        return self._keep("GET", path, {"once": False, "reads": True, **how})

    def post(self, path: str, **how: Unpack[How]) -> Callable[[Verb], Verb]:
        """A verb that changes something."""
        return self._keep("POST", path, how)

    def patch(self, path: str, **how: Unpack[How]) -> Callable[[Verb], Verb]:
        """A verb that changes part of something."""
        return self._keep("PATCH", path, how)

    def put(self, path: str, **how: Unpack[How]) -> Callable[[Verb], Verb]:
        """A verb that says how something is to stand."""
        return self._keep("PUT", path, how)

    def delete(self, path: str, **how: Unpack[How]) -> Callable[[Verb], Verb]:
        """A verb that takes something away."""
        return self._keep("DELETE", path, how)

    def _keep(self, method: str, path: str, how: How) -> Callable[[Verb], Verb]:
        def keep(verb: Verb) -> Verb:
            hints = get_type_hints(verb, include_extras=True)
            right = how.get("right", self._right)
            taken = [name for name in inspect.signature(verb).parameters if name not in ("ask", "query", "body")]
            route = Route(
                method=method,
                path=self._prefix + path,
                noun=self.noun,
                name=verb.__name__,
                about=inspect.getdoc(verb) or "",
                run=verb,
                asks="ask" in hints,
                params={name: hints[name] for name in taken},
                query=hints.get("query"),
                body=hints.get("body"),
                **{
                    "right": right,
                    "answer": hints["return"],
                    "content": "person" if right == "memory" else None,
                    **how,
                },
            )
            self.all.append(route)
            return verb

        return keep
