"""Finds where sentences end: not inside a number or an address, and not behind a title, an initial or "etc."."""

from __future__ import annotations

import re
from typing import Final

from rememora.language.folding import fold
from rememora.language.wordlists import ABBREVIATIONS, TITLES

_WORD_BEFORE: Final = re.compile(r"([^\W\d_]+)\Z")
# "e.g.", "U.S.", "S/A"
_INITIALS: Final = re.compile(r"(?:\b[^\W\d_]\.[^\W\d_]|\b[sS]/[aA])\Z")
_BEFORE_A_NAME: Final = ",.:;('\""
_LONGEST_WORD: Final = 12
_LONGEST_NAME: Final = 30


def ends_sentence(text: str, at: int) -> bool:
    """Return whether the mark (`.`, `!`, `?`, `…`, `;`) at a place of a text ends a sentence."""
    if text[at] != "." or text[at + 1 : at + 2].isalnum():
        # "3.5", "ana.lima@…"
        return text[at] != "."
    before = _WORD_BEFORE.search(text, max(0, at - _LONGEST_WORD), at)
    if before is None:
        return True
    word, following = fold(before[1]), text[at + 1 : at + _LONGEST_NAME].lstrip()[:1]
    if _INITIALS.search(text, max(0, at - _LONGEST_WORD), at):
        return not (following.islower() or following.isdigit())
    if word in TITLES:
        return not following.isalpha()
    if len(word) == 1 and before[1].isupper() and following.isupper():
        # "M. Okafor", "Ana S. Costa"; "na turma B. Depois …" ends.
        return not _may_open_name(text[max(0, before.start() - _LONGEST_NAME) : before.start()])
    return word not in ABBREVIATIONS or following.isupper()


def _may_open_name(head: str) -> bool:
    """Return whether an initial behind these words is of a name: behind a sign, or a word with a capital."""
    words = head.split()
    return not words or words[-1][-1] in _BEFORE_A_NAME or words[-1][0].isupper()
