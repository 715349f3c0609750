"""How a person answers a pending question: yes, no, another value, or something else altogether."""

from __future__ import annotations

import re

import msgspec

from rememora.gate.normalise import read

_YES = re.compile(
    r"^(?:(?:sim|s|isso|isso mesmo|isso ai|exato|exatamente|certo|correto|claro|com certeza|pode|pode ser|pode salvar|pode guardar|confirmo|confirmado|"
    r"ok|okay|blz|beleza|uhum|aham|ahan|e isso|eh|e sim|positivo|salva|salve|guarda|perfeito|fechado|bora|quero|quero sim|por favor|ta certo|ta|"
    r"ta bom|tudo bem|tudo certo|e verdade|verdade|show|yes|y|yep|yeah|yup|ya|sure|right|correct|that's right|thats right|exactly|absolutely|of course|definitely|"
    r"confirm|confirmed|please do|please|go ahead|do it|save it|sounds good|true|it is|affirmative|fine|agreed|you got it|mesmo|viu|obrigad[oa]|thanks|that's it|indeed|i do|mhm|uh-huh)[ ,.!]*)+$"
)
_NO = re.compile(
    r"^(?:(?:nao|n|nao nao|nada|negativo|de jeito nenhum|nem pensar|nunca|jamais|nao precisa|nao quero|nao salva|nao salve|nao guarda|nao guarde|deixa|deixa pra la|"
    r"deixa quieto|esquece|melhor nao|prefiro que nao|prefiro nao|errado|ta errado|isso nao|nope|no|nah|no way|don't|dont|do not|don't save it|don't save that|never mind|nevermind|not really|negative|"
    r"wrong|that's wrong|incorrect|skip|skip it|no need|not needed|rather not|i'd rather not|please don't|obrigad[oa]|thanks|thank you|valeu|por favor|please|isso|it|that|agora|now|e|it's not|nao e|nao e isso)[ ,.!]*)+$"
)
_VALUE = re.compile(
    r"^(?:(?:(?:nao|n|no|nope|nah|quase|almost|errado|wrong|sim|yes|isso|opa|ops|hum|well|not quite|nem tanto|mas|but)[ ,.!]+)*"
    r"(?:na verdade|actually|na real|o certo|o correto|correto|correct|corrigindo|correction|in fact|digo|quer dizer|i mean|rather|melhor|agora|the right one|its|it should be|should be|make it|muda pra|muda para|troca por|change it to|coloca|poe|bota|use|usa|salva como|save it as|deveria ser|seria)?[ ,:]*"
    r"(?:e|eh|sao|is|it's|its|it is|they're|that's|i'm|im|i am|sou|somos|we're|the right (?:one|value) is|meu nome e|my name is|:)?[ ,:]+)(?P<v>.+)$"
)
_OPENED = re.compile(
    r"^(?:nao|n|no|nope|nah|quase|almost|errado|wrong|na verdade|actually|na real|o certo|o correto|corrigindo|correction|in fact|digo|quer dizer|i mean|e|eh|it's|its|it is|sao|sou|i'm|i am|we're|somos|"
    r"rather|make it|should be|it should be|muda|troca|change|coloca|salva como|save it as|deveria ser|not quite|agora)\b"
)
_QUESTION = re.compile(r"\?\s*$")
_REPLACED = re.compile(
    r"^(?:nao|no|not|isn't)\b[^,;.]{1,60}[,;.] ?(?:e|eh|it's|its|sim|mas sim|but) (?P<v>.+)$"
)
_MAX_VALUE_WORDS = 12


class Yes(msgspec.Struct, frozen=True, tag=True):
    """The person confirms."""


class No(msgspec.Struct, frozen=True, tag=True):
    """The person refuses."""


class Value(msgspec.Struct, frozen=True, tag=True):
    """The person gives another value."""

    text: str


class Unrelated(msgspec.Struct, frozen=True, tag=True):
    """The person speaks of something else; the question stays open."""


def read_answer(text: str) -> Yes | No | Value | Unrelated:
    """Read `text` as the answer to a question about a memory."""
    reading = read(text.strip())
    folded = reading.folded.strip()
    if not folded or _QUESTION.search(folded):
        return Unrelated()
    if _YES.match(folded):
        return Yes()
    if _NO.match(folded):
        return No()
    if len(folded.split()) > _MAX_VALUE_WORDS or not _OPENED.match(folded):
        return Unrelated()
    match = _REPLACED.match(folded) or _VALUE.match(folded)
    value = reading.text.strip()[match.start("v") : match.end("v")].strip(" .,!") if match else ""
    return Value(value) if value else Unrelated()
