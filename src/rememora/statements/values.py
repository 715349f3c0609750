"""Finds the values in a statement that another statement can change: figures, times, dates, days, contacts, names.

Two statements about one thing mostly differ in one value of one kind: "o ensaio é 14 de março" and "adiaram pra 2
de abril" both hold a date, and the second says nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

import msgspec

from rememora.language import fold
from rememora.language.folding import fold_same_length
from rememora.language.packs import CODES, calendar_of
from rememora.language.phrases import behind, phrase, plain_words
from rememora.language.word_patterns import WORD
from rememora.language.wordlists import is_idle
from rememora.reading import read_names
from rememora.reading.results import SURE_NAME

_LEAST_NUMBER: Final = 2
"""Number words from this one up are figures: "um" and "a" are articles."""
_EMAIL: Final = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++")
_PHONE: Final = re.compile(r"(?<![\w.,/-])\+?\(?\d[\d ()-]{5,18}(?<=\d)(?!\w)")
_LEAST_DIGITS: Final = 7
# A bare figure is a time only after a preposition of time.
_TIME: Final = phrase(
    r"\b(?:\d{1,2}(?::\d\d|h(?:\d\d)?)(?:\s?[ap]m)?|\d{1,2}\s?[ap]m|{named_hour})\b"
    rf"|(?:{behind('before_hour')})\d{{1,2}}\b(?! ?(?:{{no_hour}}|%))"
)
# Capitals at the start of a sentence prove nothing, hence the look-behinds.
_NAME: Final = phrase(
    r"(?<!^)(?<![.!?…\n] )(?<![.!?…\n])\b(?:(?:Dra?|Mrs?|Ms|Sra?|St)\. )?[A-ZÀ-Ý][\w'’&-]*"
    r"(?: (?:(?:{name_joint}|&) )?[A-ZÀ-Ý][\w'’-]*){0,4}"
)
_FIRST_NAME: Final = phrase(r"^(?:(?i:{name_article}) )?([A-ZÀ-Ý][\w'-]+)(?:['’]s)?(?= [a-zà-ÿ])")
_FIGURE: Final = r"(?:(?:r|us|u)?\$ ?|€ ?)?\d+(?:[.,]\d+)*(?: ?(?:{figure_scale}|k|%))?"
_IN_MAY: Final = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)? May\b")
"""A day in the month that only its capital tells from the verb: "5 May", and not "5 may do"."""
_NAMED: Final = {"person": "person", "place": "place"}
"""Kinds of names that no other takes the place of; firms, products and campaigns are told apart too seldom."""
_NO_NAME: Final = plain_words("i_forms")
_COUNTS_NOTHING: Final = plain_words("counts_nothing")
_DAY_ONLY: Final = re.compile(r"\d{1,2}(?:st|nd|rd|th)?")
STEM: Final = 5
_PLAIN_YEAR: Final = re.compile(r"(?:19|20)\d\d")


class TypedValue(msgspec.Struct, frozen=True, kw_only=True):
    """A value in a statement, its kind, and the word that it counts ("5 garçons")."""

    kind: str
    start: int
    end: int
    text: str
    unit: str = ""
    day_only: bool = False
    """A date of which only the day is said: "dia 19"."""
    opens: bool = False
    """A capital at the head of a sentence, which is a name only where the other statement has it too."""


def values_of(text: str) -> list[TypedValue]:
    """Find the values of a statement in the order in which they stand; none lies inside another."""
    values: list[TypedValue] = []
    for value in _all(text, fold_same_length(text)):
        if not any(value.start < other.end and other.start < value.end for other in values):
            values.append(value)
    return sorted(values, key=lambda value: value.start)


def is_same_value(one: TypedValue, other: TypedValue) -> bool:
    """Return whether two values are the same, a name also by one of its words."""
    if one.kind != other.kind:
        return False
    first, second = words_of(one.text, all_words=True), words_of(other.text, all_words=True)
    if one.kind == "name":
        return bool(first & second)
    return first == second or (one.kind == "weekday" and (first <= second or second <= first))


def words_of(text: str, *, all_words: bool = False) -> set[str]:
    """Stems of the words that say something; a lone capital inside a sentence ("G", not "I") names a size."""
    return {
        fold(word[0])[:STEM]
        for word in WORD.finditer(text)
        if all_words or not is_idle(fold(word[0])) or (word.start() > 0 and _is_size(word[0]))
    }


def _is_size(word: str) -> bool:
    return len(word) == 1 and word.isupper() and word != "I"


def names_within(text: str) -> frozenset[str]:
    """Return the kinds of the names in a text, as far as one may take the place of another."""
    kinds = set[str]()
    for name in read_names(text):
        kinds |= {_NAMED.get(name.kind, "thing")} if name.sure >= SURE_NAME else {*_NAMED.values(), "thing"}
    return frozenset(kinds)


def _all(text: str, folded: str) -> Iterator[TypedValue]:
    """Values of every kind, the surer kinds first."""
    yield from (_value("email", match.span(), text) for match in _EMAIL.finditer(text))
    yield from (_value("phone", match.span(), text) for match in _PHONE.finditer(text) if _is_phone(match[0]))
    yield from (_value("date", match.span(), text) for match in _IN_MAY.finditer(text))
    for match in _dates().finditer(folded):
        yield _value("date", match.span(), text, day_only=_DAY_ONLY.fullmatch(match[0]) is not None)
    yield from (_value("time", match.span(), text) for match in _TIME.finditer(folded))
    yield from (_value("weekday", match.span(), text) for match in _weekdays().finditer(folded))
    for match in _figures().finditer(folded):
        yield _value("figure", match.span("figure"), text, unit=_unit(match["unit"]))
    yield from _names(text)


def _names(text: str) -> Iterator[TypedValue]:
    yield from (_value("name", match.span(), text) for match in _NAME.finditer(text) if match[0] not in _NO_NAME)
    first = _FIRST_NAME.match(text)
    if first is not None and not is_idle(fold(first[1])):
        yield msgspec.structs.replace(_value("name", first.span(1), text), opens=True)


def _is_phone(text: str) -> bool:
    return sum(map(str.isdigit, text)) >= _LEAST_DIGITS and not _PLAIN_YEAR.fullmatch(text)


def _value(kind: str, span: tuple[int, int], text: str, *, unit: str = "", day_only: bool = False) -> TypedValue:
    start, end = span
    words = text[start:end]
    if kind == "name" and (short := words.removesuffix("'s").removesuffix("’s")) != words:
        end -= len(words) - len(short)
    return TypedValue(kind=kind, start=start, end=end, text=text[start:end], unit=unit, day_only=day_only)


def _unit(word: str | None) -> str:
    """The stem of the word after a figure; a word such as "e" or "btw" counts nothing."""
    return "" if word is None or is_idle(word) or word in _COUNTS_NOTHING else word.rstrip("s")[:5]


@cache
def _dates() -> re.Pattern[str]:
    months = sorted({name for code in CODES for name in calendar_of(code).long_months if name != "may"})
    either = "|".join(sorted([*months, "may(?= \\d)"], key=len, reverse=True))
    return phrase(
        rf"\b(?:\d{{1,2}}(?:o|st|nd|rd|th)? (?:(?:{{of_date}} )?(?:{either})|{{of_date}} may)\b"
        rf"|(?:{either}) \d{{1,2}}(?:st|nd|rd|th)?\b|\d{{1,2}}/\d{{1,2}}(?:/\d{{2,4}})?\b|(?:{either})\b"
        rf"|(?:(?:{behind('day_word')})\d{{1,2}}|\d{{1,2}}(?:st|nd|rd|th))\b)"
    )


@cache
def _weekdays() -> re.Pattern[str]:
    names = {name for code in CODES for name in (*calendar_of(code).weekdays, *calendar_of(code).weekdays_counted)}
    either = "|".join(sorted((re.escape(name) for name in names), key=len, reverse=True))
    joint = r"(?:,| (?:{and}|{weekday_range}|x)) ?(?:{weekday_article} )?"
    return phrase(rf"\b(?:{either})(?:{joint}(?:{either}))*\b")


@cache
def _figures() -> re.Pattern[str]:
    counted = {
        name for code in CODES for name, number in calendar_of(code).numbers.items() if number >= _LEAST_NUMBER
    }
    words = counted.union(*(calendar_of(code).tens for code in CODES))
    # A voice transcript writes its numbers out: "oitenta", "dois mil e quinhentos", "two hundred and ten".
    word = rf"(?:{'|'.join(sorted(map(re.escape, words), key=len, reverse=True))}|{{number_word}})\b"
    # "One forty", "one oh five": the first word alone is no figure.
    spelt = rf"(?:{{number_lead}})?{word}(?:{{number_joint}}{word})*"
    return phrase(rf"(?<![\w/.-])(?P<figure>{_FIGURE}|{spelt})(?![\w/-]*\d)(?: (?P<unit>[^\W\d_]+))?")
