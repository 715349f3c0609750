"""Takes the sentences around the match out of a text that is too long to be quoted whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from rememora.domain.context import Item
from rememora.language import tokens

Cost = Callable[[Item], int]
GAP: Final = "…"
_SENTENCE_END: Final = re.compile(r"(?<=[.!?…])\s+|\n+")


def excerpt(item: Item, query: str, space: int, *, cost: Cost) -> Item | None:
    """Whole sentences around the one that says most of the query, within `space` tokens; None if none fits."""
    pieces = [piece for piece in _SENTENCE_END.split(item.text) if piece.strip()]
    if len(pieces) < 2:
        return None
    first = last = _match(pieces, query)
    best: Item | None = None
    while True:
        shown = _shown(item, pieces, first, last)
        price = cost(shown)
        if price > space:
            return best
        best = msgspec.structs.replace(shown, tokens=price)
        if first == 0 and last == len(pieces) - 1:
            return best
        # The sentence after the match explains it more often than the one before: it comes first.
        forward = last < len(pieces) - 1 and (last - first) % 2 == 0
        first, last = (first, last + 1) if forward or first == 0 else (first - 1, last)


def _match(pieces: Sequence[str], query: str) -> int:
    """The place of the sentence that says most of the query's words; the first of several."""
    wanted = frozenset(tokens(query))
    return max(range(len(pieces)), key=lambda place: (len(wanted.intersection(tokens(pieces[place]))), -place))


def _shown(item: Item, pieces: Sequence[str], first: int, last: int) -> Item:
    before = [GAP] if first else []
    after = [GAP] if last < len(pieces) - 1 else []
    text = " ".join([*before, *pieces[first : last + 1], *after])
    return msgspec.structs.replace(item, text=text, cut=True)
