"""Which time a question means: `semana passada`, `last May`, read against the day it is asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from functools import cache
from typing import Final

import msgspec

DAY: Final = timedelta(days=1)


class Span(msgspec.Struct, frozen=True):
    """From `since` until just before `until`."""

    since: datetime
    until: datetime


_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "january jan janeiro",
            "february feb fevereiro fev",
            "march mar marco",
            "april apr abril abr",
            "may maio mai",
            "june jun junho",
            "july jul julho",
            "august aug agosto ago",
            "september sept sep setembro set",
            "october oct outubro out",
            "november nov novembro",
            "december dec dezembro dez",
        ),
        start=1,
    )
    for name in names.split()
}
_WEEKDAYS: Final = {
    name: number
    for number, names in enumerate(
        (
            "monday segunda segunda-feira",
            "tuesday terca terca-feira",
            "wednesday quarta quarta-feira",
            "thursday quinta quinta-feira",
            "friday sexta sexta-feira",
            "saturday sabado",
            "sunday domingo",
        )
    )
    for name in names.split()
}
_NUMBERS: Final = {
    name: number
    for number, names in enumerate(
        (
            "one um uma a an primeiro",
            "two dois duas couple",
            "three tres few",
            "four quatro",
            "five cinco",
            "six seis",
            "seven sete",
            "eight oito",
            "nine nove",
            "ten dez",
            "eleven onze",
            "twelve doze",
        ),
        start=1,
    )
    for name in names.split()
}
_UNITS: Final = {
    "day": 1, "days": 1, "dia": 1, "dias": 1,
    "week": 7, "weeks": 7, "semana": 7, "semanas": 7,
    "month": 30, "months": 30, "mes": 30, "meses": 30,
    "year": 365, "years": 365, "ano": 365, "anos": 365,
}  # fmt: skip

# `out`, `set`, `mar`, `mai` and `may` are words too: they are months only beside a figure or a preposition.
_WORDS_TOO: Final = {
    "out",
    "set",
    "mar",
    "mai",
    "may",
    "ago",
    "dez",
    "jun",
    "jul",
    "abr",
    "march",
    "marco",
    "sep",
}


def _either(names: Iterable[str]) -> str:
    return "|".join(sorted(names, key=len, reverse=True))


_ANY: Final = _either(_MONTHS)
_SURE: Final = _either(_MONTHS.keys() - _WORDS_TOO)
_COUNT: Final = r"(?P<count>\d{1,3}|" + _either(_NUMBERS) + ")"
_UNIT: Final = "(?P<unit>" + _either(_UNITS) + ")"
_DAYNAME: Final = "(?P<weekday>" + _either(_WEEKDAYS) + ")"


def _midnight(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


def _month(year: int, month: int, now: datetime) -> Span:
    first = _midnight(now).replace(year=year, month=month, day=1)
    following = first.replace(year=year + month // 12, month=month % 12 + 1)
    return Span(first, following)


def _shifted_month(now: datetime, back: int) -> Span:
    months = now.year * 12 + now.month - 1 - back
    return _month(months // 12, months % 12 + 1, now)


def _week(now: datetime, back: int) -> Span:
    monday = _midnight(now) - DAY * now.weekday() - 7 * DAY * back
    return Span(monday, monday + 7 * DAY)


def _year(year: int, now: datetime) -> Span:
    first = _midnight(now).replace(year=year, month=1, day=1)
    return Span(first, first.replace(year=year + 1))


def _days(now: datetime, back: int) -> Span:
    day = _midnight(now) - DAY * back
    return Span(day, day + DAY)


def _number(text: str) -> int:
    return int(text) if text.isdigit() else _NUMBERS[text]


def _ago(found: re.Match[str], now: datetime) -> Span:
    """The further back, the less exact people are."""
    length = _UNITS[found["unit"]]
    centre = _midnight(now) - DAY * length * _number(found["count"])
    slack = DAY * (length // 2 if length > 1 else 0)
    return Span(centre - slack, centre + slack + DAY)


def _past(found: re.Match[str], now: datetime) -> Span:
    return Span(_midnight(now) - DAY * _UNITS[found["unit"]] * _number(found["count"]), now + DAY)


def _weekday(found: re.Match[str], now: datetime) -> Span:
    back = (now.weekday() - _WEEKDAYS[found["weekday"]]) % 7 or 7
    return _days(now, back)


def _weekend(_: re.Match[str], now: datetime) -> Span:
    saturday = _midnight(now) - DAY * ((now.weekday() - 5) % 7 or 7)
    return Span(saturday, saturday + 2 * DAY)


def _named_month(found: re.Match[str], now: datetime) -> Span:
    """Without a year, the last such month that has begun."""
    month, year = _MONTHS[found["month"]], found["year"]
    if year:
        return _month(int(year), month, now)
    return _month(now.year if month <= now.month else now.year - 1, month, now)


def _date(found: re.Match[str], now: datetime) -> Span:
    month = found["month"]
    number = int(month) if month.isdigit() else _MONTHS[month]
    year = found["year"]
    day = _midnight(now).replace(year=int(year) if year else now.year, month=number, day=int(found["day"]))
    if not year and day > now + 31 * DAY:
        day = day.replace(year=now.year - 1)
    return Span(day, day + DAY)


_Reader = Callable[[re.Match[str], datetime], Span]
_YEAR: Final = r"(?P<year>(?:19|20)\d\d)"
_RULES: Final[tuple[tuple[str, _Reader], ...]] = (
    (rf"\b{_YEAR}-(?P<month>\d\d)-(?P<day>\d\d)\b", _date),
    (rf"\b(?P<day>\d\d?)/(?P<month>\d\d?)(?:/{_YEAR})?\b", _date),
    (
        rf"\b(?P<day>\d\d?)(?:st|nd|rd|th|o)?(?: of| de)? (?P<month>{_ANY})\b(?:,? (?:of |de )?{_YEAR})?",
        _date,
    ),
    (rf"\b(?P<month>{_ANY})\.? (?P<day>\d\d?)(?:st|nd|rd|th)?\b(?!\d)(?:,? {_YEAR})?", _date),
    (rf"\b(?P<month>{_ANY})\b,? (?:of |de )?{_YEAR}", _named_month),
    (
        rf"\b(?:in|last|of|this|since|until|during|early|late|mid|before|after|em|de|no|neste|ultimo)"
        rf" (?P<month>{_ANY})\b(?P<year>)",
        _named_month,
    ),
    (rf"\b(?P<month>{_SURE})(?P<year>)\b", _named_month),
    (rf"\b(?:ha|faz) {_COUNT} {_UNIT}\b", _ago),
    (rf"\b{_COUNT} {_UNIT} (?:ago|atras|back)\b", _ago),
    (rf"\b(?:last|past|ultim[oa]s) {_COUNT} {_UNIT}\b", _past),
    (r"\b(?:day before yesterday|anteontem)\b", lambda _, now: _days(now, 2)),
    (r"\b(?:yesterday|ontem)\b", lambda _, now: _days(now, 1)),
    (r"\b(?:last weekend|fim de semana passado|final de semana passado)\b", _weekend),
    (r"\b(?:last week|semana passada)\b", lambda _, now: _week(now, 1)),
    (r"\b(?:this week|(?:est|ness|nest|ess)a semana)\b", lambda _, now: _week(now, 0)),
    (r"\b(?:last month|mes passado)\b", lambda _, now: _shifted_month(now, 1)),
    (r"\b(?:this month|(?:est|ness|nest|ess)e mes)\b", lambda _, now: _shifted_month(now, 0)),
    (r"\b(?:last year|ano passado)\b", lambda _, now: _year(now.year - 1, now)),
    (r"\b(?:this year|(?:est|ness|nest|ess)e ano)\b", lambda _, now: _year(now.year, now)),
    (rf"\b(?:last|on) {_DAYNAME}\b", _weekday),
    (rf"\b{_DAYNAME} passad[ao]\b", _weekday),
    (
        rf"\b(?:in|of|during|since|em|de|no ano de|desde) {_YEAR}\b",
        lambda found, now: _year(int(found["year"]), now),
    ),
)


@cache
def _hint() -> re.Pattern[str]:
    """Most questions name no time, and twenty patterns are twenty searches: one goes ahead."""
    words = [*_MONTHS, *_WEEKDAYS, *_UNITS, "ontem", "anteontem", "yesterday", "weekend"]
    return re.compile(rf"\d|\b(?:{_either(words)})\b")


@cache
def _rules() -> tuple[tuple[re.Pattern[str], _Reader], ...]:
    return tuple((re.compile(pattern), reader) for pattern, reader in _RULES)


def _spans(folded: str, now: datetime) -> Iterator[Span]:
    """Every time that is named, the most exact reading of each stretch of text."""
    rest = folded
    years = {int(year) for year in re.findall(r"\b(?:19|20)\d\d\b", folded)}
    # One year, named once, is meant for every date beside it.
    dated = now.replace(year=years.pop(), month=12, day=31) if len(years) == 1 else now
    for pattern, reader in _rules():
        for found in pattern.finditer(rest):
            try:
                yield reader(found, dated if reader in {_date, _named_month} else now)
            except ValueError:
                # 31/02 and 99/99 look like dates and are none.
                continue
            rest = rest.replace(found.group(), " ", 1)


def resolve(folded: str, *, now: datetime) -> Span | None:
    """The time that a folded text means: from the first to the last one that it names."""
    spans = list(_spans(folded, now)) if _hint().search(folded) else []
    if not spans:
        return None
    return Span(min(span.since for span in spans), max(span.until for span in spans))
