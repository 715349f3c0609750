"""The words by which people name times, folded, from the language packs, and the patterns made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Final

from rememora.language.packs import CODES, calendar_of

_CALENDARS: Final = tuple(calendar_of(code) for code in ("pt", "en"))
"""The languages that people mix in one question; the words of any other are written in these first."""


def either(names: Iterable[str]) -> str:
    """A pattern that matches any of the words, the longest first."""
    return "|".join(sorted(names, key=len, reverse=True))


def said(name: str) -> str:
    """The alternatives of a pattern, of all the languages."""
    return "|".join(filter(None, (calendar.said.get(name) for calendar in _CALENDARS)))


def number_of(text: str) -> int:
    """Return the number that a word or a figure says; 0 where it is not exact."""
    return int(text) if text.isdigit() else NUMBERS[text]


MONTHS: Final[Mapping[str, int]] = {name: at for pack in _CALENDARS for name, at in pack.months.items()}
LONG_MONTHS: Final = frozenset(name for pack in _CALENDARS for name in pack.long_months)
FIGURE_ONLY: Final = frozenset[str]().union(*(pack.figure_only for pack in _CALENDARS))
"""Words of every day that are months only beside a figure."""
COMPANY: Final = frozenset[str]().union(*(pack.company for pack in _CALENDARS))
"""Words, or names of people, that are months beside a figure or after a word that goes before times."""
WEEKDAYS: Final[Mapping[str, int]] = {name: at for pack in _CALENDARS for name, at in pack.weekdays.items()}
WEEKDAYS_MANY: Final[Mapping[str, int]] = {
    name: at for pack in _CALENDARS for name, at in pack.weekdays_counted.items()
}
"""Weekdays as they are counted: three Fridays ago."""
ORDINALS: Final[Mapping[str, int]] = {name: at for pack in _CALENDARS for name, at in pack.ordinals.items()}
ORDINALS_TOO: Final = frozenset[str]().union(*(pack.ordinal_weekdays for pack in _CALENDARS))
"""Days of the week that are ordinals as well."""
CARDINALS: Final[Mapping[str, int]] = {name: at for pack in _CALENDARS for name, at in pack.cardinals.items()}
TENS: Final[Mapping[str, int]] = {name: at for pack in _CALENDARS for name, at in pack.tens.items()}
NUMBERS: Final[Mapping[str, int]] = {name: at for pack in _CALENDARS for name, at in pack.numbers.items()}
DAYS_OF_MONTH: Final[Mapping[str, int]] = {
    name: at for pack in _CALENDARS for name, at in pack.days_of_month.items()
}
FEW: Final = 5
"""Number that "some" or "a few" is taken for."""
LAST: Final = 5
UNITS: Final[Mapping[str, timedelta]] = {
    name: timedelta(hours=hours) for pack in _CALENDARS for name, hours in pack.units.items()
}
PARTS: Final[Mapping[str, int]] = {name: at for pack in _CALENDARS for name, at in pack.parts.items()}
"""How many months a part of a year has."""
SEASONS: Final[Mapping[str, tuple[int, int]]] = {
    name: at for pack in _CALENDARS for name, at in pack.seasons.items()
}
"""Month and day on which seasons begin: in English those of the north by months, in Portuguese of the south."""
_EVERY: Final = (*map(calendar_of, reversed(CODES)),)
DATED: Final = {name: at for pack in _EVERY for name, at in pack.feasts.dated.items()}
"""Month and day on which feasts begin, and how many days they last."""
MOVING: Final = {name: at for pack in _EVERY for name, at in pack.feasts.moving.items()}
"""Days from Easter on which feasts begin, and how many they last."""
OF_WEEKDAYS: Final = {name: at for pack in _EVERY for name, at in pack.feasts.weekday.items()}
"""Their day of the week (0 is Monday), the first on or after a day of a month."""

MONTH: Final = f"(?P<month>{either(MONTHS)})"
WEEKDAY: Final = f"(?P<weekday>{either(WEEKDAYS)})"
OF: Final = rf"(?:{said('of')})"
COUNT: Final = rf"(?P<count>[1-3]?\d{{1,2}}|{either(NUMBERS)})(?: {OF})?"
AGO: Final = rf"(?P<ago>(?P<twice>{said('before_last')})|{said('passed')})"
"""Says that the last one is meant, or the one before it."""
UNIT: Final = f"(?P<unit>{either(UNITS)})"
YEAR: Final = r"(?P<year>(?:19|20)\d\d)"
ORDINAL: Final = f"(?P<ordinal>{either(ORDINALS)})"
THIS: Final = rf"(?:{said('this')})"
WEEKEND: Final = f"(?:{said('weekend')})"
_NAMED: Final = rf"(?:{either((*UNITS, *MONTHS, *WEEKDAYS))}|{WEEKEND})"

NO_TIME: Final = (
    rf"{said('no_time')}"
    rf"|\b(?:{said('streets')}) (?:\w+ {OF} )?(?:{either(MONTHS)})\b"
    # Only streets are feminine: `comprei na 25 de março`.
    rf"|\b(?:{said('street_article')}) \d\d? {OF} (?:{either(MONTHS)})\b"
    rf"|\b(?:{said('again')}) {_NAMED}\b(?: \d\d?\b)?"
    rf"|\b{_NAMED} (?:{said('that_comes')})\b"
    rf"|\b(?:{either(WEEKDAYS)}) (?:{said('through')}) (?:{either(WEEKDAYS)})\b"
)
"""Words that look like a past time and are none: to come, recurring, or no time at all."""

# "May" is a verb and "março" a name: a month needs one of these, a figure, or another month before it.
BEFORE_MONTHS: Final = (
    rf"\b(?:{said('before_months')})[ -]$"
    rf"|\b(?:{either(MONTHS)})(?: \d\d?)?(?: (?:{OF} )?\d{{4}})? (?:{said('range')}) $"
)
AFTER_MONTHS: Final = rf" (?:{said('after_months')})\b"
BEFORE_YEARS: Final = rf"\b(?:{said('before_years')})[ -]$|\b(?:19|20)\d\d ?(?:{said('year_range')}|-) ?$"
PAST_TENSE: Final = rf"\b(?:{said('past_tense')})\b"
