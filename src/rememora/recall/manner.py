"""How a text is said: which share of it asks, and whether it tells of a change."""

from __future__ import annotations

import re
from typing import Final

from rememora.language import fold

_SENTENCE: Final = re.compile(r"[^.!?…\n]+[.!?…\n]*")
_TELLING: Final = re.compile(
    r"\b(?:agora|a partir d[eo]|em diante|mud(?:ou|ei|a|am|amos|aram|ar)|troc(?:ou|ei|a|am|amos|aram|ar)"
    r"|pass(?:ou|ei|amos|aram) (?:a|para|pra)|(?:sub|ca)(?:iu|imos|iram) (?:para|pra)"
    r"|(?:aument|baix|abaix)(?:ou|ei|amos|aram) (?:para|pra)"
    r"|nao \w+ mais|desisti\w*|em vez d[eo]|hoje em dia|atualmente|ultimamente"
    r"|now|instead|no longer|anymore|these days|nowadays|lately"
    r"|chang(?:ed|ing)|switch(?:ed|ing)|starting|moved to|(?:went|dropped|raised) (?:up |down )?to)\b"
)
_LETTERS_READ = 2_000


def asking_share(text: str) -> float:
    """Which share of `text` is question."""
    if "?" not in text:
        return 0.0
    sentences = _SENTENCE.findall(text)
    total = sum(map(len, sentences)) or 1
    return sum(len(sentence) for sentence in sentences if "?" in sentence) / total


def tells_change(text: str) -> bool:
    """Whether `text` says that something is no longer as it was."""
    return _TELLING.search(fold(text[:_LETTERS_READ])) is not None
