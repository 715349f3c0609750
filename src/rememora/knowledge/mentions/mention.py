"""The noun of extraction: one thing that a text mentions."""

from __future__ import annotations

from bisect import bisect_left

import msgspec

from rememora.knowledge.mentions.gazetteer import slug


class Mention(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a text mentions; `span` is where it stands, and the key says what it is about."""

    type: str
    key: str
    value: str
    confidence: float
    span: tuple[int, int]


def mention(type: str, name: str, value: str, *, confidence: float, span: tuple[int, int]) -> Mention:
    """A mention under the key that all spellings of its name share."""
    return Mention(type=type, key=f"{type}.{slug(name)}", value=value, confidence=confidence, span=span)


class Taken:
    """Spans of a text that are spoken for, none of which overlap; looked up in logarithmic time."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def overlaps(self, span: tuple[int, int]) -> bool:
        """Tell whether a span shares a character with one that is taken."""
        place = bisect_left(self._starts, span[1])
        return place > 0 and self._ends[place - 1] > span[0]

    def take(self, span: tuple[int, int]) -> None:
        """Take a span that overlaps none."""
        place = bisect_left(self._starts, span[0])
        self._starts.insert(place, span[0])
        self._ends.insert(place, span[1])
