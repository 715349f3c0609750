"""Caches that hold people's words: each registers here, and an erasure empties them all.

A cache whose key or value is text that a person may have said is made by `person_cache`, or registered with
`forgets`. A house test finds those that are not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeVar
from weakref import WeakMethod, ref

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

T = TypeVar("T")
_FORGET: Final[list[Callable[[], Callable[[], object] | None]]] = []


def person_cache(maxsize: int) -> Callable[[Callable[..., T]], _lru_cache_wrapper[T]]:
    """Cache like `lru_cache`, and empty the cache at an erasure."""

    def wrap(function: Callable[..., T]) -> _lru_cache_wrapper[T]:
        cached = lru_cache(maxsize=maxsize)(function)
        clear = cached.cache_clear
        _FORGET.append(lambda: clear)
        return cached

    return wrap


def forgets(clear: Callable[[], object]) -> None:
    """Register a function that empties a cache; a method is held weakly, and ends with its object."""
    held = WeakMethod(clear) if hasattr(clear, "__self__") else ref(clear)
    _FORGET.append(held)


def forget_people() -> None:
    """Empty every cache that may hold a person's words; entries do not name their owner."""
    for held in list(_FORGET):
        clear = held()
        if clear is None:
            _FORGET.remove(held)
        else:
            clear()
