"""The table of routes: a verb of the API, what it takes, what it answers, and the right it needs.

A route is a plain function. Its parameters say what it takes: `ask` is who asks, `query` and `body` are structs,
every other name stands in the path. What it returns is its answer.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, get_type_hints

import msgspec

from rememora.domain.tenancy import Right

PREFIX = "/api/v1"
Verb = Callable[..., Awaitable[Any]]


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """One verb of the API."""

    method: str
    path: str
    noun: str
    name: str
    about: str
    run: Verb
    asks: bool
    right: Right | None
    status: int
    params: Mapping[str, Any]
    query: Any
    body: Any
    answer: Any
    once: bool
    streams: bool
    development: bool
    patient: bool


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer with more than its body."""

    value: Any
    status: int | None = None
    etag: str | None = None


class Routes:
    """The routes of one noun."""

    def __init__(self, noun: str, *, right: Right | None = "memory") -> None:
        self.noun = noun
        self.all: list[Route] = []
        self._right = right

    def get(self, path: str, **more: Any) -> Callable[[Verb], Verb]:
        """A verb that changes nothing."""
        return self._add("GET", path, once=False, **more)

    def post(self, path: str, *, status: int = 200, once: bool = True, **more: Any) -> Callable[[Verb], Verb]:
        """A verb that changes something; `once` lets an Idempotency-Key stand for it."""
        return self._add("POST", path, status=status, once=once, **more)

    def patch(self, path: str, **more: Any) -> Callable[[Verb], Verb]:
        """A verb that changes part of something."""
        return self._add("PATCH", path, **more)

    def put(self, path: str, **more: Any) -> Callable[[Verb], Verb]:
        """A verb that says how something is to stand."""
        return self._add("PUT", path, **more)

    def delete(self, path: str, **more: Any) -> Callable[[Verb], Verb]:
        """A verb that takes something away."""
        return self._add("DELETE", path, **more)

    def _add(
        self,
        method: str,
        path: str,
        *,
        status: int = 200,
        once: bool = True,
        streams: bool = False,
        development: bool = False,
        patient: bool = False,
        answer: Any = None,
        **more: Any,
    ) -> Callable[[Verb], Verb]:
        right = more.pop("right", self._right)
        assert not more, f"a route has no {', '.join(more)}"

        def keep(verb: Verb) -> Verb:
            hints = get_type_hints(verb, include_extras=True)
            taken = [name for name in inspect.signature(verb).parameters if name not in ("ask", "query", "body")]
            self.all.append(
                Route(
                    method=method,
                    path=PREFIX + path,
                    noun=self.noun,
                    name=verb.__name__,
                    about=inspect.getdoc(verb) or "",
                    run=verb,
                    asks="ask" in hints,
                    right=right,
                    status=status,
                    params={name: hints[name] for name in taken},
                    query=hints.get("query"),
                    body=hints.get("body"),
                    answer=answer or hints["return"],
                    once=once,
                    streams=streams,
                    development=development,
                    patient=patient,
                )
            )
            return verb

        return keep
