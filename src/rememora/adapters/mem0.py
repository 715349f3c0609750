"""Puts a memory of mem0's, "Lives in Lisbon", as the person would have said it: the gate reads what people say."""

from __future__ import annotations

import re

# mem0 stores "Likes tea" about a person; the gate reads statements in the first person.
_VERBS = {
    "is": "I am",
    "has": "I have",
    "lives": "I live",
    "works": "I work",
    "likes": "I like",
    "dislikes": "I dislike",
    "loves": "I love",
    "hates": "I hate",
    "enjoys": "I enjoy",
    "prefers": "I prefer",
    "uses": "I use",
    "owns": "I own",
    "wants": "I want",
    "needs": "I need",
    "speaks": "I speak",
    "plays": "I play",
    "studies": "I study",
    "é": "Sou",
    "tem": "Tenho",
    "mora": "Moro",
    "vive": "Vivo",
    "trabalha": "Trabalho",
    "gosta": "Gosto",
    "adora": "Adoro",
    "odeia": "Odeio",
    "prefere": "Prefiro",
    "usa": "Uso",
    "quer": "Quero",
    "precisa": "Preciso",
    "fala": "Falo",
    "estuda": "Estudo",
}
_SUBJECT = re.compile(r"(?:(?:the )?user|[oa] usuári[oa])(?P<owns>['’]s)?\s+", re.IGNORECASE)
_NAMED = re.compile(r"(?:name|favou?rite \w+) (?:is|are) ", re.IGNORECASE)
_CHAMADO = re.compile(r"nome é ", re.IGNORECASE)


def as_said(text: str) -> str:
    """The sentence in the first person; one that speaks of something else stays as it is."""
    subject = _SUBJECT.match(text)
    rest = text[subject.end() :] if subject else text
    if _NAMED.match(rest) or (subject and subject["owns"]):
        return f"My {rest[0].lower()}{rest[1:]}" if rest else text
    if _CHAMADO.match(rest):
        return f"Meu {rest[0].lower()}{rest[1:]}"
    verb, _, what = rest.partition(" ")
    return f"{_VERBS[verb.lower()]} {what}" if what and verb.lower() in _VERBS else text
