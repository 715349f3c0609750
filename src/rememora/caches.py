"""Caches that hold people's words: each registers here, and an erasure empties them all.

A cache whose key or value is text that a person may have said is made by `person_cache`, or registered with
`forgets`. A house test finds those that are not.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, TypeVar
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


class TextRows:
    """Rows that an encoder gives texts, of which those last used are held; the others are encoded together."""

    def __init__(self, encode: Callable[[Sequence[str]], Sequence[Any]], *, most: int) -> None:
        self._encode = encode
        self._most = most
        self._held: OrderedDict[str, Any] = OrderedDict()
        self._lock = Lock()
        forgets(self.clear)

    def __call__(self, texts: Sequence[str]) -> list[Any]:
        """Return the row of each text."""
        with self._lock:
            rows = {text: self._held[text] for text in texts if text in self._held}
            for text in rows:
                self._held.move_to_end(text)
        missing = list(dict.fromkeys(text for text in texts if text not in rows))
        if missing:
            made = dict(zip(missing, self._encode(missing), strict=True))
            rows |= made
            with self._lock:
                self._held.update(made)
                while len(self._held) > self._most:
                    self._held.popitem(last=False)
        return [rows[text] for text in texts]

    def clear(self) -> None:
        """Let go of every text."""
        with self._lock:
            self._held.clear()


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
