"""Reads every time that a text names, rule by rule."""

from __future__ import annotations

import re
from datetime import datetime
from functools import partial
from typing import Final

from rememora.recall.when.asking import Asking, Found, Reader, compiled
from rememora.recall.when.calendar import BY_NAME, IN_FIGURES
from rememora.recall.when.relative import RELATIVE
from rememora.recall.when.words import FEASTS, MONTHS, MOVING_FEASTS, NO_TIME, UNITS, WEEKDAY_FEASTS, WEEKDAYS

_MOST_TIMES = 12
"""How many are read of one text: what names more is a document, not a question."""
_WORD: Final = r"[a-z]+"
_OTHERS: Final = (
    "hoje today tonight ontem anteontem yesterday weekend night morning afternoon evening manha tarde noite"
    " quarter trimestre semestre"
)
_HINTS: Final = frozenset(
    {*re.findall(_WORD, _OTHERS)}
    | {
        re.findall(_WORD, name)[0]
        for name in (*MONTHS, *WEEKDAYS, *UNITS, *FEASTS, *MOVING_FEASTS, *WEEKDAY_FEASTS)
    }
)
"""How every time begins that is not told in figures."""


def read(text: str, *, now: datetime, language: str) -> list[Found]:
    """Every time that a folded text names, in its order."""
    figures = compiled(r"\d").search(text) is not None
    if not figures and _HINTS.isdisjoint(compiled(_WORD).findall(text)):
        return []
    years = frozenset(int(year) for year in re.findall(r"\b(?:19|20)\d\d\b", text))
    asking = Asking(text=text, now=now, language=language, years=years, found=[])
    rest = compiled(NO_TIME).sub(_blank, text)
    # What could hold another time, a year, a month, a week, goes before what is read inside it.
    for pattern, reader in (*RELATIVE, *(IN_FIGURES if figures else ()), *BY_NAME):
        rest = compiled(pattern).sub(partial(_noted, reader=reader, asking=asking), rest)
    return sorted(asking.found, key=lambda each: each.start)


def _blank(found: re.Match[str]) -> str:
    return "_" * len(found.group())


def _noted(found: re.Match[str], *, reader: Reader, asking: Asking) -> str:
    """What stays of a match to be read by other rules: nothing where it is a time."""
    try:
        span = reader(found, asking) if len(asking.found) < _MOST_TIMES else None
    except (ValueError, OverflowError):
        # 31/02 and 99/99 look like dates and are none.
        span = None
    if span is None:
        return found.group()
    year = found.groupdict().get("year")
    asking.found.append(Found(found.start(), found.end(), span, dated=bool(year)))
    return _blank(found)
