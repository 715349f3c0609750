"""Dates as people write them in both languages; the day comes first in Portuguese, the month in English."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import cache

from rememora.knowledge.mentions.figure_words import any_of, figure_words
from rememora.knowledge.mentions.mention import TextMention
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
    months = figure_words().months | figure_words().short_months["pt"]
    if "iso_year" in parts:
        return _checked(parts["iso_year"], int(parts["iso_month"]), int(parts["iso_day"]))
    if "one" in parts:
        one, two = int(parts["one"]), int(parts["two"])
        month_first = two > 12 or (language == "en" and one <= 12)
        month, day = (one, two) if month_first else (two, one)
        return _checked(parts.get("year"), month, day)
    if "day_pt" in parts:
        return _checked(parts.get("year_pt"), months[parts["month_pt"]], int(parts["day_pt"]))
    months |= figure_words().short_months["en"]
    return _checked(parts.get("year_en"), months[parts["month_en"]], int(parts["day_en"]))


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
    month, short_pt, short_en = (
        any_of(names) for names in (table.months, table.short_months["pt"], table.short_months["en"])
    )
    return phrase(
        r"(?<![\w./-])(?:"
        r"(?P<iso_year>[12]\d{3})-(?P<iso_month>\d{2})-(?P<iso_day>\d{2})"
        r"|(?P<one>[0-3]?\d)/(?P<two>[0-3]?\d)(?:/(?P<year>[12]\d{3}|\d{2}))?(?!%)"
        # `12 set` and `5 out` may be anything: in Portuguese a short month needs its `de`.
        r"|(?P<day_pt>[0-3]?\d)(?:o|st|nd|rd|th)?"
        rf"(?:(?: {{of_date}})? (?={month})|(?: {{of_date}} |/)(?={short_pt}(?!\w)))"
        rf"(?P<month_pt>{month}|{short_pt})(?:(?: {{of_date}} |, | )(?P<year_pt>[12]\d{{3}}))?"
        rf"|(?P<month_en>{month}|{short_en})\.? (?P<day_en>[0-3]?\d)(?:st|nd|rd|th)?"
        r"(?:,? (?P<year_en>[12]\d{3}))?"
        r")(?![\w/-])(?![.,]\d)",
        re.ASCII,
    )
