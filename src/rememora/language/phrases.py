"""Patterns written with words of the language packs: `\\b{negation}\\b` matches a negation of any language.

A name between braces stands for the alternatives that every pack gives it in `phrases.toml`. They are read
together, because people mix languages in one message.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from rememora.language.packs import CODES, joined, phrases_of

_NAME: Final = re.compile(r"\{([a-z][a-z_]*)\}")


@cache
def _alternatives() -> dict[str, str]:
    """Return the alternatives of all languages, by name."""
    tables = [phrases_of(code) for code in CODES]
    names = dict.fromkeys(name for table in tables for name in table)
    return {name: joined(*(table.get(name, "") for table in tables)) for name in names}


def filled(pattern: str) -> str:
    """Return a pattern with the words of its names, each in a group of its own."""
    return _NAME.sub(lambda match: f"(?:{_alternatives()[match[1]]})", pattern)


def phrase(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """Compile a pattern with the words of its names."""
    return re.compile(filled(pattern), flags)


def plain_words(name: str) -> frozenset[str]:
    """Return the words of a name whose alternatives are plain words."""
    return frozenset(_alternatives()[name].split("|"))


def behind(name: str) -> str:
    """Return a pattern of the place after one of the words and a space; each word has a width of its own."""
    return "|".join(rf"(?<=\b{word} )" for word in sorted(plain_words(name)))
