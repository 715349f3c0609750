"""Portuguese and English text kit: pure functions that every engine and every gate shares."""

from __future__ import annotations

from rememora.language.folding import fold
from rememora.language.size import count_tokens
from rememora.language.stems import stem
from rememora.language.tongue import detect, told
from rememora.language.words import content_words, forms, split, tokens

__all__ = ["content_words", "count_tokens", "detect", "fold", "forms", "split", "stem", "tokens", "told"]
