"""Says the times of a language whose grammar no rule reads in English: `hace dos semanas` becomes `2 weeks ago`.

The readers of times stand on the grammar of Portuguese and English. A pack of another language brings a table of
rewrites instead of rules: a pattern, and the same time in English. Only the words of the time change.
"""

from __future__ import annotations

import re
from collections.abc import Container
from functools import cache, partial
from typing import Final

from rememora.language.packs import Calendar, calendar_of
from rememora.ranking.when.words import either

_NAME: Final = re.compile(r"\{(\w+)\}")
# Group of a pattern, and the table of the language that its word is looked up in.
_TABLES: Final = {
    "month": "months",
    "other_month": "months",
    "weekday": "weekdays",
    "unit": "units",
    "number": "numbers",
}
_SOME: Final = "few"


def in_english(plain: str, language: str) -> str:
    """A folded text with its times in English; as it is where the language needs no rewriting."""
    for pattern, template in _rewrites(language):
        plain = pattern.sub(partial(_said, template=template, language=language), plain)
    return plain


@cache
def _rewrites(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    calendar = calendar_of(language)
    return tuple((re.compile(_expanded(pattern, calendar)), said) for pattern, said in calendar.rewrites)


def _expanded(pattern: str, calendar: Calendar) -> str:
    """A pattern with the words of its tables; a table that it names twice is captured once."""
    seen: set[str] = set()

    def table(match: re.Match[str]) -> str:
        name = match[1]
        if name not in _TABLES:
            return match[0]
        words = either(map(re.escape, getattr(calendar, _TABLES[name])))
        figure = r"\d{1,3}|" if name == "number" else ""
        again = name in seen
        seen.add(name)
        return f"(?:{figure}{words})" if again else f"(?P<{name}>{figure}{words})"

    return _NAME.sub(table, pattern)


def _said(match: re.Match[str], template: str, language: str) -> str:
    words = {name: _english(name, word, language) for name, word in match.groupdict().items() if word}
    said = _NAME.sub(lambda name: match[0] if name[1] == "0" else words.get(name[1], ""), template)
    return f"{said} " if match[0].endswith(" ") else said


def _english(name: str, word: str, language: str) -> str:
    """The English word for one of a table."""
    if name not in _TABLES or word.isdigit():
        return word
    local, english = (getattr(calendar_of(code), _TABLES[name]) for code in (language, "en"))
    if name == "number":
        return str(local[word]) if local[word] else _SOME
    fitting: list[str] = [spelling for spelling, value in english.items() if value == local[word]]
    alike = [text for text in fitting if _is_plural(text, english) == _is_plural(word, local)]
    return (alike if name == "unit" and alike else fitting)[0]


def _is_plural(word: str, units: Container[str]) -> bool:
    """Return whether a unit is the plural of another one; `mes` ends like one and is none."""
    return word.endswith("s") and (word[:-1] in units or word[:-2] in units)
