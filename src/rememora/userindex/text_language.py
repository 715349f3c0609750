"""The language that a text says it is in, as a small number for a column."""

from __future__ import annotations

from typing import Final

from rememora.language import language_of_text
from rememora.language.packs import CODES

NOT_TOLD: Final = 0


def language_of(text: str) -> int:
    """The place of a text's language among all, from 1; `NOT_TOLD` where it does not say."""
    language = language_of_text(text)
    return NOT_TOLD if language is None else 1 + CODES.index(language)
