"""Reads the period in which a statement is true: "desde março", "a partir de 2027", "until Friday".

The time at which something was said is separate. Only what the words name is read: a date, a month, a year or a
weekday. A day or month without its year is the last one after "desde", the next one after "a partir de" and "até".
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Final, Literal, get_args

import msgspec

from rememora.language import fold
from rememora.language.phrases import phrase
from rememora.ranking.when.words import MONTHS, WEEKDAYS, either

Edge = Literal["since", "from", "until"]
# Day and month, month alone, year alone, or a weekday; anything vaguer is no period.
_TIME: Final = (
    r"(?:(?P<day>\d{1,2})(?:/(?P<number>\d{1,2})(?:/(?P<years>\d{4}))?"
    rf"| (?:{{of_date}} )?(?P<of>{either(MONTHS)}))"
    rf"|(?P<month>{either(MONTHS)})(?: (?P<date>\d{{1,2}})(?!\d))?|(?P<weekday>{either(WEEKDAYS)}))"
    r"(?:,? (?:{of_date} )?(?P<year>(?:19|20)\d\d))?|(?P<only>(?:19|20)\d\d)"
)
_OPENED: Final = tuple(
    (edge, phrase(rf"\b{{true_{edge}}} (?:{_TIME})\b(?!\s?(?:h\b|:|am\b|pm\b))")) for edge in get_args(Edge)
)
"""Patterns of a period's edge, by its relation to the statement."""
_YEAR_DAYS: Final = 366


class Validity(msgspec.Struct, frozen=True):
    """The period in which a statement is true, as far as it names one."""

    since: datetime | None = None
    until: datetime | None = None


def validity_of(text: str, *, now: datetime) -> Validity:
    """Read the period in which a statement is true."""
    folded = fold(text)
    moments: dict[Edge, datetime] = {}
    for edge, pattern in _OPENED:
        match = pattern.search(folded)
        moment = _moment(match, edge, now) if match is not None else None
        if moment is not None:
            moments[edge] = moment
    return Validity(moments.get("since") or moments.get("from"), moments.get("until"))


def _moment(match: re.Match[str], edge: Edge, now: datetime) -> datetime | None:
    """Return the first moment of the named time; for "until" the first moment after it."""
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if match["weekday"]:
        away = (WEEKDAYS[match["weekday"]] - today.weekday()) % 7
        days = away - 7 if edge == "since" and away else away
        return today + timedelta(days=days + (edge == "until"))
    year = int(match["only"] or match["year"] or match["years"] or 0)
    month = MONTHS.get(match["of"] or match["month"] or "") or int(match["number"] or 0)
    day = int(match["day"] or match["date"] or 0)
    try:
        first = today.replace(year=year or today.year, month=month or 1, day=day or 1)
        if not year:
            first = _nearest(first, edge, now)
        return _after(first, month=bool(month), day=bool(day)) if edge == "until" else first
    except ValueError:
        # The thirty-first of February.
        return None


def _nearest(first: datetime, edge: Edge, now: datetime) -> datetime:
    """Return the last such day or month for "since", else the next."""
    if edge == "since":
        return first if first <= now else first.replace(year=first.year - 1)
    over = _after(first, month=True, day=first.day > 1) <= now
    return first.replace(year=first.year + 1) if over else first


def _after(first: datetime, *, month: bool, day: bool) -> datetime:
    """Return the first moment after a day, a month or a year."""
    if day:
        return first + timedelta(days=1)
    if month:
        return (first + timedelta(days=31)).replace(day=1)
    return (first + timedelta(days=_YEAR_DAYS)).replace(month=1, day=1)
