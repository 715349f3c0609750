"""Counts a text once: the same messages and memories come back at every turn."""

from __future__ import annotations

from collections.abc import Callable

Counter = Callable[[str], int]
"""How many tokens a text takes: the offline estimator, or a tokenizer of the host's."""

COUNTS_KEPT = 50_000


def remembering(counter: Counter) -> Counter:
    """The same counts from memory where a text was counted before; of the text only its hash is kept."""
    known: dict[int, int] = {}

    def count(text: str) -> int:
        mark = hash(text)
        if mark not in known:
            if len(known) >= COUNTS_KEPT:
                known.clear()
            known[mark] = counter(text)
        return known[mark]

    return count
