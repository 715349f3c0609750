"""Words by which figures are understood: `figures.toml` of all packs together, for people mix languages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

import msgspec

from rememora.language.packs import CODES, calendar_of, figure_words_of, split_words

Words = frozenset[str]


class FigureWords(msgspec.Struct, frozen=True, kw_only=True):
    """Sets of folded phrases; `metrics` gives the name that each way of saying a metric counts under."""

    metrics: dict[str, str]
    links: Words
    goal: Words
    most: Words
    least: Words
    less: Words
    more: Words
    told: Words
    keeping: Words
    negations: Words
    months: dict[str, int]
    day_first: dict[str, int]
    """Short names of months in the languages in which the day comes first."""
    month_first: dict[str, int]
    """Short names of months in the languages in which the month comes first."""


@cache
def figure_words() -> FigureWords:
    """Return the words; loaded with the first text, not at import."""
    files = [figure_words_of(code) for code in CODES]
    metrics = {said: name for file in files for name, text in file.metrics.items() for said in split_words(text)}

    calendars = [calendar_of(code) for code in CODES]

    def joined(name: str) -> Words:
        return Words().union(*(split_words(file.lists.get(name, "")) for file in files))

    return FigureWords(
        metrics=metrics,
        links=joined("links"),
        goal=joined("goal"),
        most=joined("most"),
        least=joined("least"),
        less=joined("less"),
        more=joined("more"),
        told=joined("told"),
        keeping=joined("keeping"),
        negations=joined("negations"),
        months=_months(calendar.long_months for calendar in calendars),
        day_first=_months(calendar.short_months for calendar in calendars if calendar.day_first),
        month_first=_months(calendar.short_months for calendar in calendars if not calendar.day_first),
    )


def _months(tables: Iterable[dict[str, int]]) -> dict[str, int]:
    """Combine names of months; where two languages share one, the first that has it counts."""
    months: dict[str, int] = {}
    for table in tables:
        months = table | months
    return months


def any_of(phrases: Iterable[str]) -> str:
    """Return a pattern that matches one of the phrases, the longest first."""
    return "|".join(re.escape(phrase) for phrase in sorted(phrases, key=lambda phrase: (-len(phrase), phrase)))
