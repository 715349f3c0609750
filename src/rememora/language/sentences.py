"""Finds where sentences end: not inside a number or an address, and not behind a title, an initial or "etc."."""

from __future__ import annotations

import re
from typing import Final

from rememora.language.folding import fold
from rememora.language.wordlists import ABBREVIATIONS, TITLES

_WORD_BEFORE: Final = re.compile(r"([^\W\d_]+)\Z")
_NAME_BEFORE: Final = re.compile(r"(?:\A|[,.:;('\"]|[A-ZÀ-Þ][\w'’]*)\s*\Z")
_LONGEST_WORD: Final = 12


def ends_sentence(text: str, at: int) -> bool:
    """Return whether the mark (`.`, `!`, `?`, `…`, `;`) at a place of a text ends a sentence."""
    behind = text[at + 1 : at + 2]
    if text[at] != ".":
        return True
    if behind.isalnum():
        # "3.5", "ana.lima@…"
        return False
    before = _WORD_BEFORE.search(text, max(0, at - _LONGEST_WORD), at)
    if before is None:
        return True
    word, following = fold(before[1]), text[at + 1 :].lstrip()[:1]
    if word in TITLES:
        return not following.isalpha()
    if len(word) == 1 and before[1].isupper() and following.isupper():
        # "M. Okafor", "Ana S. Costa"; "na turma B. Depois …" ends.
        return _NAME_BEFORE.search(text[: before.start()]) is None
    return word not in ABBREVIATIONS or following.isupper()
