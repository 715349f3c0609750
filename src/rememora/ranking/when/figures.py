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
    MONTHS,
    PARTS,
    SEASONS,
    TENS,
    UNITS,
    WEEKDAYS_MANY,
    either,
)

_VALUES: Final[Mapping[str, int]] = {"one": 1, "um": 1, "uma": 1, **DAYS_OF_MONTH, **CARDINALS, **TENS}
_TELLING: Final = frozenset(_VALUES) - {"one", "um", "uma"}
_COUNT: Final = (
    rf"(?:{either(TENS)})(?:(?: e |[ -])(?:{either((*CARDINALS, 'one', 'um', 'uma'))}))?|{either(CARDINALS)}"
)
_DAY: Final = rf"(?:twenty|thirty)[ -](?:{either(DAYS_OF_MONTH)})|{either(DAYS_OF_MONTH)}|{_COUNT}"
# `Dois de ago` nobody says.
_MONTH: Final = f"(?:{either(name for name in MONTHS if len(name) > 3 or name == 'may')})"
# A figure only is a time if nothing it could count follows.
_ENDS: Final = (
    r"(?=$|[^\w\s:%/,.'-]|[,.](?!\d)| em (?!\d)"
    r"| (?:e|o|a|os|as|que|eu|nos|no|na|com|sobre|foi|para|pra|quando|and|about|when|did|with)\b)"
)
_COUNTED: Final = rf"\b(?:{_COUNT})(?= (?:{either((*UNITS, *WEEKDAYS_MANY))})\b)"
# Look-behinds keep "dia" and "dias" out of the match: the figure alone is rewritten.
_DATES: Final = (
    rf"(?<=\bdia )(?:{_DAY})(?=$|[^\w\s-]| de {_MONTH}\b| d(?:o|este|esse) mes\b| (?:eu|que|nos|no|na|em)\b)",
    rf"(?<=\bdias )(?:{_DAY})(?= (?:e|a|until) )",
    rf"\b(?:{_DAY})(?= (?:de|of) {_MONTH}\b| of (?:last|this|the) month\b)",
)
# `We may first try`, `April first told me`.
_MONTH_FIRST: Final = (
    rf"\b(?P<whose>(?:(?:on|since|until|till|before|after|by|from) |(?!may|march|april|june)){_MONTH})"
    rf" (?:the )?(?P<said>{_DAY})\b"
)
_DATED: Final = either((*MONTHS, *PARTS, *SEASONS, *map(re.escape, FEAST_NAMES)))
_SHORT_YEAR: Final = rf"\b(?P<whose>(?:{_DATED}) (?:de |(?:of )?'))(?P<year>\d\d){_ENDS}"


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
