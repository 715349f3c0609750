"""Folding of case and diacritics: the first step of every comparison of two words."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# The marks of every alphabet that Portuguese and English meet; the rest are looked at one by one.
_MARKS: Final = re.compile("[\u0300-\u036f]+")


def fold(text: str) -> str:
    """Lower-case `text` and strip its diacritics, so that `Não` and `nao` are one word."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    bare = _MARKS.sub("", decomposed)
    return bare if bare.isascii() else "".join(char for char in bare if not unicodedata.combining(char))
