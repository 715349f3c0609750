"""Folding of case and diacritics: the first step of every comparison of two words, and of every search in a text.

`fold` is for comparison and may change a length; `fold_same_length` keeps every character at its place, so that a
place found in the folded text is one of the text.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache
from pathlib import Path
from typing import Final

# The marks of every alphabet that Portuguese and English meet; the rest are looked at one by one.
_MARKS: Final = re.compile("[\u0300-\u036f]+")
# Beside Unicode's table (lookalikes.toml): lower-case letters that it does not list or takes for capitals,
# three that it resolves otherwise (`Ι` and `І` to a small L, `ν` to a V), and signs of punctuation.
_LOOKALIKES: Final = dict(zip("вкмнтпьεκτχΙІν’‘´`“”«»–—…", "bkmhtnbektxIIn''''\"\"\"\"--.", strict=True))
_TABLE: Final = Path(__file__).with_name("lookalikes.toml")


def fold(text: str) -> str:
    """Lower-case `text` and strip its diacritics, so that `Não` and `nao` are one word."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    bare = _MARKS.sub("", decomposed)
    return bare if bare.isascii() else "".join(char for char in bare if not unicodedata.combining(char))


def fold_typed(text: str) -> str:
    """Fold a text, with the apostrophe of telephones as the one of keyboards: the words of the packs have that."""
    return fold(text) if text.isascii() else fold(text).replace("’", "'")


def fold_same_length(text: str) -> str:
    """Fold a text with each character at its place; letters of other scripts that look Latin become Latin."""
    return text.translate(_FOLDING)


class _Folding(dict[int, str]):
    """Table for `str.translate` that folds a character at a time and never changes a length."""

    def __missing__(self, code: int) -> str:
        """Fold a character the first time it is seen."""
        char = _LOOKALIKES.get(chr(code)) or (chr(code) if code < 128 else _lookalikes().get(code, chr(code)))
        folded = fold(char)
        self[code] = folded if len(folded) == 1 else char
        return self[code]


@cache
def _lookalikes() -> dict[int, str]:
    """Letters of other scripts and the Latin letter that each looks like, as Unicode lists them."""
    table = tomllib.loads(_TABLE.read_text("utf-8"))
    return {int(code, 16): letter for letter, codes in table.items() for code in codes.split()}


_FOLDING: Final = _Folding()
