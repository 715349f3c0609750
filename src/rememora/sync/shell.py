"""Verbs of the async handles for plain code: each runs in the portal's event loop.

A shell names the verbs of its handle, one line each. The parameters travel as a `ParamSpec`, so a type checker and
`help()` see the handle's own signatures, and nothing is written twice.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from rememora.portal import Portal

H = TypeVar("H")
P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S", bound="Shell[Any]")


class Shell(Generic[H]):
    """A handle without `await`."""

    def __init__(self, portal: Portal, inner: H) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"


def verb(method: Callable[Concatenate[H, P], Coroutine[Any, Any, R]]) -> Callable[Concatenate[Any, P], R]:
    """Return a verb that waits for the handle's own."""

    @functools.wraps(method)
    def call(self: Shell[H], /, *args: P.args, **options: P.kwargs) -> R:
        return self._portal.run(method(self._inner, *args, **options))

    return call


def stream(method: Callable[Concatenate[H, P], AsyncIterator[R]]) -> Callable[Concatenate[Any, P], Iterator[R]]:
    """Return a verb that yields what the handle's own yields."""

    @functools.wraps(method)
    def call(self: Shell[H], /, *args: P.args, **options: P.kwargs) -> Iterator[R]:
        return self._portal.iterate(method(self._inner, *args, **options))

    return call


def opens(
    method: Callable[Concatenate[H, P], R], shell: Callable[[Portal, R], S]
) -> Callable[Concatenate[Any, P], S]:
    """Return a verb that puts the handle which the handle's own returns into its shell."""

    @functools.wraps(method)
    def call(self: Shell[H], /, *args: P.args, **options: P.kwargs) -> S:
        return shell(self._portal, method(self._inner, *args, **options))

    return call


def unopened(function: Callable[P, Coroutine[Any, Any, R]]) -> Callable[P, R]:
    """Return a function that needs no open store, and runs in an event loop of its own."""

    @functools.wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> R:
        return asyncio.run(function(*args, **options))

    return call


class Noun(Generic[S]):
    """A noun of a handle, in its shell."""

    def __init__(self, shell: type[S]) -> None:
        self.shell = shell
        self.__doc__ = shell.__doc__

    def __set_name__(self, _: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, handle: None, _: type) -> Noun[S]: ...

    @overload
    def __get__(self, handle: Shell[Any], _: type) -> S: ...

    def __get__(self, handle: Shell[Any] | None, _: type) -> S | Noun[S]:
        if handle is None:
            return self
        return self.shell(handle._portal, getattr(handle._inner, self._name))
