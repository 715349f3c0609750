"""Parts of a year and of a month: quarters, halves, fortnights, seasons."""

from __future__ import annotations

import re
from typing import Final

from rememora.language.packs import calendar_of
from rememora.ranking.when import spans
from rememora.ranking.when.asking import Asking, Rules, before, compiled
from rememora.ranking.when.spans import TimeSpan
from rememora.ranking.when.words import (
    AGO,
    LAST,
    OF,
    ORDINALS,
    PARTS,
    PAST_TENSE,
    SEASONS,
    THIS,
    YEAR,
    either,
    said,
)

_PART: Final = f"(?P<part>{either(PARTS)})"
_NTH: Final = rf"(?P<ordinal>{either(ORDINALS)}|[1-6](?:st|nd|rd|th|[oa]))"
_OF_SOMETHING: Final = rf" (?:{said('of_the')}) "
_SEASON: Final = f"(?P<season>{either(SEASONS)})"
_ENGLISH: Final = frozenset(calendar_of("en").seasons)
_HALF_MONTH: Final = f"(?:{said('half_month')})"
# Season names are also names and nouns ("Summer", "spring"): one of these must come before.
_IN_SEASON: Final = rf"\b(?:{said('in_season')})[ -]$"
# `Spring onions`, `summer camp`; but `in the summer I went`, `in the summer when`.
_OUT_OF_SEASON: Final = rf"[ -](?!(?:{said('after_season')})\b)[a-z]"


def _back(match: re.Match[str]) -> int:
    """Return how many of a kind lie between: none, the last one, or the one before it."""
    return 0 if not match["ago"] else 2 if match["twice"] else 1


def _nth_part(match: re.Match[str], asking: Asking) -> TimeSpan | None:
    """The last one that has begun; the last quarter is the one before this, or the last of a year."""
    name, months = match["ordinal"], PARTS[match["part"] or "quarter"]
    number, count = int(name[0]) if name[0].isdigit() else ORDINALS[name], 12 // months
    year = int(match["year"]) if match["year"] else asking.named_year
    if not year:
        if compiled(_OF_SOMETHING).match(asking.text, match.end()):
            return None
        if number == LAST:
            return spans.part_of_year(asking.now, months, back=1)
    if number not in {LAST, *range(1, count + 1)}:
        return None
    first = (min(number, count) - 1) * months + 1
    begun = spans.month(asking.now, year, first) if year else spans.last_month_called(asking.now, first)
    return spans.part_of_year(begun.since, months)


def _part_ago(match: re.Match[str], asking: Asking) -> TimeSpan:
    return spans.part_of_year(asking.now, PARTS[match["part"]], back=_back(match))


def _this_part(match: re.Match[str], asking: Asking) -> TimeSpan:
    return spans.part_of_year(asking.now, PARTS[match["part"]])


def _half_month_ago(match: re.Match[str], asking: Asking) -> TimeSpan:
    return spans.half_month(asking.now, back=_back(match))


def _season(match: re.Match[str], asking: Asking) -> TimeSpan | None:
    """The last one that has begun, or that is over; a winter and its January are of one year."""
    month, day = SEASONS[match["season"]]
    over = 1 if match["last"] else _back(match)
    if not (over or match["year"]) and not _is_season(match, asking):
        return None
    year = int(match["year"]) if match["year"] else asking.named_year
    if year:
        return spans.quarter_from(asking.now, year - (month == SEASONS["winter"][0]), month, day)
    span = spans.quarter_from(asking.now, asking.now.year, month, day)
    while (span.until if over else span.since) > asking.now:
        span = span.year_before()
    return span.year_before() if over > 1 else span


def _is_season(match: re.Match[str], asking: Asking) -> bool:
    """Return whether something happened in that season: a habit in summer recurs every year."""
    preceding = compiled(_IN_SEASON).search(before(asking.text, match.start()))
    thing = match["season"] in _ENGLISH and compiled(_OUT_OF_SEASON).match(asking.text, match.end())
    return bool(preceding and not thing and compiled(PAST_TENSE).search(asking.text))


# Quarters, halves, fortnights and seasons, with a year or without.
PARTS_OF_YEARS: Final[Rules] = (
    (rf"\b{_NTH} {_PART}\b(?:,? (?:{OF} )?{YEAR})?", _nth_part),
    (rf"\bq(?P<ordinal>[1-4])(?P<part>)\b(?:,? (?:{OF} )?{YEAR})?", _nth_part),
    (rf"\b{_PART} {AGO}", _part_ago),
    (rf"\b{THIS} {_PART}\b", _this_part),
    (rf"\b{_HALF_MONTH} {AGO}", _half_month_ago),
    (rf"\b{THIS} {_HALF_MONTH}\b", lambda _, asking: spans.half_month(asking.now, back=0)),
    (
        rf"\b(?:(?P<last>{said('last_season')}) )?{_SEASON}\b(?: {AGO})?(?:,? (?:{OF} )?{YEAR})?",
        _season,
    ),
)
