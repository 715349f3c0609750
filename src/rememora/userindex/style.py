"""Style features of a text: the share of it that asks, and whether it reports a change or a past state."""

from __future__ import annotations

import re
from typing import Final

from rememora.language import fold
from rememora.language.packs import asked_in

_SENTENCE: Final = re.compile(r"[^.!?…\n]+[.!?…\n]*")
# `Saí da Acme`, `traded the Civic in`: what is named beside it is so no more.
_LEAVING: Final = re.compile(rf"\b(?:{asked_in('leaving')})\b")
_TELLING: Final = re.compile(rf"\b(?:{asked_in('changing')})\b")
_LETTERS_READ = 2_000
NO_CHANGE, CHANGE, LEFT_BEHIND = range(3)


def asking_share(text: str) -> float:
    """Return the share of `text` that is question."""
    if "?" not in text:
        return 0.0
    sentences = _SENTENCE.findall(text)
    total = sum(map(len, sentences)) or 1
    return sum(len(sentence) for sentence in sentences if "?" in sentence) / total


def change_told(text: str) -> int:
    """Return whether `text` says that something has changed, or even what it replaced."""
    folded = fold(text[:_LETTERS_READ])
    if _LEAVING.search(folded):
        return LEFT_BEHIND
    return CHANGE if _TELLING.search(folded) else NO_CHANGE
