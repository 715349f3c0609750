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
    PAST_TENSE,
    THIS,
    UNIT,
    UNITS,
    WEEKDAYS,
    WEEKEND,
    either,
    number_of,
)

_MONTH: Final = UNITS["month"]
_NOTHING: Final = 0 * DAY


def _today(match: re.Match[str], asking: Asking) -> TimeSpan | None:
    """Today is a day where something happened; `where do I work today` asks for what holds."""
    right, left = after(asking.text, match.end()), before(asking.text, match.start())
    named = compiled(r"^ (?:(?:de|pela) manha|cedo|mais cedo|a tarde|a noite)\b").search(right)
    named = named or compiled(r"\b(?:earlier|desde|since) $").search(left)
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
        return spans.weekend(asking.now, back - 1 + (asking.now.weekday() >= WEEKDAYS["saturday"]))

    return read


def _of_this(match: re.Match[str], asking: Asking) -> TimeSpan | None:
    """`No começo do ano` and `a última sexta do mês` mean this one."""
    edge = compiled(_INSIDE).search(before(asking.text, match.start()))
    return _back(0)(match, asking) if edge else None


# After these, "do mês" narrows a part and does not mean the whole month.
_INSIDE: Final = (
    rf"\b(?:comeco|inicio|meio|fim|final|beginning|start|middle|end|{ORDINAL} (?:(?:\d\d?|{either(NUMBERS)}) )?"
    rf"(?:half|metade|quinzena|weeks?|semanas?|days?|dias?|months|meses|quarter|trimestre|semestre|{WEEKEND}"
    rf"|{either(WEEKDAYS)}))"
    r" (?:d[oa]|of the) $"
)
_PERIOD: Final = "(?P<unit>week|month|year|semana|mes|ano)"
_ABOUT: Final = "uns|umas|cerca de|quase|mais de|pouco mais de|mais ou menos|aproximadamente"
_AND_A_HALF: Final = "(?P<half> e mei[oa]| and a half)?"
# Tried before the weekdays of a week, because "this weekend" is no weekday; "the weekend of 3 May" is left to
# dates.
WEEKENDS: Final[Rules] = (
    (
        rf"\b(?:{THIS}|the|no|over the|do|o) {WEEKEND}\b(?! (?:of|d[eoa]s?)\b)",
        lambda _, asking: spans.weekend(asking.now, 0),
    ),
)
# The longest phrase first: "anteontem" and "day before yesterday" contain shorter ones.
RELATIVE: Final[Rules] = (
    (r"\b(?:trasanteontem|tresanteontem|tras-anteontem)\b", _days_back(3)),
    (r"\b(?:day before yesterday|anteontem|antes de ontem)\b", _days_back(2)),
    (r"\b(?:night before last|noite retrasada)\b", _nights_back(2)),
    (r"\b(?:last night|noite passada)\b", _nights_back(1)),
    (r"\b(?:yesterday|ontem)\b", _days_back(1)),
    (
        r"\b(?:this|est[ae]|d?esta|nesta) (?:morning|afternoon|evening|manha|tarde|noite)\b|\btonight\b",
        _days_back(0),
    ),
    (r"\b(?:today|hoje)\b", _today),
    (rf"\b{_PERIOD} before last\b", _back(2)),
    (rf"\b{_PERIOD} retrasad[oa]\b", _back(2)),
    (rf"\b{WEEKEND} (?:retrasado|before last)\b", _weekends_back(2)),
    (rf"\b(?:last weekend|{WEEKEND} passado|ultimo {WEEKEND}\b(?! d[eoa]\b))\b", _weekends_back(1)),
    (
        r"\b(?:(?:ha|faz) pouco(?=$|[^\w ]| (?:eu|que|o|a|sobre|no|na|com|voce|pra|para)\b)|just now\b)",
        _days_back(0),
    ),
    (r"\b(?:(?:ha|faz) meia hora|meia hora atras|half an hour ago)\b", _days_back(0)),
    (rf"\b(?:ha|faz) (?:(?:{_ABOUT}) )?{COUNT} {UNIT}\b{_AND_A_HALF}", _ago),
    (rf"\b{COUNT} {UNIT}{_AND_A_HALF} (?:ago|atras|back)\b", _ago),
    (rf"\b(?:last|past|previous|ultim[oa]s) (?:a )?{COUNT} {UNIT}\b(?! (?:of|de|do|da)\b)", _past),
    (r"\bultim[oa] (?P<unit>semana|quinzena|mes|ano)\b(?! d[eoa]\b)", _past),
    (r"\b(?:past|in the last|over the last) (?P<unit>week|month|year)\b(?! of\b)", _past),
    (r"\b(?:past|last) (?P<unit>fortnight)\b", _past),
    (r"\b(?:past|ultim[oa]s) (?P<unit>days|weeks|months|years|dias|semanas|meses|anos)\b(?! d[eoa]\b)", _past_few),
    (rf"\b(?:last|previous) {_PERIOD}\b(?! of\b)", _back(1)),
    (rf"\b{_PERIOD} passad[oa]\b", _back(1)),
    (rf"\b{THIS} {_PERIOD}\b", _back(0)),
    (rf"\b{_PERIOD}\b", _of_this),
)
