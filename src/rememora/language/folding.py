"""Folding of case and diacritics: the first step of every comparison of two words."""

from __future__ import annotations

import unicodedata


def fold(text: str) -> str:
    """Lower-case `text` and strip its diacritics, so that `Não` and `nao` are one word."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))
