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
    r"|(?:sobe|cai|vira|cort(?:ou|ei|aram)|ficou|foi adiad[oa]|remarc(?:ou|ei|amos|aram)) (?:para|pra|pro)"
    r"|(?:volt(?:ou|ei|amos|aram) a|(?:par|deix)(?:ou|ei|amos|aram) de) \w+r|vir(?:ou|ei|aram)|larg(?:ou|uei|aram)"
    r"|no lugar d[eoa]|daqui (?:pra|para) frente"
    r"|nao (?:\w+ ){1,3}mais|desisti\w*|em vez d[eo]|hoje em dia|atualmente|ultimamente"
    r"|now|instead|rather than|no longer|no more|any ?more|these days|nowadays|lately|from now on|as of"
    r"|chang(?:ed|ing)|switch(?:ed|ing)|swapped|replaced|upgraded|quit|gave up|stopped|starting|moved (?:to|from)"
    r"|back (?:on|to)|(?:went|goes|dropped|raised|cut) (?:up |down )?(?:to|from))\b"
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
