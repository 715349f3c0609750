"""Dates as people write them in the languages of the packs; the day or the month comes first, as the pack says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import cache

from rememora.knowledge.mentions.figure_words import any_of, figure_words
from rememora.knowledge.mentions.mention import TextMention
from rememora.language.packs import CODES, calendar_of
from rememora.language.phrases import phrase

_LEAP_YEAR = 2000
_CENTURY = 2000


def moments(folded: str, language: str) -> Iterator[TextMention]:
    """Every date with a day and a month; one that no calendar has is not a date."""
    for match in _patterns().finditer(folded):
        parts = {name: text for name, text in match.groupdict().items() if text}
        value = _value(parts, language)
        if value is not None:
            yield TextMention(type="date", key=f"date.{value}", value=value, confidence=0.9, span=match.span())


def _value(parts: dict[str, str], language: str) -> str | None:
    words = figure_words()
    if "iso_year" in parts:
        return _checked(parts["iso_year"], int(parts["iso_month"]), int(parts["iso_day"]))
    if "one" in parts:
        one, two = int(parts["one"]), int(parts["two"])
        month_first = two > 12 or (not _day_first(language) and one <= 12)
        month, day = (one, two) if month_first else (two, one)
        return _checked(parts.get("year"), month, day)
    if "day_first" in parts:
        months = words.day_first | words.months
        return _checked(parts.get("year_after"), months[parts["month_second"]], int(parts["day_first"]))
    months = words.month_first | words.months
    return _checked(parts.get("year_last"), months[parts["month_first"]], int(parts["day_second"]))


def _day_first(language: str) -> bool:
    """Return whether a language writes the day before the month; one without a pack does."""
    return language not in CODES or calendar_of(language).day_first


def _checked(year: str | None, month: int, day: int) -> str | None:
    """ISO 8601; without a year the form that starts with two dashes."""
    full = None if year is None else int(year) + (_CENTURY if len(year) == 2 else 0)
    try:
        moment = date(full or _LEAP_YEAR, month, day)
    except ValueError:
        return None
    return moment.isoformat() if full else f"--{month:02}-{day:02}"


@cache
def _patterns() -> re.Pattern[str]:
    table = figure_words()
    month, day_first, month_first = (any_of(names) for names in (table.months, table.day_first, table.month_first))
    return phrase(
        r"(?<![\w./-])(?:"
        r"(?P<iso_year>[12]\d{3})-(?P<iso_month>\d{2})-(?P<iso_day>\d{2})"
        r"|(?P<one>[0-3]?\d)/(?P<two>[0-3]?\d)(?:/(?P<year>[12]\d{3}|\d{2}))?(?!%)"
        # `12 set` and `5 out` may be anything: a short month behind its day needs its `de`.
        r"|(?P<day_first>[0-3]?\d)(?:o|st|nd|rd|th)?"
        rf"(?:(?: {{of_date}})? (?={month})|(?: {{of_date}} |/)(?={day_first}(?!\w)))"
        rf"(?P<month_second>{month}|{day_first})(?:(?: {{of_date}} |, | )(?P<year_after>[12]\d{{3}}))?"
        rf"|(?P<month_first>{month}|{month_first})\.? (?P<day_second>[0-3]?\d)(?:st|nd|rd|th)?"
        r"(?:,? (?P<year_last>[12]\d{3}))?"
        r")(?![\w/-])(?![.,]\d)",
        re.ASCII,
    )
