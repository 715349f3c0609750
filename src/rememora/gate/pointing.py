"""Wishes that only point: "esquece isso", "that's wrong", "não fala mais disso"."""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal

from rememora.gate.needed import has_any, needed
from rememora.language import fold

POINTING_CHARACTERS: Final = 2_000
"""What only points is short; longer texts are not looked at here."""
VALUE_WORDS: Final = 5
Wish = Literal["save", "forget", "correct", "suppress"]

_THIS: Final = r"(?:isso|isto|aquilo|esse|essa|that|this|it)"
_SAID: Final = (
    r"(?: que (?:eu )?(?:te |lhe )?(?:acabei de )?(?:falei|disse|contei|mandei|falar|dizer|contar)"
    r"| (?:that )?i (?:just )?(?:said|told you|mentioned))?"
)
_POLITE: Final = (
    r"(?:(?:por favor|pfv?|please|ai|entao|nao|no|mas|but|hey|ei|ok|agora|now|na memoria)[ ,]{0,3}){0,6}"
)
_SAVE: Final = (
    r"(?:salv[ae]r?|guard[ae]r?|anot[ae]r?|lembr[ae]r?(?: de)?|grav[ae]r?|registr[ae]r?"
    r"|save|remember|note|keep|write)"
)
_FORGET: Final = (
    r"(?:esquec[ae]r?|apag(?:a|ue|ar)|delet[ae]r?|remov[ae]r?|exclu[ai]r?|tir[ae]r?|forget|delete|remove|erase)"
)
_WRONG: Final = (
    r"(?:errad[oa]|incorret[oa]|equivocad[oa]|wrong|incorrect|not right|not correct|not true|mentira|falso|false)"
)
_HUSH: Final = (
    r"(?:nao (?:precisa )?|nunca (?:mais )?|para de |pare de |deixa de |don't |do not |never |please don't |stop )"
    r"(?:me )?(?:mais )?(?:fal\w+|menci\w+|toc(?:a|ar|ando|que)|cit\w+|lembr\w+"
    r"|mention\w*|talk\w*|bring\w*|speak\w*)"
    r"(?: mais)?(?: about| up| of)?"
)
_UNDO: Final = re.compile(
    rf"{_POLITE}(?:pode |can you |could you )?(?:desfaz(?:er)?|desfaca|revert[ae]r?|revert|undo|take back)"
    rf"(?: {_THIS}| o que (?:voce|vc) (?:fez|guardou|salvou|anotou|gravou|apagou|corrigiu)"
    rf"| what you (?:just )?(?:did|saved|noted|forgot|changed))?(?: ai)?[ ,]{{0,3}}{_POLITE}"
)
_ANYWAY: Final = r"(?:anyways?|mesmo assim|assim mesmo|de qualquer jeito|eu insisto|i insist)"
_DECLINED: Final = re.compile(
    rf"{_POLITE}(?:nao|n|nunca|don't|dont|do not|never|prefiro que nao|melhor nao)[ ,]+"
    rf"(?:precisa |need to |me ){{0,3}}{_SAVE}(?: d?{_THIS}| nada)?(?: ai)?(?: down)?{_SAID}[ ,]{{0,3}}{_POLITE}"
)
_AGAIN_KNOWN: Final = re.compile(
    rf"\A{_POLITE}(?:(?:pode|podes|voce pode|vc pode|you can|you may|can you)[ ,]+)?"
    r"(?:voltar a |volta a |go back to )?"
    r"(?:lembr[ae]r?|fal[ae]r?|mencion[ae]r?|us[ae]r?|remember|mention|talk(?:ing)?|us(?:e|ing))"
    r"(?: (?:de|d[ao]s?|sobre|about|n[ao]))? (?:(?:o|a|the) )?(?P<what>(?:meu|minha|my) .+?)"
    r" (?:de novo|outra vez|novamente|again)"
)
_ARTICLE: Final = re.compile(r"^(?:[oa]|the) (?=[A-ZÀ-Ý])")
"""Stands before a name and is not part of it: "é o Pedro"."""
_EDGES: Final = " .,;:!?\"'“”"
_RIGHTED: Final = re.compile(
    r"\A(?:(?:n[aã]o|no|nope|nah|opa|oops|ops|sorry|wait)[,.! ]{1,4}){0,6}"
    r"(?:(?:na verdade|actually|errad[oa]|wrong|that'?s wrong|(?:isso )?(?:t[aá]|est[aá]) errad[oa])"
    r"[,.! ]{1,4}){0,6}"
    r"(?<=[,.! ])(?:agora )?(?:[eé]|eh|s[aã]o|it'?s|it is|they'?re|they are|o certo [eé])(?: now)? "
    r"(?P<value>\S.{0,59})",
    re.IGNORECASE,
)
_AGAIN: Final = r"(?: (?:mais|de novo|outra vez|again|anymore|any more|ever)){0,3}"
_NAMED: Final = re.compile(
    rf"\A{_POLITE}{_HUSH}(?: (?:d[aeo]s?|n[ao]s?|em|sobre|the|my|me|meus?|minhas?|[ao]s?)){{0,4}}"
    rf" (?P<what>.+?){_AGAIN}"
)
_SPEAK: Final = r"(?:fal\w+|menci\w+|toc(?:a|ar|ando)|cit\w+|mention\w*|talk\w*|bring\w*|speak\w*)"
_HEARD: Final = re.compile(
    rf"\A{_POLITE}(?:agora )?(?:(?:voce |vc )?ja |(?:voce |vc ))?(?:pode|you can|you may|feel free to)(?: now)?"
    rf"(?: {_SPEAK}(?: about| up| of)?| (?:voltar a|volt[ae] a) {_SPEAK})"
    r"(?: (?:d[aeo]s?|n[ao]s?|em|sobre|the|my|meus?|minhas?|[ao]s?)){0,4} "
    r"(?P<what>.+?)(?P<again>(?: (?:de novo|outra vez|novamente|again)){0,3})"
)
_ASKED: Final = re.compile(
    rf"{_POLITE}(?:(?:voce |vc )?pode |(?:eu )?quero que (?:voce |vc )?|can you |could you |i want you to )?"
    r"(?:esquec(?:e|a|er)|forget)(?: .{1,120})?"
    rf"|{_POLITE}(?:pode )?{_FORGET} (?:tudo|everything|all).{{0,120}}"
)
_BARE: Final[dict[Wish, re.Pattern[str]]] = {
    "save": re.compile(
        rf"{_POLITE}(?:(?:sim|yes|yeah|yep|eu insisto|i insist)[ ,]{{1,3}}){{0,4}}(?:pode )?{_SAVE}"
        rf"(?: {_THIS}(?: ai)?(?: down)?{_SAID}(?:[ ,]+{_ANYWAY})?|[ ,]+{_ANYWAY})[ ,]{{0,3}}{_POLITE}"
    ),
    "forget": re.compile(rf"{_POLITE}(?:pode )?{_FORGET} {_THIS}(?: ai)?{_SAID}[ ,]{{0,3}}{_POLITE}"),
    "suppress": re.compile(rf"{_POLITE}{_HUSH} (?:disso|nisso|disto|nesse assunto|{_THIS}){_AGAIN}"),
    "correct": re.compile(
        rf"{_POLITE}(?:{_THIS}(?:'s)? )?(?:ai )?(?:esta|ta|e|is|are|thats)? ?(?:all )?{_WRONG}[ ,]{{0,3}}{_POLITE}"
        rf"|{_POLITE}{_THIS} (?:nao (?:esta|ta|e)|isn't|is not) (?:certo|correto|verdade|right|correct|true)"
    ),
}


def bare_wish(text: str) -> Wish | None:
    """The wish of a message that names nothing but "this"."""
    if len(text) > POINTING_CHARACTERS:
        return None
    folded = _plain(text)
    if _DECLINED.fullmatch(folded):
        return None
    return next((wish for wish, form in _BARE.items() if form.fullmatch(folded)), None)


def asks_for_silence(text: str) -> bool:
    """Whether a message asks for nothing but that something be forgotten or not mentioned: it tells nothing."""
    if len(text) > POINTING_CHARACTERS:
        return False
    folded = _plain(text)
    if not has_any(folded, _silence_needs()):
        return False
    named = any(form.fullmatch(folded) for form in (_ASKED, _NAMED))
    return named or bare_wish(text) in ("forget", "suppress") or spoken_again(text) is not None


@cache
def _silence_needs() -> tuple[str, ...] | None:
    forms = (_ASKED, _NAMED, _HEARD, _BARE["forget"], _BARE["suppress"])
    return needed(*(form.pattern for form in forms))


def declined(text: str) -> bool:
    """Whether a message asks for nothing but that what was just said is not kept: "não guarda isso"."""
    return len(text) <= POINTING_CHARACTERS and _DECLINED.fullmatch(_plain(text)) is not None


def insisted(text: str) -> bool:
    """Whether a message asks for what was refused to be kept all the same: "guarda mesmo assim"."""
    return bare_wish(text) == "save" and re.search(_ANYWAY, _plain(text)) is not None


def known_again(text: str) -> str | None:
    """What a message allows to be known again: "pode lembrar do meu telefone de novo"."""
    found = _AGAIN_KNOWN.fullmatch(_plain(text)) if len(text) <= POINTING_CHARACTERS and "?" not in text else None
    return found["what"] if found else None


def undoes(text: str) -> bool:
    """Whether a message asks for nothing but to take back what was just done: "desfaz isso", "undo that"."""
    return len(text) <= POINTING_CHARACTERS and _UNDO.fullmatch(_plain(text)) is not None


def righted(text: str) -> str | None:
    """The right value that a message gives and nothing else: "no, it's 67", "na verdade é Olinda"."""
    found = _RIGHTED.fullmatch(" ".join(text.split())) if len(text) <= POINTING_CHARACTERS else None
    return without_article(found["value"].strip(_EDGES)) if found else None


def without_article(value: str) -> str:
    """Return a name without the article before it."""
    return _ARTICLE.sub("", value)


def replaces(value: object, other: object) -> bool:
    """Whether one value can stand in another's place by its looks: a figure for a figure, a name for a name."""
    if not isinstance(value, str) or not isinstance(other, str) or not value or len(value.split()) > VALUE_WORDS:
        return False
    if any(map(str.isdigit, value)) or any(map(str.isdigit, other)):
        return any(map(str.isdigit, value)) and any(map(str.isdigit, other))
    return value[0].isupper() or (" " not in value and not other[0].isupper())


def hushed(text: str) -> str | None:
    """What a message asks never to be mentioned, where it names it: "não fala mais do meu divórcio"."""
    if len(text) > POINTING_CHARACTERS:
        return None
    folded = _plain(text)
    found = _NAMED.fullmatch(folded)
    return found["what"] if found and "?" not in text else None


def spoken_again(text: str) -> str | None:
    """What a message lets be mentioned again, where it names it: "pode falar do meu cachorro de novo"."""
    found = _HEARD.fullmatch(_plain(text)) if len(text) <= POINTING_CHARACTERS and "?" not in text else None
    again = found is not None and (found["again"] or "volt" in found.group().partition(found["what"])[0])
    return found["what"] if found is not None and again else None


def _plain(text: str) -> str:
    return " ".join(fold(text).replace("’", "'").strip(" .!?,;:").split())
