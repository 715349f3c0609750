"""Names in a question: whether it is about somebody or something that no row speaks of."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Final

from rememora.language import split

_WORD: Final = re.compile(r"[^\W\d_][\w'’-]*")
_OPENS: Final = re.compile(r"(?:^|(?<=\w{3})\.|[!?:;\n\"“”«(])\s{0,3}$")
"""Before a word that is capital for its place: the first of a sentence or of a quotation."""
_ADDRESS: Final = re.compile(r"^\W{0,3}(?:[\w']{1,12} ){0,2}[\w'-]{2,20} ?[,!]|, ?[\w'-]{2,20} ?[.!?]{0,3}$")
"""Whom a question is put to, which is not whom it is about: `Oi Alexa, onde eu moro?`, `where do I live, Max?`."""
_LEAST_LETTERS: Final = 3
_MOST_CAPITALS: Final = 0.5
"""Share of capital words from which on a question is written in capitals, or as a title, and tells no name."""


def names_in(text: str) -> list[str]:
    """Return the folded capital words of a question that open no sentence and address nobody."""
    about = _ADDRESS.sub("", text.strip(), count=2)
    words = list(_WORD.finditer(about))
    capital = [word for word in words if word[0][0].isupper() and len(word[0]) > 1]
    inside = [word[0] for word in capital if not _OPENS.search(about, max(0, word.start() - 6), word.start())]
    if len(inside) > _MOST_CAPITALS * len(words):
        return []
    return [part for name in inside if len(name) >= _LEAST_LETTERS for part in split(name)]


def are_unknown(names: Collection[str], knows: Callable[[str], bool]) -> bool:
    """Return whether there are names, and none of them is known."""
    return bool(names) and not any(map(knows, names))
