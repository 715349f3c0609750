"""Feasts and holidays: some keep their date, some their day of the week, and some move with Easter."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from rememora.ranking.when import spans
from rememora.ranking.when.asking import Asking, Rules, before, compiled
from rememora.ranking.when.spans import DAY, TimeSpan
from rememora.ranking.when.words import AGO, DATED, MOVING, OF, OF_WEEKDAYS, YEAR, either, said

FEAST_NAMES: Final = (*DATED, *MOVING, *OF_WEEKDAYS)
_ARTICLE: Final = rf"\b(?:{said('feast_article')}) $"
_TOWNS: Final = frozenset(said("feast_towns").split("|"))


def _feast(match: re.Match[str], asking: Asking) -> TimeSpan | None:
    """The last one that has begun, or the one before; Natal without an article is a town."""
    latest, name, year = asking.latest, match["feast"], match["year"]
    alone = not (year or match["ago"] or compiled(_ARTICLE).search(before(asking.text, match.start())))
    if name in _TOWNS and alone:
        return None
    if year:
        return _of_year(latest, int(year), name)
    begun = _of_year(latest, latest.year, name).since <= latest
    return _of_year(latest, latest.year - (not begun) - bool(match["twice"]), name)


def _of_year(now: datetime, year: int, name: str) -> TimeSpan:
    if name in DATED:
        month, day, length = DATED[name]
        since = spans.midnight(now).replace(year=year, month=month, day=day)
    elif name in OF_WEEKDAYS:
        weekday, month, day = OF_WEEKDAYS[name]
        earliest, length = spans.midnight(now).replace(year=year, month=month, day=day), 1
        since = earliest + DAY * ((weekday - earliest.weekday()) % 7)
    else:
        shift, length = MOVING[name]
        month, day = spans.easter(year)
        since = spans.midnight(now).replace(year=year, month=month, day=day) + DAY * shift
    return TimeSpan(since, since + DAY * length)


# Longer names first (`either` sorts): "véspera de Natal" must not be read as "Natal".
FEASTS: Final[Rules] = (
    (
        rf"\b(?P<feast>{either(map(re.escape, FEAST_NAMES))})\b(?: {AGO})?(?:,? (?:{OF} )?{YEAR})?",
        _feast,
    ),
)
