"""Figures as people write them, in one spelling each: with their unit, scaled, and as money."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from rememora.language.phrases import filled, plain_words

FIGURE: Final = r"\d++(?:[.,]\d++)*+"
# Units that people write with a space and without one. `min` is not here: it is also written out.
_UNITS: Final = """
kg mg g ml l km cm mm m gb mb tb kb kwh k x h am pm mi bi %
"""
_SHORT_SCALES: Final = {"k": 3, "mi": 6, "bi": 9}
# Of a figure in thousands only the thousands matter; who asks how many millions it was says the word.
_THOUSAND: Final = dict.fromkeys(plain_words("thousand"), 3)
_MILLIONS: Final = dict.fromkeys(plain_words("million"), 6) | dict.fromkeys(plain_words("billion"), 9)
_SCALES: Final = _SHORT_SCALES | _THOUSAND | _MILLIONS
_MONEY: Final = sorted(plain_words("currency"), reverse=True)
_CENTO: Final = tuple(words.split()[-1] for words in plain_words("percent"))
_AFTER: Final = (*_UNITS.split(), *_THOUSAND, *_MILLIONS, *_MONEY)
MEASURING: Final = frozenset(unit + mark for unit in (*_AFTER, *_CENTO) for mark in ("", *",.;:!?)"))
"""Matches units of measure between two spaces, which is five times faster than a search."""
SIGNS: Final = frozenset(mark + sign for sign in ("r$", "us$", "u$", "$", "€") for mark in ("", "("))
"""Signs that stand alone before an amount."""
_PERCENT: Final = filled("{percent}").replace(" ", r"\s+")
# It begins with a figure, and does not look behind itself for one: so it is found in half the time.
_MEASURE: Final = rf"(\d)\s+({'|'.join(_AFTER)}|{_PERCENT})(?![\w/'’-])"
# Beside money no figure is a version: there `2.10` is `2.1`.
PRICE: Final = rf"(?<=[$€]){FIGURE}(?![\w%⁄])|{FIGURE}(?=(?:{'|'.join(_MONEY)})(?!\w))"
# What names a person, a firm, a street or a telephone. Two years with a stroke between them name nothing.
NAMING: Final = (
    r"(?=[\d./]{3,15}-)(?:\d{3}\.\d{3}\.\d{3}-\d{2}|\d{2}\.\d{3}\.\d{3}/\d{4}-\d{2}|\d{1,2}\.\d{3}\.\d{3}-[\dx]"
    r"|\d{5}-\d{3}|(?!(?:19|20)\d\d-(?:19|20)\d\d(?!\d))(?:\d{3}-)?\d{3,5}-\d{4})(?![\w-])"
)
_SHORTEST_PART = 4
_SHORTEST_MOBILE = 11
_MOBILE: Final = re.compile(r"(?:55)?[1-9]{2}(9\d{8})")
_LEADING: Final = re.compile(r"[\d.,⁄]+")
_THOUSANDS: Final = re.compile(r"(\d{1,3}(?:[.,]\d{3})+)(?:[.,](\d{1,2}))?")
_DECIMAL: Final = re.compile(r"\d+(?:\.\d+)?")


def with_signs(folded: str) -> str:
    """Return `folded` without a space between an amount and the sign before it."""
    return folded.replace("$ ", "$").replace("€ ", "€")


def with_units(folded: str) -> str:
    """Return `folded` without a space between a figure and its unit."""
    return _measures().sub(_glued, folded)


@cache
def _measures() -> re.Pattern[str]:
    return re.compile(_MEASURE)


def _glued(match: re.Match[str]) -> str:
    before, unit = match.groups()
    return before + ("%" if unit.endswith(_CENTO) else unit)


def number(text: str) -> tuple[str, ...]:
    """Return the spellings of a figure with its attached unit: `4,5mil` is `4500`, and `10k` also stays `10k`."""
    if text.isdecimal():
        # A Brazilian mobile number is written with and without its country and area codes: all spellings meet.
        mobile = _MOBILE.fullmatch(text) if len(text) >= _SHORTEST_MOBILE else None
        return (text, mobile[1]) if mobile else (text,)
    leading = _LEADING.match(text)
    end = leading.end() if leading else 0
    figure, tail = text[:end], text[end:]
    zeros = _SCALES.get(tail)
    if zeros is None:
        return tuple(text + tail for text in _decimals(figure, sure="," in figure))
    plain = _figure(figure)
    if not _DECIMAL.fullmatch(plain):
        return (plain, tail)
    # "Mil" is only a factor; "10k" also stays as written, since it may be part of a name, and so does "milhões".
    if tail in _THOUSAND:
        return (_times_ten(plain, zeros),)
    return (_times_ten(plain, zeros), tail if tail in _MILLIONS else plain + tail)


def naming(text: str) -> tuple[str, ...]:
    """Return a number that names something without its punctuation, and the longer of its parts."""
    parts = re.split(r"\W", text)
    return ("".join(parts), *(part for part in parts if len(part) >= _SHORTEST_PART))


def price(text: str) -> tuple[str, ...]:
    """Return the spellings of a figure with a currency."""
    return _decimals(text, sure=True)


def _decimals(text: str, *, sure: bool) -> tuple[str, ...]:
    """Return it as written, and without trailing zeros if it is `sure` to have decimals: `129,90` is `129,9`.

    After a point it is not sure: `3.10` may be a version, which is not `3.1`.
    """
    figure = _figure(text)
    if sure and figure.endswith("0") and "." in figure and _DECIMAL.fullmatch(figure):
        return figure, figure.rstrip("0").removesuffix(".")
    return (figure,)


def _figure(text: str) -> str:
    """Return one spelling of a figure: `4.500`, `4,500` and `4500` are the same amount in both languages."""
    thousands = _THOUSANDS.fullmatch(text)
    if not thousands:
        return text.replace(",", ".").removesuffix(".00")
    whole = thousands[1].replace(".", "").replace(",", "")
    return f"{whole}.{thousands[2]}".removesuffix(".00") if thousands[2] else whole


def _times_ten(figure: str, times: int) -> str:
    whole, _, decimals = figure.partition(".")
    moved = (whole + decimals[:times].ljust(times, "0")).lstrip("0") or "0"
    return f"{moved}.{left}" if (left := decimals[times:].rstrip("0")) else moved
