"""A question about time while it is read, and the times that were found in it so far."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from functools import cache

import msgspec

from rememora.ranking.when.spans import TimeSpan

_WINDOW = 40
"""How many letters beside a word are its company."""


class FoundTime(msgspec.Struct, frozen=True):
    """A time and its position in the text; `dated` is one that names its year."""

    start: int
    end: int
    span: TimeSpan
    dated: bool = False


class Asking(msgspec.Struct):
    """A question being read: when and in which language it is asked, and what was found so far."""

    text: str
    now: datetime
    language: str
    years: frozenset[int]
    found: list[FoundTime]

    @property
    def named_year(self) -> int | None:
        """The only year that is named: it is meant for all months and dates."""
        years = self.years | {mention.span.since.year for mention in self.found if mention.span.is_year}
        return min(years) if len(years) == 1 else None

    @property
    def latest(self) -> datetime:
        """The day that no month or date lies after."""
        year = self.named_year
        return self.now if year is None else self.now.replace(year=year, month=12, day=31)

    def sole(self, days: range) -> TimeSpan | None:
        """Return the only time found so far with that many days."""
        spans = [mention.span for mention in self.found if mention.span.days in days]
        return spans[0] if len(spans) == 1 else None

    def starting(self, at: int) -> TimeSpan | None:
        """The time found so far that starts at a place of the text."""
        return next((mention.span for mention in self.found if mention.start == at), None)


Reader = Callable[[re.Match[str], Asking], TimeSpan | None]
"""What a match means; None where it is no time after all."""
Rules = tuple[tuple[str, Reader], ...]


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when first needed, not at import; for ASCII, all of most folded texts, at half the cost."""
    return re.compile(pattern, re.ASCII if pattern.isascii() else re.NOFLAG)


def before(text: str, start: int) -> str:
    """The company of a word on its left."""
    return text[max(0, start - _WINDOW) : start]


def after(text: str, end: int) -> str:
    """The company of a word on its right."""
    return text[end : end + _WINDOW]
