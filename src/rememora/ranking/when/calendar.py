"""Calendar times: dates, months, years, days of a month; without a year, the last one."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

from rememora.ranking.when import spans
from rememora.ranking.when.asking import Asking, Rules, before, compiled
from rememora.ranking.when.spans import DAY, TimeSpan
from rememora.ranking.when.words import (
    AFTER_MONTHS,
    BEFORE_MONTHS,
    BEFORE_YEARS,
    COMPANY,
    FIGURE_ONLY,
    MONTH,
    MONTHS,
    OF,
    YEAR,
    either,
    said,
)

_SOON: Final = 31 * DAY
"""A date without a year that is this near may be ahead."""
_MOST_DAYS: Final = 31


def _year_of(match: re.Match[str]) -> int | None:
    year = match["year"]
    return int(year) if year else None


def _is_word(name: str, asking: Asking) -> bool:
    """`3 out of 5` and `2 set pieces` are no dates in English."""
    return asking.language == "en" and name in FIGURE_ONLY - {"mar"}


def _date(match: re.Match[str], asking: Asking) -> TimeSpan | None:
    month = match["month"]
    if _is_word(month, asking):
        return None
    return _dated(asking, _year_of(match), int(month) if month.isdigit() else MONTHS[month], int(match["day"]))


def _dated(asking: Asking, year: int | None, month: int, day: int) -> TimeSpan:
    latest = asking.latest
    since = spans.midnight(latest).replace(year=year or latest.year, month=month, day=day)
    if not year and since > latest + _SOON:
        since = since.replace(year=since.year - 1)
    return TimeSpan(since, since + DAY)


def _days_of_month(match: re.Match[str], asking: Asking) -> TimeSpan | None:
    if _is_word(match["month"], asking):
        return None
    first, last = (
        _dated(asking, _year_of(match), MONTHS[match["month"]], int(match[name])) for name in ("day", "last")
    )
    return first.through(last)


def _figures(match: re.Match[str], asking: Asking) -> TimeSpan | None:
    """14/5 where days come first, 5/14 where months do; the other way round where that is no date."""
    first, second, year = int(match["first"]), int(match["second"]), match["year"]
    padded = compiled(r"\b0").search(match.group())
    if not (year or max(first, second) > 12 or padded or _goes_before_dates(match, asking)):
        return None
    day, month = (second, first) if asking.language == "en" else (first, second)
    if month > 12:
        day, month = month, day
    return _dated(asking, None if not year else int(year) + 2000 * (len(year) == 2), month, day)


def _goes_before_dates(match: re.Match[str], asking: Asking) -> bool:
    return compiled(_BEFORE_DATES).search(before(asking.text, match.start())) is not None


def _month(match: re.Match[str], asking: Asking) -> TimeSpan | None:
    """A month without a year; words that are no months of their own need company."""
    name = match["month"]
    if name in FIGURE_ONLY:
        return None
    if name in COMPANY and not _has_company(match, asking):
        return None
    latest = asking.latest
    if match["last"] or match["passed"]:
        # Who says `last May` in May does not mean this one.
        latest = spans.midnight(latest).replace(day=1) - DAY
    return spans.last_month_called(latest, MONTHS[name])


def _has_company(match: re.Match[str], asking: Asking) -> bool:
    preceding = compiled(BEFORE_MONTHS).search(before(asking.text, match.start("month")))
    return bool(preceding or match["passed"] or compiled(AFTER_MONTHS).match(asking.text, match.end()))


def _month_of_year(match: re.Match[str], asking: Asking) -> TimeSpan:
    month, year = match["month"], match["year"]
    number = int(month) if month.isdigit() else MONTHS[month]
    return spans.month(asking.now, int(year) + 2000 * (len(year) == 2), number)


def _day_of_month(match: re.Match[str], asking: Asking) -> TimeSpan | None:
    """The last such day that has begun, or that of the month that is named beside it."""
    month, number = asking.sole(range(28, 32)), int(match["day"])
    if not 1 <= number <= _MOST_DAYS:
        return None
    latest = asking.latest if month is None else month.until - timedelta(seconds=1)
    # Not every month has a 31st.
    while number > latest.day:
        latest = spans.midnight(latest).replace(day=1) - DAY
    span = spans.day(latest.replace(day=number))
    return span if month is None or span.meets(month) else None


def _year(match: re.Match[str], asking: Asking) -> TimeSpan | None:
    if not compiled(BEFORE_YEARS).search(before(asking.text, match.start())):
        return None
    return spans.year(asking.now, int(match["year"]))


_NTH: Final = "(?:st|nd|rd|th|o)?"
_BEFORE_DATES: Final = rf"\b(?:{said('before_dates')}) $"
_TO: Final = rf"(?:{said('year_range')}|-)"
# Tried in order, the most specific first: what one rule reads is blanked for those after it.
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
        rf"\b(?P<day>\d\d?){_NTH} ?{_TO} ?(?P<last>\d\d?){_NTH} (?:{OF} )?{MONTH}\b(?:,? (?:{OF} )?{YEAR})?",
        _days_of_month,
    ),
    (
        rf"\b{MONTH}\.? (?P<day>\d\d?){_NTH} ?{_TO} ?(?P<last>\d\d?){_NTH}\b(?:,? {YEAR})?",
        _days_of_month,
    ),
    (
        rf"\b(?:(?:{said('day_word')}) )?(?P<day>\d\d?){_NTH}(?: {OF})? {MONTH}\b(?:,? (?:{OF} )?{YEAR})?",
        _date,
    ),
    (
        rf"\b(?!(?:{either(FIGURE_ONLY)})\b){MONTH}\.? (?P<day>\d\d?)(?:st|nd|rd|th)?\b(?!:)(?:(?:, ?| ){YEAR})?",
        _date,
    ),
    (rf"\b{MONTH}\b,? (?:{OF} )?{YEAR}\b", _month_of_year),
)
MONTHS_BY_NAME: Final[Rules] = (
    (rf"\b(?P<last>(?:{said('last_month')}) )?{MONTH}\b(?P<passed> (?:{said('passed')}))?", _month),
)
# Last of all: a bare day or year is also a quantity, an address or a page.
DAYS_AND_YEARS: Final[Rules] = (
    (rf"\b(?:{said('on_day')}) (?P<day>\d\d?){_NTH}\b(?! (?:{said('no_day')}))", _day_of_month),
    (rf"\b{YEAR}\b", _year),
)
