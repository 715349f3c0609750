"""Reads every time that a text names, rule by rule."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from functools import partial
from typing import Final, NamedTuple

from rememora.ranking.when.asking import Asking, FoundTime, Reader, Rules, before, compiled
from rememora.ranking.when.calendar import DAYS_AND_YEARS, IN_FIGURES, MONTHS_BY_NAME
from rememora.ranking.when.feasts import FEAST_NAMES, FEASTS
from rememora.ranking.when.parts import PARTS_OF_YEARS
from rememora.ranking.when.relative import RELATIVE, WEEKENDS
from rememora.ranking.when.spans import TimeSpan
from rememora.ranking.when.weekdays import COUNTED_WEEKDAYS, DAYS_OF_WEEK
from rememora.ranking.when.words import (
    MONTHS,
    NO_TIME,
    PARTS,
    PAST_TENSE,
    SEASONS,
    UNITS,
    WEEKDAYS,
    WEEKDAYS_MANY,
    said,
)

_MARKS: Final = rf"\b(?:(?P<ahead>{said('ahead')})|{said('was')})\b|{PAST_TENSE}"
_REACH = 200
"""How far a verb may stand from its time: what is further away speaks of another."""
_SINCE: Final = rf"\b(?:{said('since')})(?: (?:{said('the_in')}))? $"


_MOST_TIMES = 12
"""How many are read of one text: what names more is a document, not a question."""
# Folded words of the calendar, all of them in ASCII.
_WORD: Final = r"[a-z]+"
_FROM_NOW: Final = frozenset(said("from_now").split("|"))


class _Kind(NamedTuple):
    """Rules that are worth a look where a text has one of some words, or figures."""

    words: frozenset[str]
    rules: Rules
    in_figures: bool = False
    # It may lie ahead where nothing says which one is meant.
    guessed: bool = True


def _first_words(names: Iterable[str]) -> frozenset[str]:
    return frozenset(re.findall(_WORD, name)[0] for name in names if name[0].isalpha())


def _telling(names: Iterable[str], known: frozenset[str]) -> frozenset[str]:
    """A word of every name, one that is known or else the longest: `new` and `good` are in many a question."""
    words = [re.findall(_WORD, name) for name in names]
    return frozenset(next(filter(known.__contains__, word), max(word, key=len)) for word in words)


_NAMED: Final = frozenset({*_FROM_NOW, *UNITS, *MONTHS, *_first_words(WEEKDAYS)})
# What could hold another time, a year, a month, a week, goes before what is read inside it.
_KINDS: Final = (
    _Kind(frozenset({*_FROM_NOW, *UNITS}), RELATIVE, guessed=False),
    _Kind(_first_words(WEEKDAYS_MANY), COUNTED_WEEKDAYS, guessed=False),
    _Kind(frozenset(), IN_FIGURES, in_figures=True),
    _Kind(frozenset(said("weekend_words").split("|")), WEEKENDS),
    _Kind(frozenset({*PARTS, *SEASONS, *said("half_month").split("|")}), PARTS_OF_YEARS, in_figures=True),
    _Kind(_telling(FEAST_NAMES, _NAMED), FEASTS),
    _Kind(frozenset(MONTHS), MONTHS_BY_NAME),
    _Kind(_first_words(WEEKDAYS) | {*said("weekday_word").split("|")}, DAYS_OF_WEEK),
    _Kind(frozenset(), DAYS_AND_YEARS, in_figures=True),
)
_HINTS: Final = frozenset[str]().union(*(kind.words for kind in _KINDS))


def hints_at_time(text: str) -> bool:
    """Return whether a folded text may name a time; most name none, and need no second look."""
    return _has_figures(text) or not _HINTS.isdisjoint(compiled(_WORD).findall(text))


def _has_figures(text: str) -> bool:
    """Return whether a figure stands by itself or behind one or two letters: `q3` is a time, `casa12` is none."""
    return compiled(r"(?<![a-z0-9]{3})\d").search(text) is not None


def read(text: str, *, now: datetime, language: str) -> list[FoundTime]:
    """Every time that a folded text names, in its order."""
    figures, words = _has_figures(text), compiled(_WORD).findall(text)
    years = frozenset(int(year) for year in re.findall(r"\b(?:19|20)\d\d\b", text))
    asking = Asking(text=text, now=now, language=language, years=years, found=[])
    # What a rule has read is blanked and not removed: places in the text stay right, and later rules cannot
    # read it again. The order of the kinds is therefore the order of precedence.
    rest = compiled(NO_TIME).sub(_blank, text)
    for kind in _KINDS:
        if (kind.in_figures and figures) or not kind.words.isdisjoint(words):
            for pattern, reader in kind.rules:
                note = partial(_noted, reader=reader, asking=asking, guessed=kind.guessed)
                rest = compiled(pattern).sub(note, rest)
    return sorted(asking.found, key=lambda time: time.start)


def _blank(match: re.Match[str]) -> str:
    return "_" * len(match.group())


def _noted(match: re.Match[str], *, reader: Reader, asking: Asking, guessed: bool) -> str:
    """Return the rest of a match for other rules: nothing where it is a time, even one that lies ahead."""
    try:
        span = reader(match, asking) if len(asking.found) < _MOST_TIMES else None
    except (ValueError, OverflowError):
        # 31/02 and 99/99 look like dates and are none.
        span = None
    if span is None:
        return match.group()
    dated = bool(match.groupdict().get("year"))
    if dated or not guessed or not _is_ahead(match, span, asking):
        asking.found.append(FoundTime(match.start(), match.end(), span, dated=dated))
    return _blank(match)


def _is_ahead(match: re.Match[str], span: TimeSpan, asking: Asking) -> bool:
    """Return whether the next July is meant and not the last one; a time inside another is not guessed."""
    if span.until > asking.now or any(time.span.meets(span) for time in asking.found):
        return False
    return lies_ahead(asking.text, match.start(), match.end())


def lies_ahead(text: str, start: int, end: int) -> bool:
    """Return whether a time in a text lies ahead: by the nearest verb before it, or else the first after."""
    if compiled(_SINCE).search(before(text, start)):
        return False
    marks = [*compiled(_MARKS).finditer(text, max(0, start - _REACH), start)]
    mark = marks[-1] if marks else compiled(_MARKS).search(text, end, end + _REACH)
    return mark is not None and mark["ahead"] is not None
