"""Feasts and holidays: some keep their date, some their day of the week, and some move with Easter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from rememora.recall.when import spans
from rememora.recall.when.asking import Asking, Rules, before, compiled
from rememora.recall.when.spans import DAY, Span
from rememora.recall.when.words import YEAR, either

# Month and day on which they begin, and how many days they last.
_DATED: Final[Mapping[str, tuple[int, int, int]]] = {
    "natal": (12, 24, 2),
    "noite de natal": (12, 24, 2),
    "vespera de natal": (12, 24, 1),
    "dia de natal": (12, 25, 1),
    "christmas": (12, 24, 2),
    "christmas eve": (12, 24, 1),
    "christmas day": (12, 25, 1),
    "boxing day": (12, 26, 1),
    "ano novo": (12, 31, 2),
    "virada do ano": (12, 31, 2),
    "virada de ano": (12, 31, 2),
    "vespera de ano novo": (12, 31, 1),
    "dia de ano novo": (1, 1, 1),
    "reveillon": (12, 31, 2),
    "new year's eve": (12, 31, 2),
    "new years eve": (12, 31, 2),
    "new year's day": (1, 1, 1),
    "new years day": (1, 1, 1),
    "halloween": (10, 31, 1),
    "sao joao": (6, 23, 2),
    "valentine's day": (2, 14, 1),
    "valentines day": (2, 14, 1),
    "st patrick's day": (3, 17, 1),
    "dia da mulher": (3, 8, 1),
    # Alone it is a man, and a town.
    "dia de tiradentes": (4, 21, 1),
    "feriado de tiradentes": (4, 21, 1),
    "dia do trabalho": (5, 1, 1),
    "dia do trabalhador": (5, 1, 1),
    "dia dos namorados": (6, 12, 1),
    "juneteenth": (6, 19, 1),
    "independence day": (7, 4, 1),
    "dia da independencia": (9, 7, 1),
    "feriado da independencia": (9, 7, 1),
    "dia das criancas": (10, 12, 1),
    "finados": (11, 2, 1),
    "veterans day": (11, 11, 1),
    "proclamacao da republica": (11, 15, 1),
    "dia da consciencia negra": (11, 20, 1),
    "feriado da consciencia negra": (11, 20, 1),
}
# Days from Easter on which they begin, and how many they last.
_MOVING: Final[Mapping[str, tuple[int, int]]] = {
    "carnaval": (-50, 5),
    "carnival": (-50, 5),
    "segunda de carnaval": (-48, 1),
    "segunda-feira de carnaval": (-48, 1),
    "terca de carnaval": (-47, 1),
    "terca-feira de carnaval": (-47, 1),
    "mardi gras": (-47, 1),
    "quarta de cinzas": (-46, 1),
    "quarta-feira de cinzas": (-46, 1),
    "ash wednesday": (-46, 1),
    "semana santa": (-7, 8),
    "holy week": (-7, 8),
    "domingo de ramos": (-7, 1),
    "palm sunday": (-7, 1),
    "quinta-feira santa": (-3, 1),
    "quinta santa": (-3, 1),
    "sexta-feira santa": (-2, 1),
    "sexta feira santa": (-2, 1),
    "sexta santa": (-2, 1),
    "sexta-feira da paixao": (-2, 1),
    "sexta da paixao": (-2, 1),
    "good friday": (-2, 1),
    "sabado de aleluia": (-1, 1),
    "pascoa": (-2, 3),
    "easter": (-2, 3),
    "domingo de pascoa": (0, 1),
    "easter sunday": (0, 1),
    "easter monday": (1, 1),
    "corpus christi": (60, 1),
}
# Their day of the week (0 is Monday), the first on or after a day of a month.
_OF_WEEKDAYS: Final[Mapping[str, tuple[int, int, int]]] = {
    "mlk day": (0, 1, 15),
    "presidents day": (0, 2, 15),
    "mother's day": (6, 5, 8),
    "mothers day": (6, 5, 8),
    "dia das maes": (6, 5, 8),
    "memorial day": (0, 5, 25),
    "father's day": (6, 6, 15),
    "fathers day": (6, 6, 15),
    "dia dos pais": (6, 8, 8),
    "labor day": (0, 9, 1),
    "thanksgiving": (3, 11, 22),
    "black friday": (4, 11, 23),
    "cyber monday": (0, 11, 26),
}
FEAST_NAMES: Final = (*_DATED, *_MOVING, *_OF_WEEKDAYS)
_ARTICLE: Final = r"(?:\b[na]?o|\bdo|pelo|[nd]?es[st]e|ultimo) $"


def _feast(found: re.Match[str], asking: Asking) -> Span | None:
    """The last one that has begun, or the one before; Natal without an article is a town."""
    latest, name, year = asking.latest, found["feast"], found["year"]
    alone = not (year or found["past"] or compiled(_ARTICLE).search(before(asking.text, found.start())))
    if name == "natal" and alone:
        return None
    if year:
        return _of_year(latest, int(year), name)
    begun = _of_year(latest, latest.year, name).since <= latest
    earlier = 0 if found["past"] in {None, "passado", "passada"} else 1
    return _of_year(latest, latest.year - (not begun) - earlier, name)


def _of_year(now: datetime, year: int, name: str) -> Span:
    if name in _DATED:
        month, day, length = _DATED[name]
        since = spans.midnight(now).replace(year=year, month=month, day=day)
    elif name in _OF_WEEKDAYS:
        weekday, month, day = _OF_WEEKDAYS[name]
        earliest, length = spans.midnight(now).replace(year=year, month=month, day=day), 1
        since = earliest + DAY * ((weekday - earliest.weekday()) % 7)
    else:
        shift, length = _MOVING[name]
        month, day = spans.easter(year)
        since = spans.midnight(now).replace(year=year, month=month, day=day) + DAY * shift
    return Span(since, since + DAY * length)


FEASTS: Final[Rules] = (
    (
        rf"\b(?P<feast>{either(FEAST_NAMES)})\b(?: (?P<past>passad[oa]|retrasad[oa]|before last))?"
        rf"(?:,? (?:of |de )?{YEAR})?",
        _feast,
    ),
)
