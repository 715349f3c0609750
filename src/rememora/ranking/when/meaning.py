"""The time that a question means: `semana passada`, `before May`, `between May and July last year`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import reduce
from typing import Final

import msgspec

from rememora.language.folding import fold_typed
from rememora.language.packs import CODES, calendar_of
from rememora.language.parsed import ParsedText
from rememora.ranking.when.asking import FoundTime, before, compiled
from rememora.ranking.when.figures import in_figures
from rememora.ranking.when.readings import hints_at_time, read
from rememora.ranking.when.rewriting import in_english
from rememora.ranking.when.spans import DAY, EVER, WEEK, TimeSpan, midnight, month, nth_weekday, week
from rememora.ranking.when.words import (
    COUNT,
    FEW,
    LAST,
    NUMBERS,
    ORDINAL,
    ORDINALS,
    UNIT,
    UNITS,
    WEEKDAYS,
    WEEKEND,
    either,
    number_of,
    said,
)

_TOLD_APART: Final = tuple(rewrite for code in CODES for rewrite in calendar_of(code).unfolded)
"""Words that folding would confuse with others, and what is read in their place."""
_THE: Final = rf"(?: (?:{said('the_in')}))*"
_OF: Final = rf"(?: (?:{said('of_in')})){_THE}[ -]$"
# Third of a span: beginning, middle, end.
_EDGES: Final = (
    (rf"\b(?:{said('beginning')}){_OF}|\b(?:{said('early')})[ -]$", 0),
    (rf"\b(?:{said('middle')}){_OF}|\b(?:{said('mid')})[ -]$", 1),
    (rf"\b(?:{said('end')}){_OF}|\b(?:{said('late')})[ -]$", 2),
)
# "the second week of May", "os primeiros 10 dias de março": a part counted inside a longer span.
_SHARE: Final = (
    rf"\b{ORDINAL} (?:(?P<count>\d\d?|{either(NUMBERS)}) )?"
    rf"(?P<share>{WEEKEND}|(?P<half>{said('half')})|(?P<months>{said('months')})|(?P<days>{said('days')})"
    rf"|(?:{said('week')})s?|{said('day')}){_OF}"
)
# "the week before Easter": a distance, and the span it is measured from.
_NEAR: Final = (
    rf"\b(?:{COUNT} )?(?:{UNIT}|(?P<named>{WEEKEND}|{either(WEEKDAYS)}))"
    rf" (?:(?P<earlier>{said('before')})|{said('after')}){_THE} $"
)
# Words before a span open it to one side; EVER and `end` stand for the missing side.
_BOUNDS: Final[tuple[tuple[str, Callable[[TimeSpan, datetime], TimeSpan]], ...]] = (
    (rf"\b(?:{said('before')}){_THE} $", lambda span, _: TimeSpan(EVER, span.since)),
    (rf"\b(?:{said('until')}){_THE} $", lambda span, _: TimeSpan(EVER, span.until)),
    (rf"\b(?:{said('since')}|{said('from_on')}){_THE} $", lambda span, end: TimeSpan(span.since, end)),
    (rf"\b(?:{said('after')}){_THE} $", lambda span, end: TimeSpan(span.until, end)),
)
_TO: Final = rf" ?(?:{said('to')}|-|–) ?"
_AND: Final = rf" (?:{said('and')}) "
_ARTICLES: Final = rf"(?:(?:{said('the_in')}|{said('of_in')}) )*"
_OPENS: Final = rf"\b(?:{said('between')}){_THE} $"
_BEGINS: Final = rf"\b(?:{said('since')}|{said('from')}|{said('between')}){_THE} $"
_AROUND: Final = rf"\b(?:(?P<weekend>{WEEKEND})|{said('week')}){_OF}"
_NIGHT_OF: Final = rf"\b(?:{said('night')}) (?:{said('of_in')}) $"
_NIGHT: Final = rf" (?:(?:{said('at_night')}) )?(?:{said('night')})\b"
_SATURDAY: Final = 5


class QuestionTime(msgspec.Struct, frozen=True):
    """The time that a text means, and what is left of the folded text without it."""

    span: TimeSpan
    rest: str


def resolve(query: ParsedText, *, now: datetime, language: str = "pt") -> QuestionTime | None:
    """The time that a query means, asked at `now`, whose zone says where days begin and end."""
    plain = in_english(_told_apart(query), language)
    if not hints_at_time(plain):
        return None
    plain = in_figures(plain, now)
    times = [_narrowed(time, plain) for time in read(plain, now=now, language=language)]
    if not times:
        return None
    times = _alone([_near(found_time, plain) for found_time in _ranges(times, plain)])
    end = midnight(now) + DAY
    times = [_bounded(time, plain, end) for time in times]
    span = reduce(_together, times).span
    # Nothing was said yet of what is ahead.
    return QuestionTime(span, _without(times, plain)) if span.since < end else None


def _without(times: Sequence[FoundTime], text: str) -> str:
    for found_time in times:
        text = text[: found_time.start] + " " * (found_time.end - found_time.start) + text[found_time.end :]
    return text


def _told_apart(query: ParsedText) -> str:
    """Return the folded query, with other words in place of those that folding would confuse."""
    if query.raw.isascii():
        return query.compared
    text = query.raw
    for pattern, word in _TOLD_APART:
        text = compiled(pattern).sub(word, text)
    return query.compared if text == query.raw else fold_typed(text)


def _moved(time: FoundTime, span: TimeSpan, start: int | None = None) -> FoundTime:
    """The same, of another span; one that is empty changes nothing."""
    if span.since >= span.until:
        return time
    return msgspec.structs.replace(time, span=span, start=time.start if start is None else start)


def _narrowed(time: FoundTime, text: str) -> FoundTime:
    """The beginning, a week, the night of it, where the text beside it says so."""
    preceding = before(text, time.start)
    # From the narrowest to the widest reading; the first that fits is taken.
    if time.span.days == 1 and (compiled(_NIGHT).match(text, time.end) or compiled(_NIGHT_OF).search(preceding)):
        return _moved(time, time.span.with_night())
    if time.span.days <= WEEK // DAY and (vague := compiled(_AROUND).search(preceding)):
        span = _around(time.span, weekend=bool(vague["weekend"]))
        return _moved(time, span, time.start - len(preceding) + vague.start())
    for pattern, third in _EDGES:
        if edge := compiled(pattern).search(preceding):
            return _moved(time, time.span.third(third), time.start - len(preceding) + edge.start())
    if share := compiled(_SHARE).search(preceding):
        return _moved(time, _share(share, time.span), time.start - len(preceding) + share.start())
    return time


def _around(span: TimeSpan, *, weekend: bool) -> TimeSpan:
    """The week of some days, or the weekend of that week."""
    if weekend:
        saturday = week(span.since, 0).until - 2 * DAY
        return TimeSpan(saturday, saturday + 2 * DAY)
    return week(span.since + (span.until - span.since) / 2, 0)


def _share(match: re.Match[str], whole: TimeSpan) -> TimeSpan:
    """The second week, the last two weeks, the first half, the first weekend, the first days."""
    number, what = ORDINALS[match["ordinal"]], match["share"]
    if match["half"]:
        middle = whole.since.replace(month=7) if whole.is_year else whole.since + DAY * (whole.days // 2)
        return TimeSpan(whole.since, middle) if number == 1 else TimeSpan(middle, whole.until)
    if what not in UNITS:
        saturday = nth_weekday(whole, number % LAST, _SATURDAY).since
        return TimeSpan(saturday, saturday + 2 * DAY).both(whole) if saturday < whole.until else whole
    if match["months"] and whole.is_year:
        return _months(number, _count(match, FEW), whole)
    length = UNITS[what] * _count(match, FEW if match["days"] else 1)
    if number == LAST:
        return TimeSpan(max(whole.since, whole.until - length), whole.until)
    since = whole.since + UNITS[what] * (number - 1)
    return TimeSpan(since, since + length).both(whole) if since < whole.until else whole


def _count(match: re.Match[str], none: int) -> int:
    """Return the number before a part; `none` without one."""
    return (number_of(match["count"]) or FEW) if match["count"] else none


def _months(number: int, count: int, whole: TimeSpan) -> TimeSpan:
    """Return the first or last months of a year."""
    first, last = (max(1, 13 - count), 12) if number == LAST else (1, min(12, count))
    at = whole.since
    return month(at, at.year, first).through(month(at, at.year, last))


def _ranges(times: Sequence[FoundTime], text: str) -> list[FoundTime]:
    """Two that a range joins, `between` and `and`, `de` and `a`, are one from the first to the last."""
    joined: list[FoundTime] = []
    for found_time in times:
        if joined and _joins(joined[-1], found_time, text):
            joined.append(_range(joined.pop(), found_time, text))
        else:
            joined.append(found_time)
    return joined


def _range(first: FoundTime, last: FoundTime, text: str) -> FoundTime:
    """From November to February is over a new year."""
    inverted = first.span.since > last.span.since and not first.dated
    span = first.span.year_before() if inverted else first.span
    return FoundTime(_start(first, text), last.end, span.through(last.span), dated=last.dated)


def _joins(first: FoundTime, second: FoundTime, text: str) -> bool:
    gap = text[first.end : second.start]
    if compiled(_TO + _ARTICLES).fullmatch(gap):
        return True
    opened = compiled(_OPENS).search(before(text, first.start))
    return opened is not None and compiled(_AND + _ARTICLES).fullmatch(gap) is not None


def _start(first: FoundTime, text: str) -> int:
    """Return where a range starts: at its `from`, which then bounds nothing else."""
    preceding = before(text, first.start)
    begins = compiled(_BEGINS).search(preceding)
    return first.start if begins is None else first.start - len(preceding) + begins.start()


def _near(time: FoundTime, text: str) -> FoundTime:
    """The week before a date, the Sunday after it: some days around it."""
    preceding = before(text, time.start)
    near = compiled(_NEAR).search(preceding)
    if near is None:
        return time
    reach = (UNITS[near["unit"]] if near["unit"] else WEEK) * _count(near, 1)
    since, until = time.span.since, time.span.until
    span = TimeSpan(since - reach, until) if near["earlier"] else TimeSpan(since, until + reach)
    return _moved(time, span, time.start - len(preceding) + near.start())


def _alone(times: Sequence[FoundTime]) -> list[FoundTime]:
    """Without those that another has taken in: the Sunday of `the Sunday before May 5`."""
    return [found_time for found_time in times if not any(_takes_in(other, found_time) for other in times)]


def _takes_in(one: FoundTime, other: FoundTime) -> bool:
    return one.start < other.end <= one.end and one.start != other.start


def _bounded(time: FoundTime, text: str, end: datetime) -> FoundTime:
    preceding = before(text, time.start)
    for pattern, bounded in _BOUNDS:
        if bound := compiled(pattern).search(preceding):
            return _moved(time, bounded(time.span, end), time.start - len(preceding) + bound.start())
    return time


def _together(one: FoundTime, other: FoundTime) -> FoundTime:
    """Of two that meet, what is in both; else the one that names its year, or from the first to the last."""
    if one.span.meets(other.span):
        return FoundTime(one.start, other.end, one.span.both(other.span), dated=one.dated or other.dated)
    if one.dated != other.dated:
        return one if one.dated else other
    return FoundTime(one.start, other.end, one.span.through(other.span), dated=one.dated)
