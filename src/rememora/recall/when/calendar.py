"""Times told by the calendar: dates, months, years, days of the week, feasts; where a year lacks, the last one."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Final

from rememora.recall.when import spans
from rememora.recall.when.asking import Asking, Rules, before, compiled
from rememora.recall.when.spans import DAY, Span
from rememora.recall.when.words import (
    AFTER_MONTHS,
    AFTER_ORDINALS,
    BEFORE_MONTHS,
    BEFORE_ORDINALS,
    BEFORE_YEARS,
    COMPANY,
    FEAST,
    FEASTS,
    FIGURE_ONLY,
    MONTH,
    MONTHS,
    MOVING_FEASTS,
    ORDINAL,
    ORDINALS,
    ORDINALS_TOO,
    WEEKDAY,
    WEEKDAY_FEASTS,
    WEEKDAYS,
    YEAR,
    either,
)

_SOON: Final = 31 * DAY
"""A date without a year that is this near may be ahead."""


def _year_of(found: re.Match[str]) -> int | None:
    year = found["year"]
    return int(year) if year else None


def _is_word(name: str, asking: Asking) -> bool:
    """`3 out of 5` and `2 set pieces` are no dates in English."""
    return asking.language == "en" and name in FIGURE_ONLY - {"mar"}


def _date(found: re.Match[str], asking: Asking) -> Span | None:
    month = found["month"]
    if _is_word(month, asking):
        return None
    return _dated(asking, _year_of(found), int(month) if month.isdigit() else MONTHS[month], int(found["day"]))


def _dated(asking: Asking, year: int | None, month: int, day: int) -> Span:
    latest = asking.latest
    since = spans.midnight(latest).replace(year=year or latest.year, month=month, day=day)
    if not year and since > latest + _SOON:
        since = since.replace(year=since.year - 1)
    return Span(since, since + DAY)


def _days_of_month(found: re.Match[str], asking: Asking) -> Span | None:
    if _is_word(found["month"], asking):
        return None
    first, last = (
        _dated(asking, _year_of(found), MONTHS[found["month"]], int(found[name])) for name in ("day", "last")
    )
    return first.through(last)


def _figures(found: re.Match[str], asking: Asking) -> Span | None:
    """14/5 where days come first, 5/14 where months do; the other way round where that is no date."""
    first, second, year = int(found["first"]), int(found["second"]), found["year"]
    padded = compiled(r"\b0").search(found.group())
    if not (year or max(first, second) > 12 or padded or _goes_before_dates(found, asking)):
        return None
    day, month = (second, first) if asking.language == "en" else (first, second)
    if month > 12:
        day, month = month, day
    return _dated(asking, None if not year else int(year) + 2000 * (len(year) == 2), month, day)


def _goes_before_dates(found: re.Match[str], asking: Asking) -> bool:
    words = r"\b(?:on|in|em|dia|desde|since|until|before|after|between|entre|from|by|antes de|depois de|de) $"
    return compiled(words).search(before(asking.text, found.start())) is not None


def _month(found: re.Match[str], asking: Asking) -> Span | None:
    """A month without a year; words that are no months of their own need company."""
    name = found["month"]
    if name in FIGURE_ONLY:
        return None
    if name in COMPANY and not _has_company(found, asking):
        return None
    return spans.last_month_called(asking.latest, MONTHS[name])


def _has_company(found: re.Match[str], asking: Asking) -> bool:
    beside = compiled(BEFORE_MONTHS).search(before(asking.text, found.start()))
    return (beside or compiled(AFTER_MONTHS).match(asking.text, found.end())) is not None


def _month_of_year(found: re.Match[str], asking: Asking) -> Span:
    month, year = found["month"], found["year"]
    number = int(month) if month.isdigit() else MONTHS[month]
    return spans.month(asking.now, int(year) + 2000 * (len(year) == 2), number)


def _part_of_year(found: re.Match[str], asking: Asking) -> Span:
    """A quarter, or half a year: the last one that has begun."""
    name = found["ordinal"]
    number, months = int(name) if name.isdigit() else ORDINALS[name], 6 if "sem" in found.group() else 3
    count = 12 // months
    first = (min(number, count) - 1) * months + 1
    since = spans.last_month_called(asking.latest, first).since
    return Span(since, spans.month(since, since.year, first + months - 1).until)


def _feast(found: re.Match[str], asking: Asking) -> Span | None:
    """The last one that has begun; Natal without an article is a town."""
    latest, year = asking.latest, found["year"]
    article = compiled(r"(?:\b[na]?o|\bdo|pelo|[nd]?es[st]e|ultimo) $").search(before(asking.text, found.start()))
    if found["feast"] == "natal" and not article:
        return None
    span = _feast_of(latest, int(year) if year else latest.year, found["feast"])
    return span if year or span.since <= latest else _feast_of(latest, latest.year - 1, found["feast"])


def _feast_of(now: datetime, year: int, name: str) -> Span:
    if name in FEASTS:
        month, day, length = FEASTS[name]
        since = spans.midnight(now).replace(year=year, month=month, day=day)
    elif name in WEEKDAY_FEASTS:
        month, weekday, which = WEEKDAY_FEASTS[name]
        first, length = spans.midnight(now).replace(year=year, month=month, day=1), 1
        since = first + DAY * ((weekday - first.weekday()) % 7 + 7 * (which - 1))
    else:
        shift, length = MOVING_FEASTS[name]
        month, day = spans.easter(year)
        since = spans.midnight(now).replace(year=year, month=month, day=day) + DAY * shift
    return Span(since, since + DAY * length)


def _weekday(found: re.Match[str], asking: Asking) -> Span | None:
    """The last such day before today, or that of the week that is named beside it."""
    text, name = asking.text, found["weekday"]
    if name in ORDINALS_TOO:
        alone = compiled(BEFORE_ORDINALS).search(before(text, found.start()))
        alone = alone and compiled(AFTER_ORDINALS).match(text, found.end())
        if not (alone or found.group() != name):
            return None
    week = asking.sole(range(7, 8))
    latest = asking.now - DAY if week is None else week.until - timedelta(seconds=1)
    return spans.last_weekday(latest, WEEKDAYS[name])


def _day_of_month(found: re.Match[str], asking: Asking) -> Span:
    """The last such day that has begun, or that of the month that is named beside it."""
    month, number = asking.sole(range(28, 32)), int(found["day"])
    latest = asking.latest if month is None else month.until - timedelta(seconds=1)
    if number > latest.day:
        latest = spans.midnight(latest).replace(day=1) - DAY
    return spans.day(latest.replace(day=number))


def _year(found: re.Match[str], asking: Asking) -> Span | None:
    if not compiled(BEFORE_YEARS).search(before(asking.text, found.start())):
        return None
    return spans.year(asking.now, int(found["year"]))


_NTH: Final = "(?:st|nd|rd|th|o)?"
IN_FIGURES: Final[Rules] = (
    (rf"\b{YEAR}[-/](?P<month>\d\d?)[-/](?P<day>\d\d?)(?:t[\d:.+-]*z?)?\b", _date),
    (
        r"\b(?P<first>\d\d?)(?P<between>[/.-])(?P<second>\d\d?)(?P=between)(?P<year>(?:19|20)\d\d|(?<=/)\d\d)\b",
        _figures,
    ),
    (rf"\b(?P<month>\d\d?|{either(MONTHS)})/(?P<year>(?:19|20)\d\d)\b", _month_of_year),
    (rf"\b(?P<month>{either(MONTHS)})/(?P<year>\d\d)\b", _month_of_year),
    (rf"\b{YEAR}-(?P<month>\d\d)\b", _month_of_year),
    (r"\b(?P<first>\d\d?)/(?P<second>\d\d?)\b(?P<year>)(?!/)", _figures),
    (
        rf"\b(?P<day>\d\d?){_NTH} ?(?:and|to|e|a|until|-) ?(?P<last>\d\d?){_NTH} (?:of |de )?{MONTH}\b"
        rf"(?:,? (?:of |de )?{YEAR})?",
        _days_of_month,
    ),
    (
        rf"\b{MONTH}\.? (?P<day>\d\d?){_NTH} ?(?:and|to|-) ?(?P<last>\d\d?){_NTH}\b(?:,? {YEAR})?",
        _days_of_month,
    ),
    (rf"\b(?:dia )?(?P<day>\d\d?){_NTH}(?: of| de)? {MONTH}\b(?:,? (?:of |de )?{YEAR})?", _date),
    (
        rf"\b(?!(?:{either(FIGURE_ONLY)})\b){MONTH}\.? (?P<day>\d\d?)(?:st|nd|rd|th)?\b(?!:)(?:(?:, ?| ){YEAR})?",
        _date,
    ),
    (rf"\b{MONTH}\b,? (?:of |de |do ano de )?{YEAR}\b", _month_of_year),
)
BY_NAME: Final[Rules] = (
    (rf"\b{ORDINAL} (?:quarter|trimestre|semestre)\b(?:,? (?:of |de )?{YEAR})?", _part_of_year),
    (r"\bq(?P<ordinal>[1-4])\b", _part_of_year),
    (rf"\b{FEAST}\b(?:,? (?:of |de )?{YEAR})?", _feast),
    (rf"\b{MONTH}\b(?: passado)?", _month),
    (rf"\b{WEEKDAY}\b(?: passad[oa])?", _weekday),
    (r"(?:\bdia|\bon the) (?P<day>\d\d?)(?:st|nd|rd|th|o)?\b(?! (?:floor|time|birthday|day|page))", _day_of_month),
    (rf"\b{YEAR}\b", _year),
)
