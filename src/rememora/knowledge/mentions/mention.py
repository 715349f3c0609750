"""The noun of extraction: one thing that a text mentions."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

import msgspec

from rememora.language import fold

MAX_NAME: Final = 80
"""Most letters of a name: what is longer is none, whatever the network or a model says."""
_NOT_A_WORD: Final = re.compile(r"[^a-z0-9]+")


class TextMention(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a text mentions; `span` is its position, and the key says what it is about."""

    type: str
    key: str
    value: str
    confidence: float
    span: tuple[int, int]


def mention(type: str, name: str, value: str, *, confidence: float, span: tuple[int, int]) -> TextMention:
    """A mention under the key that all spellings of its name share."""
    return TextMention(type=type, key=f"{type}.{slug(name)}", value=value, confidence=confidence, span=span)


def slug(text: str) -> str:
    """Convert a name to part of a key: `Ticket médio` becomes `ticket_medio`."""
    return _NOT_A_WORD.sub("_", fold(text)).strip("_")[:200]


class TakenSpans:
    """Spans of a text that are taken already, without overlaps; looked up in logarithmic time."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def overlaps(self, span: tuple[int, int]) -> bool:
        """Return whether a span shares a character with one that is taken."""
        place = bisect_left(self._starts, span[1])
        return place > 0 and self._ends[place - 1] > span[0]

    def take(self, span: tuple[int, int]) -> None:
        """Take a span that overlaps none."""
        place = bisect_left(self._starts, span[0])
        self._starts.insert(place, span[0])
        self._ends.insert(place, span[1])
