"""Times relative to the day of asking: yesterday, last week, two months ago, the past few days."""

from __future__ import annotations

import re
from typing import Final

from rememora.ranking.when import spans
from rememora.ranking.when.asking import Asking, Reader, Rules, after, before, compiled
from rememora.ranking.when.spans import DAY, WEEK, TimeSpan
from rememora.ranking.when.words import (
    COUNT,
    FEW,
    NUMBERS,
    ORDINAL,
    PARTS,
    PAST_TENSE,
    THIS,
    UNIT,
    UNITS,
    WEEKDAYS,
    WEEKEND,
    either,
    number_of,
    said,
)

_MONTH: Final = UNITS["month"]
_NOTHING: Final = 0 * DAY
_SATURDAY: Final = 5


def _today(match: re.Match[str], asking: Asking) -> TimeSpan | None:
    """Today is a day where something happened; `where do I work today` asks for what holds."""
    right, left = after(asking.text, match.end()), before(asking.text, match.start())
    named = compiled(rf"^ (?:{said('part_of_today')})\b").search(right)
    named = named or compiled(rf"\b(?:{said('earlier')}|{said('since')}) $").search(left)
    happened = named or compiled(PAST_TENSE).search(asking.text)
    return spans.day(asking.now) if happened else None


def _ago(match: re.Match[str], asking: Asking) -> TimeSpan:
    """The further back, the less exact people are."""
    length, count = UNITS[match["unit"]], number_of(match["count"])
    if length < DAY:
        return spans.past(asking.now, length * (count or FEW))
    today = spans.midnight(asking.now)
    if not count:
        return TimeSpan(today - length * (FEW + 1), today - length + DAY)
    slack = DAY * (length // DAY // 2)
    centre = spans.midnight(today - length * count - (length / 2 if match["half"] else _NOTHING))
    return TimeSpan(centre - slack, centre + slack + DAY)


def _past(match: re.Match[str], asking: Asking) -> TimeSpan:
    groups = match.groupdict()
    count = number_of(groups["count"]) if groups.get("count") else 1
    return spans.past(asking.now, UNITS[match["unit"]] * (count or FEW))


def _past_few(match: re.Match[str], asking: Asking) -> TimeSpan:
    return spans.past(asking.now, UNITS[match["unit"]] * FEW)


def _back(back: int) -> Reader:
    """Return the calendar week, month or year a number of them ago."""

    def read(match: re.Match[str], asking: Asking) -> TimeSpan:
        length = UNITS[match["unit"]]
        if length <= WEEK:
            return spans.week(asking.now, back)
        if length > _MONTH:
            return spans.year(asking.now, asking.now.year - back)
        return spans.month_back(asking.now, back)

    return read


def _days_back(back: int) -> Reader:
    return lambda _, asking: spans.day(asking.now, back)


def _nights_back(back: int) -> Reader:
    return lambda _, asking: spans.day(asking.now, back).with_night()


def _weekends_back(back: int) -> Reader:
    """The last weekend is over: on a Sunday it is not this one."""

    def read(_: re.Match[str], asking: Asking) -> TimeSpan:
        return spans.weekend(asking.now, back - 1 + (asking.now.weekday() >= _SATURDAY))

    return read


def _of_this(match: re.Match[str], asking: Asking) -> TimeSpan | None:
    """`No começo do ano` and `a última sexta do mês` mean this one."""
    edge = compiled(_INSIDE).search(before(asking.text, match.start()))
    return _back(0)(match, asking) if edge else None


# After these, "do mês" narrows a part and does not mean the whole month.
_INSIDE: Final = (
    rf"\b(?:{said('beginning')}|{said('middle')}|{said('end')}|{ORDINAL} (?:(?:\d\d?|{either(NUMBERS)}) )?"
    rf"(?:{said('half')}|(?:{said('week')})s?|{said('day')}|{said('days')}|{said('months')}|{either(PARTS)}"
    rf"|{WEEKEND}|{either(WEEKDAYS)})) (?:{said('of_this')}) $"
)
_PERIOD: Final = f"(?P<unit>{said('period')})"
_AND_A_HALF: Final = f"(?P<half> (?:{said('and_a_half')}))?"
_NOT_OF: Final = rf"(?! (?:{said('of_the')})\b)"
_NOT_DE: Final = rf"(?! (?:{said('of_named')})\b)"
# Tried before the weekdays of a week, because "this weekend" is no weekday; "the weekend of 3 May" is left to
# dates.
WEEKENDS: Final[Rules] = (
    (
        rf"\b(?:{THIS}|{said('the_weekend')}) {WEEKEND}\b{_NOT_OF}",
        lambda _, asking: spans.weekend(asking.now, 0),
    ),
)
# The longest phrase first: "anteontem" and "day before yesterday" contain shorter ones.
RELATIVE: Final[Rules] = (
    (rf"\b(?:{said('three_days_ago')})\b", _days_back(3)),
    (rf"\b(?:{said('two_days_ago')})\b", _days_back(2)),
    (rf"\b(?:{said('two_nights_ago')})\b", _nights_back(2)),
    (rf"\b(?:{said('last_night')})\b", _nights_back(1)),
    (rf"\b(?:{said('yesterday')})\b", _days_back(1)),
    (rf"\b(?:{said('this_part_of_day')})\b", _days_back(0)),
    (rf"\b(?:{said('today')})\b", _today),
    (rf"\b{_PERIOD} (?:{said('before_last')})\b", _back(2)),
    (rf"\b{WEEKEND} (?:{said('before_last')})\b", _weekends_back(2)),
    (rf"\b(?:{said('last_weekend')}|{WEEKEND} (?:{said('passed')}))\b", _weekends_back(1)),
    (rf"\b(?:{said('just_now')})", _days_back(0)),
    (rf"\b(?:{said('half_hour_ago')})\b", _days_back(0)),
    (rf"\b(?:{said('ago_before')}) {COUNT} {UNIT}\b{_AND_A_HALF}", _ago),
    (rf"\b{COUNT} {UNIT}{_AND_A_HALF} (?:{said('ago')})\b", _ago),
    (rf"\b(?:{said('last_counted')}) {COUNT} {UNIT}\b{_NOT_OF}", _past),
    (rf"\b(?:{said('past_one')}) (?P<unit>{said('period')}|{said('half_month')})\b{_NOT_OF}", _past),
    (rf"\b(?:{said('last_season')}) (?P<unit>{said('fortnight')})\b", _past),
    (rf"\b(?:{said('past_some')}) (?P<unit>{said('periods')})\b{_NOT_DE}", _past_few),
    (rf"\b(?:{said('previous')}) {_PERIOD}\b{_NOT_OF}", _back(1)),
    (rf"\b{_PERIOD} (?:{said('passed')})\b", _back(1)),
    (rf"\b{THIS} {_PERIOD}\b", _back(0)),
    (rf"\b{_PERIOD}\b", _of_this),
)
