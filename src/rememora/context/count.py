"""Caches token counts: the same messages and memories come back at every turn."""

from __future__ import annotations

from collections.abc import Callable

Counter = Callable[[str], int]
"""Counts the tokens of a text: the offline estimator, or a tokenizer of the host."""

COUNTS_KEPT = 50_000


def remembering(counter: Counter) -> Counter:
    """Cache counts by the hash of a text; the text itself is not kept."""
    known: dict[int, int] = {}

    def count(text: str) -> int:
        mark = hash(text)
        if mark not in known:
            if len(known) >= COUNTS_KEPT:
                known.clear()
            known[mark] = counter(text)
        return known[mark]

    return count
