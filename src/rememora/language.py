"""Portuguese and English text kit: pure functions that every engine and every gate shares."""

from __future__ import annotations

import unicodedata


def fold(text: str) -> str:
    """Lower-case `text` and strip its diacritics, so that `Não` and `nao` are one word."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))
