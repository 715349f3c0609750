"""How a text is said: which share of it asks, and whether it tells of a change or of what was left behind."""

from __future__ import annotations

import re
from typing import Final

from rememora.language import fold

_SENTENCE: Final = re.compile(r"[^.!?…\n]+[.!?…\n]*")
# `Saí da Acme`, `traded the Civic in`: what is named beside it is so no more.
_LEAVING: Final = re.compile(
    r"\b(?:sai(?:u|mos|ram)? d[aeo]s?|saiu|larg(?:uei|ou|amos|aram)|troc(?:ou|amos|aram)|troquei"
    r"|cancel(?:ei|ou|amos|aram)|(?:par|deix)(?:ei|ou|amos|aram) (?:d[aeo]|com)|abandon(?:ei|ou|amos|aram)"
    r"|desisti\w*|enjo(?:ei|ou|amos|aram)|cans(?:ei|ou) d[aeo]|vendi|vendeu|vendemos|dei [ao]s?"
    r"|encerr(?:ei|ou|amos)|nao (?:\w+ ){0,3}mais|em vez d[aeo]|no lugar d[aeo]|foi embora"
    r"|left|dropped|ditched|traded|swapped|replaced|cancell?ed|quit|sold|gave (?:up|the|my|away)|stopped"
    r"|switched from|moved out of|moved from|no longer|any ?more|instead of|rather than|done with"
    r"|(?:i'm|im|am|are|we're) over)\b"
)
_TELLING: Final = re.compile(
    r"\b(?:agora|a partir d[eo]|em diante|mud(?:ou|ei|a|am|amos|aram|ar)|troc(?:ou|ei|a|am|amos|aram|ar)"
    r"|mudanca de planos|pass(?:ou|ei|amos|aram) (?:\w+ ){0,3}?(?:a|para|pr[ao]s?)"
    r"|(?:sub|ca)(?:iu|imos|iram) (?:para|pra)|(?:aument|baix|abaix)(?:ou|ei|amos|aram) (?:para|pra)"
    r"|(?:remarc|adi|antecip|transfer|prorrog|cancel)(?:ou|ei|amos|aram|ad[oa]|iu|i|imos|iram|id[oa])"
    r"|(?:sobe|cai|vira|cort(?:ou|ei|aram)|ficou) (?:para|pra|pro)"
    r"|(?:volt(?:ou|ei|amos|aram) a|(?:par|deix)(?:ou|ei|amos|aram) de) \w+r|vir(?:ou|ei|aram)|larg(?:ou|uei|aram)"
    r"|no lugar d[eoa]|daqui (?:pra|para) frente|assumiu"
    r"|nao (?:\w+ ){1,3}mais|desisti\w*|em vez d[eo]|hoje em dia|atualmente|ultimamente"
    r"|now|instead|rather than|no longer|no more|any ?more|these days|nowadays|lately|from now on|as of"
    r"|chang(?:ed|ing)|change of plans?|switch(?:ed|ing)|swapped|replaced|upgraded|quit|gave up|stopped|starting"
    r"|(?:moved|pushed) (?:\w+ ){0,4}?(?:to|from|back|up)|rescheduled|postponed|cancell?ed|transferred|took over"
    r"|back (?:on|to)|up to|(?:went|goes|dropped|raised|cut) (?:up |down )?(?:to|from))\b"
)
_LETTERS_READ = 2_000
NO_CHANGE, CHANGE, LEFT_BEHIND = range(3)


def asking_share(text: str) -> float:
    """Which share of `text` is question."""
    if "?" not in text:
        return 0.0
    sentences = _SENTENCE.findall(text)
    total = sum(map(len, sentences)) or 1
    return sum(len(sentence) for sentence in sentences if "?" in sentence) / total


def change_told(text: str) -> int:
    """Whether `text` says that something is no longer as it was, or even what was left behind for it."""
    folded = fold(text[:_LETTERS_READ])
    if _LEAVING.search(folded):
        return LEFT_BEHIND
    return CHANGE if _TELLING.search(folded) else NO_CHANGE
