"""Recognises requests for shorter or longer answers, by the words of the language packs (`answer_length.toml`)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from rememora.language import fold
from rememora.language.packs import CODES, joined, length_words_of

LETTERS_READ: Final = 600
"""Maximum length of a request; longer texts state or ask other things."""
_CLAUSE: Final = re.compile(r"[.!?,:\n()\"“”]+|;\s")
_PART: Final = re.compile(r"\{([a-z_]+)\}")
# What holds in every language; the packs add whole requests of their own.
_FRAMES: Final = {
    "shorter": (
        "(?:^|{wish} |{opening})(?:{the} ){0,6}{answer}(?: {soft}){0,6} {short}{ending}",
        "(?:^|{wish} |{opening})(?:{the} ){0,6}(?:{soft} ){0,6}{short} {answer}{ending}",
        "{opening}{do}(?: {soft}){0,6} {short}{ending}",
        "{opening}(?:{little} ){0,6}{more_short}{ending}",
        "{opening}{short} {please}{ending}",
        "{opening}(?:{said} ){0,6}{too_long}{ending}",
        "{the} {answer} {is} {too_long}",
    ),
    "longer": (
        "(?:^|{wish} |{opening})(?:{the} ){0,6}{answer}(?: {soft}){0,6} {long}{ending}",
        "(?:^|{wish} |{opening})(?:{the} ){0,6}(?:{soft} ){0,6}{long} {answer}{ending}",
        "{opening}{do} (?:{soft} ){0,6}{more} {long}{ending}",
        "{opening}(?:{little} ){0,6}{more_long}{ending}",
    ),
}
_EDGES: Final = {
    "opening": "^(?:(?:{lead}|{please}) ){0,6}",
    "ending": "(?: (?:{tail}|{please})){0,6}(?: {and} .{0,200})?$",
}


def asks_shorter(text: str) -> bool | None:
    """Return True if it asks for shorter answers, False for longer ones, None for neither or both."""
    folded = fold(text[:LETTERS_READ])
    hinted = [(hint.search(folded) is not None, pattern) for hint, pattern in _requests()]
    if not any(may for may, _ in hinted):
        return None
    clauses = [" ".join(clause.split()) for clause in _CLAUSE.split(folded)]
    short, long = (may and any(pattern.search(clause) for clause in clauses) for may, pattern in hinted)
    return short if short != long else None


@cache
def _requests() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """Return the requests for shorter answers and those for longer ones, with the hints for each."""
    files = [length_words_of(code) for code in CODES]
    names = dict.fromkeys(name for file in files for name in file.parts)
    parts = {name: f"(?:{joined(*(file.parts.get(name, '') for file in files))})" for name in names} | _EDGES
    return tuple(
        (
            re.compile(joined(*(file.hints.get(name, "") for file in files))),
            _any_of((*frames, *(line for file in files for line in _lines(file.requests.get(name, "")))), parts),
        )
        for name, frames in _FRAMES.items()
    )


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line]


def _any_of(patterns: Iterable[str], parts: dict[str, str]) -> re.Pattern[str]:
    filled = "|".join(patterns)
    # Parts hold parts: `more_short` is `mais {short}`.
    while _PART.search(filled):
        filled = _PART.sub(lambda part: parts[part[1]], filled)
    return re.compile(rf"(?<!\w)(?:{filled})(?!\w)")
