"""Numbers that a question says in words, and years of two figures, written as dates and counts write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Final

from rememora.ranking.when.asking import compiled
from rememora.ranking.when.feasts import FEAST_NAMES
from rememora.ranking.when.words import (
    CARDINALS,
    DAYS_OF_MONTH,
    LONG_MONTHS,
    MONTHS,
    OF,
    PARTS,
    SEASONS,
    TENS,
    UNITS,
    WEEKDAYS_MANY,
    either,
    said,
)

_ONE: Final = dict.fromkeys(said("one").split("|"), 1)
_VALUES: Final[Mapping[str, int]] = {**_ONE, **DAYS_OF_MONTH, **CARDINALS, **TENS}
_TELLING: Final = frozenset(_VALUES) - _ONE.keys()
_UNITY: Final = f"(?:{either((*CARDINALS, *_ONE))})"
_COUNT: Final = rf"(?:{either(TENS)})(?:(?: (?:{said('tens_and')}) |[ -]){_UNITY})?|{either(CARDINALS)}"
_DAY: Final = rf"(?:{either(TENS)})[ -](?:{either(DAYS_OF_MONTH)})|{either(DAYS_OF_MONTH)}|{_COUNT}"
# `Dois de ago` nobody says.
_MONTH: Final = f"(?:{either(name for name in MONTHS if len(name) > 3 or name in LONG_MONTHS)})"
# A figure only is a time if nothing it could count follows.
_ENDS: Final = rf"(?=$|[^\w\s:%/,.'-]|[,.](?!\d)| (?:{said('after_figures')})\b)"
_COUNTED: Final = rf"\b(?:{_COUNT})(?= (?:{either((*UNITS, *WEEKDAYS_MANY))})\b)"
# Look-behinds keep "dia" and "dias" out of the match: the figure alone is rewritten.
_DATES: Final = (
    rf"(?<=\b{said('day_word')} )(?:{_DAY})(?=$|[^\w\s-]| {OF} {_MONTH}\b| (?:{said('after_day')})\b)",
    rf"(?<=\b{said('days_word')} )(?:{_DAY})(?= (?:{said('year_range')}) )",
    rf"\b(?:{_DAY})(?= {OF} {_MONTH}\b| (?:{said('of_month')})\b)",
)
# `We may first try`, `April first told me`.
_MONTH_FIRST: Final = (
    rf"\b(?P<whose>(?:(?:{said('before_month_day')}) |(?!{said('month_or_word')})){_MONTH})"
    rf" (?:(?:{said('the')}) )?(?P<said>{_DAY})\b"
)
_DATED: Final = either((*MONTHS, *PARTS, *SEASONS, *map(re.escape, FEAST_NAMES)))
_SHORT_YEAR: Final = rf"\b(?P<whose>(?:{_DATED}) (?:{said('short_year')}))(?P<year>\d\d){_ENDS}"


def in_figures(text: str, now: datetime) -> str:
    """The folded text of a question, its counts, days and years in figures."""
    if not _TELLING.isdisjoint(compiled(r"[a-z]+").findall(text)):
        for pattern in (_COUNTED, *_DATES):
            text = compiled(pattern).sub(_figure, text)
        text = compiled(_MONTH_FIRST).sub(_day, text)
    return compiled(_SHORT_YEAR).sub(partial(_year, now=now), text) if compiled(r"\d").search(text) else text


def _figure(match: re.Match[str]) -> str:
    return str(_value(match.group()))


def _day(match: re.Match[str]) -> str:
    return f"{match['whose']} {_value(match['said'])}"


def _value(text: str) -> int:
    """Return the sum of its words."""
    return sum(_VALUES.get(word, 0) for word in compiled(r"[a-z]+").findall(text))


def _year(match: re.Match[str], now: datetime) -> str:
    """The year of this century, or of the one before where it would lie ahead."""
    year = 2000 + int(match["year"])
    whose = match["whose"].rstrip("'")
    return f"{whose}{year if year <= now.year + 1 else year - 100}"
