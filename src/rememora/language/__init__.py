"""Portuguese and English text kit: pure functions that every engine and every gate shares."""

from __future__ import annotations

from rememora.language.detection import detect, language_of_text, language_of_turns
from rememora.language.folding import fold
from rememora.language.size import count_tokens
from rememora.language.stems import stem
from rememora.language.words import content_words, forms, split, tokens

__all__ = [
    "content_words",
    "count_tokens",
    "detect",
    "fold",
    "forms",
    "language_of_text",
    "language_of_turns",
    "split",
    "stem",
    "tokens",
]
