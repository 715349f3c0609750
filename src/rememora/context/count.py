"""Caches token counts: the same messages and memories come back at every turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Counter = Callable[[str], int]
"""Counts the tokens of a text: the offline estimator, or a tokenizer of the host."""

COUNTS_KEPT = 50_000
T = TypeVar("T")


def _itself(counted: object) -> object:
    return counted


def remembering(counter: Callable[[T], int], content: Callable[[T], object] = _itself) -> Callable[[T], int]:
    """Cache counts by the hash of a text, or of the `content` of an item; neither itself is kept."""
    known: dict[int, int] = {}

    def count(counted: T) -> int:
        mark = hash(content(counted))
        tokens = known.get(mark)
        if tokens is None:
            if len(known) >= COUNTS_KEPT:
                known.clear()
            tokens = known[mark] = counter(counted)
        return tokens

    return count
