"""Finds a text that a person wants back word for word: an address, a log, a recipe, a code.

Such a text is kept whole, as it was written: read as sentences it would come back in pieces, with other signs.
"""

from __future__ import annotations

import re
from typing import Final

from rememora.language.parsed import ParsedText
from rememora.language.phrases import phrase

LEAST_CHARACTERS: Final = 30
MOST_CHARACTERS: Final = 2_000
_HEAD_CHARACTERS: Final = 240
"""A colon further on in the message belongs to the text itself."""
_COLON: Final = re.compile(r":(?=\s)")
# Asks for a text to be kept unchanged: only another such text ends it.
_WORD_FOR_WORD: Final = phrase(r"\b{word_for_word}\b")
_SENTENCE_ENDS: Final = ".!?\n"
_STEP: Final = re.compile(r"[;|→]|\(?\b\d{1,2}[.)ºª](?=\s)")
_NUMBER: Final = re.compile(r"\d+")
_STEPS: Final = 3
_SHOWN: Final = ('"', "“", "«", "'", "`")


def _is_structured(text: str) -> bool:
    """Whether a text has steps or fields of its own, as a recipe or a timetable has."""
    return len(_STEP.findall(text)) >= _STEPS and len(_NUMBER.findall(text)) >= _STEPS


def verbatim_start(message: ParsedText, *, asked_to_keep: bool) -> int | None:
    """The place in a message at which a text to be kept word for word begins, after its heading; None without one.

    The heading says so, or it asks to keep what stands in quotes, on lines of its own, or in numbered steps.
    """
    raw = message.raw
    for colon in _COLON.finditer(raw, 0, _HEAD_CHARACTERS):
        rest = raw[colon.end() :]
        text = rest.lstrip()
        if not LEAST_CHARACTERS <= len(text) <= MOST_CHARACTERS:
            continue
        on_its_own = rest.lstrip(" ").startswith("\n") or text.startswith(_SHOWN)
        requested = asked_to_keep and (on_its_own or _is_structured(text))
        if requested or _WORD_FOR_WORD.search(_heading(message, colon.start())):
            return len(raw) - len(text)
    return None


def _heading(message: ParsedText, end: int) -> str:
    """Return the folded words before a place, from the beginning of their sentence on."""
    start = max(message.raw.rfind(mark, 0, end) for mark in _SENTENCE_ENDS) + 1
    return message.in_place[start:end]
