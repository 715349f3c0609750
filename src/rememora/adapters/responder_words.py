"""What the built-in responder says, in both languages, and the words by which it knows what is asked."""

from __future__ import annotations

import re
from typing import Final

import msgspec


class Words(msgspec.Struct, frozen=True, kw_only=True):
    """The sentences of one language."""

    hello: str
    hello_name: str
    offer: str
    offer_company: str
    recall: str
    said: str
    said_here: str
    talked: str
    know: str
    know_nothing: str
    nothing: str
    not_kept: str
    noted: str
    noted_name: str
    yes: str
    no: str
    day: str


WORDS: Final[dict[str, Words]] = {
    "pt": Words(
        hello="Olá!",
        hello_name="Olá, {name}!",
        offer="Em que posso ajudar?",
        offer_company="Em que posso ajudar a {company} hoje?",
        recall="Pelo que lembro:",
        said="em {day} você disse “{quote}”",
        said_here="nesta conversa você disse “{quote}”",
        talked="em {day} conversamos: “{quote}”",
        know="Isto é o que sei sobre você:",
        know_nothing="Ainda não sei nada sobre você. Diga “salva que …” e eu guardo.",
        nothing="Não guardei nada sobre isso. Se quiser que eu guarde, diga “salva que …”.",
        not_kept="Não guardei isso: é um dado que não fica na minha memória.",
        noted="Entendi. Isso fica no histórico da nossa conversa.",
        noted_name="Entendi, {name}. Isso fica no histórico da nossa conversa.",
        yes="sim",
        no="não",
        day="%d/%m/%Y",
    ),
    "en": Words(
        hello="Hello!",
        hello_name="Hello, {name}!",
        offer="What can I do for you?",
        offer_company="What can I do for {company} today?",
        recall="As far as I remember:",
        said="on {day} you said “{quote}”",
        said_here="earlier here you said “{quote}”",
        talked="on {day} we talked: “{quote}”",
        know="This is what I know about you:",
        know_nothing="I know nothing about you yet. Say “remember that …” and I will keep it.",
        nothing="I did not keep anything about that. If you want me to keep it, say “remember that …”.",
        not_kept="I did not keep that: it is something that does not stay in my memory.",
        noted="Understood. It stays in the history of our conversation.",
        noted_name="Understood, {name}. It stays in the history of our conversation.",
        yes="yes",
        no="no",
        day="%B %d, %Y",
    ),
}

OWNED: Final = re.compile(
    r"\b(?:meus?|minhas?|my) (?:(?:nov[oa]|atual|antig[oa]|primeir[oa]|ultim[oa]|propri[oa]|melhor|querid[oa]"
    r"|full|first|last|current|new|old|own|home|work|main|personal|dear) )*(\w+)"
)
"""Of what a question says that it is the person's: "meu cachorro", "my full name"."""

GREETING: Final = re.compile(
    r"(?:oi+|ola|opa|e ai|bom dia|boa tarde|boa noite|tudo bem|hi+|hello|hey|good (?:morning|afternoon|evening))\b"
)
ABOUT_ME: Final = re.compile(
    r"\b(?:sabe|sabem|lembra|guardou|guardad[oa]s?|salvou|salv[oa]s?|anotou|gravou|registrou|aprendeu|conhece|tem)"
    r"(?: \w+){0,2} (?:de|sobre|a respeito de) mim\b"
    r"|\bquem (?:eu )?sou(?: eu)?\b"
    r"|\b(?:tudo|o) que (?:voce|vc) (?:ja )?(?:guardou|salvou|anotou|gravou|tem (?:guardado|salvo|anotado))$"
    r"|\btudo que (?:voce|vc) (?:sabe|lembra)$"
    r"|\b(?:mostr\w+|list\w+|ver|quais sao)(?: me)?(?: todas)?(?: as)? (?:minhas|suas) memorias\b"
    r"|\b(?:know|remember|saved?|stored?|noted?|kept|keep|learn(?:ed|t)|have)(?: \w+){0,2} (?:of|about) me\b"
    r"|\bwho am i\b|\b(?:all|everything)(?: that)? you(?: have|'ve)? (?:know|remember|saved|stored|noted|kept)$"
    r"|\b(?:show|list|see|what are)(?: me)?(?: all)?(?: of)? my memories\b"
)
ASKING: Final = re.compile(
    r"(?:qual|quais|quem|quando|onde|como|quanto|quantos|quantas|por ?que|o que|que|cade|lembra"
    r"|what|which|who|whose|when|where|how|why|do you|did i|is|are|does|tell me|me (?:diga|fala|conta))\b"
)
