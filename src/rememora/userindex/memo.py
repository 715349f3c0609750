"""Cache of results that hold until the index changes."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")
_MOST_RECENT = 8
"""Answers that are kept: a turn asks the same question more than once, for its filters differ."""
BYTES_PER_ROW = 45
"""About what is held of each row once somebody has asked: eight facts, and the words of four questions."""


class Memo:
    """Facts about all rows, which every question asks for, and what the last few questions alone asked for."""

    def __init__(self) -> None:
        self._standing: dict[Hashable, Any] = {}
        self._recent: dict[Hashable, Any] = {}

    def standing(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the result of `make`, computed once."""
        return _known(self._standing, key, make)

    def recent(self, key: Hashable, make: Callable[[], T]) -> T:
        """The same for what few will ask for again."""
        if len(self._recent) >= _MOST_RECENT and key not in self._recent:
            self._recent.clear()
        return _known(self._recent, key, make)

    def clear(self) -> None:
        """The index has changed."""
        self._standing.clear()
        self._recent.clear()


def _known(kept: dict[Hashable, Any], key: Hashable, make: Callable[[], T]) -> T:
    # An erasure forgets questions beside a ranking in a thread: what is here is looked up once.
    try:
        value: T = kept[key]
    except KeyError:
        value = kept[key] = make()
    return value
