"""Numbers that a question says in words, and years of two figures, written as dates and counts write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Final

from rememora.recall.when.asking import compiled
from rememora.recall.when.feasts import FEAST_NAMES
from rememora.recall.when.words import CARDINALS, MONTHS, PARTS, SEASONS, UNITS, WEEKDAYS_MANY, either, numbered

_TENS: Final[Mapping[str, int]] = {
    name: 10 * tens
    for name, tens in numbered(
        (
            "twenty vinte",
            "thirty trinta",
            "forty quarenta",
            "fifty cinquenta",
            "sixty sessenta",
            "seventy setenta",
            "eighty oitenta",
            "ninety noventa",
        ),
        start=2,
    ).items()
}
_NTH: Final[Mapping[str, int]] = numbered(
    (
        "first primeiro",
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
        "seventh",
        "eighth",
        "ninth",
        "tenth",
        "eleventh",
        "twelfth",
        "thirteenth",
        "fourteenth",
        "fifteenth",
        "sixteenth",
        "seventeenth",
        "eighteenth",
        "nineteenth",
        "twentieth",
    ),
    start=1,
)
_VALUES: Final[Mapping[str, int]] = {"thirtieth": 30, "one": 1, "um": 1, "uma": 1, **_NTH, **CARDINALS, **_TENS}
_TELLING: Final = frozenset(_VALUES) - {"one", "um", "uma"}
_COUNT: Final = (
    rf"(?:{either(_TENS)})(?:(?: e |[ -])(?:{either((*CARDINALS, 'one', 'um', 'uma'))}))?|{either(CARDINALS)}"
)
_DAY: Final = rf"(?:twenty|thirty)[ -](?:{either(_NTH)})|{either((*_NTH, 'thirtieth'))}|{_COUNT}"
# `Dois de ago` nobody says.
_MONTH: Final = f"(?:{either(name for name in MONTHS if len(name) > 3 or name == 'may')})"
_ENDS: Final = (
    r"(?=$|[^\w\s:%/,.'-]|[,.](?!\d)| em (?!\d)"
    r"| (?:e|o|a|os|as|que|eu|nos|no|na|com|sobre|foi|para|pra|quando|and|about|when|did|with)\b)"
)
_COUNTED: Final = rf"\b(?:{_COUNT})(?= (?:{either((*UNITS, *WEEKDAYS_MANY))})\b)"
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
_SHORT_YEAR: Final = (
    rf"\b(?P<whose>(?:{either((*MONTHS, *PARTS, *SEASONS, *FEAST_NAMES))}) (?:de |(?:of )?'))(?P<year>\d\d){_ENDS}"
)


def in_figures(text: str, now: datetime) -> str:
    """The folded text of a question, its counts, days and years in figures."""
    if not _TELLING.isdisjoint(compiled(r"[a-z]+").findall(text)):
        for pattern in (_COUNTED, *_DATES):
            text = compiled(pattern).sub(_figure, text)
        text = compiled(_MONTH_FIRST).sub(_day, text)
    return compiled(_SHORT_YEAR).sub(partial(_year, now=now), text) if compiled(r"\d").search(text) else text


def _figure(found: re.Match[str]) -> str:
    return str(_value(found.group()))


def _day(found: re.Match[str]) -> str:
    return f"{found['whose']} {_value(found['said'])}"


def _value(said: str) -> int:
    """What its words add up to."""
    return sum(_VALUES.get(word, 0) for word in compiled(r"[a-z]+").findall(said))


def _year(found: re.Match[str], now: datetime) -> str:
    """The year of this century, or of the one before where it would lie ahead."""
    year = 2000 + int(found["year"])
    whose = found["whose"].rstrip("'")
    return f"{whose}{year if year <= now.year + 1 else year - 100}"
