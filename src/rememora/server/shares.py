"""Slots for requests and for streams: a total, and of it a share for one tenant and for one key.

Counted per worker process. Without shares one credential could take every slot and lock all tenants out.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TypeVar

import msgspec

from rememora.domain.tenancy import Caller
from rememora.server.problems import RequestRefusal

T = TypeVar("T")


class Limits(msgspec.Struct, frozen=True):
    """Numbers of slots, and the settings they come from."""

    name: str
    whole: int
    tenant: int
    key: int


class Pot:
    """The slots of one kind."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._held = 0
        self._tenants: Counter[str] = Counter()
        self._keys: Counter[tuple[str, str, str]] = Counter()

    @property
    def held(self) -> int:
        """Return the number of slots taken."""
        return self._held

    @contextmanager
    def place(self) -> Iterator[None]:
        """Take a slot of the total; call `check_whole` first."""
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1

    @contextmanager
    def share(self, caller: Caller) -> Iterator[None]:
        """Take a slot of a caller's shares, or refuse with the name of the exhausted share."""
        self.check_share(caller)
        key = _key_of(caller)
        self._tenants[caller.tenant] += 1
        self._keys[key] += 1
        try:
            yield
        finally:
            _less(self._tenants, caller.tenant)
            _less(self._keys, key)

    def check_whole(self) -> None:
        """Refuse if no slot is left at all."""
        if self._held >= self._limits.whole:
            raise RequestRefusal(
                "busy", f"all {self._limits.whole} slots of server.{self._limits.name} are in use"
            )

    def check_share(self, caller: Caller) -> None:
        """Refuse if the shares of a caller's key or tenant are used up."""
        for whose, held, limit in (
            ("key", self._keys[_key_of(caller)], self._limits.key),
            ("tenant", self._tenants[caller.tenant], self._limits.tenant),
        ):
            if held >= limit:
                setting = f"{self._limits.name}_{whose}"
                detail = f"this {whose} has all {limit} places of its share (server.{setting})"
                raise RequestRefusal("share_used_up", detail, quota=setting, limit=limit)


class PagePlaces:
    """Slots of pages: the same ones that requests and streams of the API take."""

    def __init__(self, requests: Pot, streams: Pot, closing: asyncio.Event) -> None:
        self._requests, self._streams = requests, streams
        self.closing = closing

    @contextmanager
    def whole(self) -> Iterator[bool]:
        """Take a slot among requests, if one is left."""
        with _taken(self._requests, None) as free:
            yield free

    @contextmanager
    def share(self, caller: Caller) -> Iterator[bool]:
        """Take a slot of a caller's share, if one is left."""
        try:
            self._requests.check_share(caller)
        except RequestRefusal:
            yield False
            return
        with self._requests.share(caller):
            yield True

    @contextmanager
    def stream(self, caller: Caller) -> Iterator[bool]:
        """Take a slot among streams, if one is left."""
        with _taken(self._streams, caller) as free:
            yield free


@contextmanager
def _taken(pot: Pot, caller: Caller | None) -> Iterator[bool]:
    try:
        pot.check_whole()
        if caller is not None:
            pot.check_share(caller)
    except RequestRefusal:
        yield False
        return
    with pot.place(), nullcontext() if caller is None else pot.share(caller):
        yield True


def _key_of(caller: Caller) -> tuple[str, str, str]:
    """Return the id of a key; links have none, and are distinguished by their user."""
    return caller.tenant, caller.key, caller.user or ""


def _less(counts: Counter[T], of: T) -> None:
    """Count down, and drop counters at zero."""
    counts[of] -= 1
    if not counts[of]:
        del counts[of]
