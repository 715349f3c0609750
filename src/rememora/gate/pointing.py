"""Wishes that only point: "esquece isso", "that's wrong", "no hables más de eso".

The frames are here; the words come from the language packs, and each language has frames of its own words. All
look at a message that was read: folded once, and given to the network where the words alone do not decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final, Literal

import msgspec

from rememora.language.packs import CODES, control_of, joined
from rememora.language.phrases import filled, phrase
from rememora.reading.parsed import ParsedMessage

POINTING_CHARACTERS: Final = 2_000
"""What only points is short; longer texts are not looked at here."""
VALUE_WORDS: Final = 5
LIKELY_UNDOES: Final = 0.5
"""Least chance, by the reader, that a message with other words beside an undo asks for it."""
_CLAUSE_END: Final = re.compile(r"[,;.!]")
Wish = Literal["save", "forget", "correct", "suppress"]
Forms = tuple[re.Pattern[str], ...]

_ARTICLE: Final = phrase(r"^{name_article} (?=[A-ZÀ-Ý])")
"""Stands before a name and is not part of it: "é o Pedro"."""
_EDGES: Final = " .,;:!?\"'“”"
_END: Final = "[ ,]{{0,3}}"
_FRAMES: Final = {
    "save": (
        "{polite}(?:(?:{insists})[ ,]{{1,3}}){{0,4}}(?:{may})?(?:{save})"
        "(?: (?:{this})(?: {there})?(?:{said})?(?:[ ,]+(?:{anyway}))?|[ ,]+(?:{anyway}))" + _END + "{polite}"
    ),
    "forget": "{polite}(?:{may})?(?:{forget}) (?:{this})(?: {there})?(?:{said})?" + _END + "{polite}",
    "suppress": "{polite}(?:{hush}) (?:{of_this}|{this})(?: (?:{again})){{0,3}}",
    "correct": (
        "{polite}(?:(?:{this})(?:'s)? )?(?:{there} )?(?:{be})? ?(?:{wrong})" + _END + "{polite}"
        "|{polite}(?:{this}) (?:{not_right})"
    ),
    "undo": "{polite}(?:{may_undo})?(?:{undo})(?: (?:{this})| (?:{undo_what}))?(?: {there})?" + _END + "{polite}",
    "declined": (
        "{polite}(?:{decline})[ ,]+(?:{need}){{0,3}}(?:{save})(?: d?(?:{this})| (?:{nothing}))?"
        "(?: {there})?(?:{said})?" + _END + "{polite}"
    ),
    "known_again": (
        r"\A{polite}(?:(?:{may_know})[ ,]+)?(?:{go_back})?(?:{know_again})(?: (?:{of}))? (?:(?:{article}) )?"
        r"(?P<what>(?:{mine}) .+?) (?:{once_more})"
    ),
    "named": r"\A{polite}(?:{hush})(?: (?:{about})){{0,4}} (?P<what>.+?)(?: (?:{again})){{0,3}}",
    "heard": (
        r"\A{polite}(?:{may_speak}) (?:(?P<back>{back_to}) )?(?:{speak})(?: (?:{about})){{0,4}} "
        r"(?P<what>.+?)(?P<again>(?: (?:{once_more})){{0,3}})"
    ),
    "asked": (
        "{polite}(?:{ask_to})?(?:{forget_verb})(?: .{{1,120}})?"
        "|{polite}(?:{may})?(?:{forget}) (?:{everything}).{{0,120}}"
    ),
    "other": "{polite}(?:(?:{not_this})[ ,.!]{{1,3}}){{0,3}}(?:{other})" + _END + "{polite}",
    "anyway": "(?:{anyway})",
    # How every wish for silence begins, so that most texts are looked at once and not by each frame.
    "silence": "{polite}(?:{ask_to})?(?:{may})?(?:{forget_verb}|{forget}|{hush}|{may_speak}|{decline})",
}
"""A piece between braces is filled with the words of one language; doubled braces are those of a pattern."""
_BARE: Final[tuple[Wish, ...]] = ("save", "forget", "suppress", "correct")


@cache
def _forms(name: str) -> Forms:
    """A frame with the words of each language; courtesies of all languages mix."""
    polite = joined(*(control_of(code).words.polite for code in CODES))
    tables = [msgspec.structs.asdict(control_of(code).words) for code in CODES]
    return tuple(
        re.compile(_FRAMES[name].format(**table | {"polite": f"(?:(?:{polite})[ ,]{{0,3}}){{0,6}}"}))
        for table in tables
    )


@cache
def _righted() -> Forms:
    oops, now = joined(*(control_of(code).righting.oops for code in CODES)), filled("{now}")
    return tuple(
        re.compile(
            rf"\A(?:(?:{oops})[,.! ]{{1,4}}){{0,6}}(?:(?:{words.actually})[,.! ]{{1,4}}){{0,6}}"
            rf"(?<=[,.! ])(?:{now} )?(?:{words.is_})(?: {now})? (?P<value>\S.{{0,59}})",
            re.IGNORECASE,
        )
        for words in (control_of(code).righting for code in CODES)
    )


def _full(forms: Iterable[re.Pattern[str]], text: str) -> re.Match[str] | None:
    return next((match for form in forms if (match := form.fullmatch(text))), None)


def _begins(forms: Iterable[re.Pattern[str]], text: str) -> bool:
    return any(form.match(text) for form in forms)


def bare_wish(message: ParsedMessage) -> Wish | None:
    """The wish of a message that names nothing but "this"."""
    if not _is_short(message):
        return None
    if _full(_forms("declined"), message.plain):
        return None
    return next((wish for wish in _BARE if _full(_forms(wish), message.plain)), None)


def asks_for_silence(message: ParsedMessage) -> bool:
    """Return whether a message only asks to forget or not to mention something: it states nothing."""
    if not _is_short(message):
        return False
    if not _begins(_forms("silence"), message.plain):
        return False
    named = any(_full(_forms(name), message.plain) for name in ("asked", "named"))
    return named or bare_wish(message) in ("forget", "suppress") or spoken_again(message) is not None


def declined(message: ParsedMessage) -> bool:
    """Return whether a message only asks not to keep what was just said: "não guarda isso"."""
    return _is_short(message) and _full(_forms("declined"), message.plain) is not None


def means_other(message: ParsedMessage) -> bool:
    """Return whether a message only says that another one of several was meant: "não, a outra"."""
    return _is_short(message) and _full(_forms("other"), message.plain) is not None


def insisted(message: ParsedMessage) -> bool:
    """Return whether a message insists on keeping what was refused: "guarda mesmo assim"."""
    return bare_wish(message) == "save" and any(form.search(message.plain) for form in _forms("anyway"))


def known_again(message: ParsedMessage) -> str | None:
    """Return what a message allows to be remembered again: "pode lembrar do meu telefone de novo"."""
    match = _full(_forms("known_again"), message.plain) if _is_short(message) and "?" not in message.raw else None
    return match["what"] if match else None


def undoes(message: ParsedMessage) -> bool:
    """Return whether a message asks to undo what was just done: "desfaz isso", "undo that, keep the car".

    Beside other words the reader must see the wish too, and nothing stated: "undo that, I live in Leeds" tells
    something to keep.
    """
    if not _is_short(message):
        return False
    if _full(_forms("undo"), message.plain) is not None:
        return True
    clauses = (clause.strip() for clause in _CLAUSE_END.split(message.plain))
    requested = any(
        _full(_forms("undo"), clause.removeprefix(lead)) for clause in clauses for lead in _leads(clause)
    )
    if not requested:
        return False
    return message.chance("undo") >= LIKELY_UNDOES and not message.statements


def _leads(clause: str) -> tuple[str, str]:
    """Return what may stand before a wish in its clause: nothing, or one word ("actually undo that")."""
    first, space, _ = clause.partition(" ")
    return "", first + space


def righted(message: ParsedMessage) -> str | None:
    """The right value that a message gives and nothing else: "no, it's 67", "na verdade é Olinda"."""
    match = _full(_righted(), " ".join(message.raw.split())) if _is_short(message) else None
    return without_article(match["value"].strip(_EDGES)) if match else None


def without_article(value: str) -> str:
    """Return a name without the article before it."""
    return _ARTICLE.sub("", value)


def replaces(value: object, other: object) -> bool:
    """Return whether one value can replace another by its form: a figure for a figure, a name for a name."""
    if not isinstance(value, str) or not isinstance(other, str) or not value or len(value.split()) > VALUE_WORDS:
        return False
    if any(map(str.isdigit, value)) or any(map(str.isdigit, other)):
        return any(map(str.isdigit, value)) and any(map(str.isdigit, other))
    return value[0].isupper() or (" " not in value and not other[0].isupper())


def silenced_topic(message: ParsedMessage) -> str | None:
    """Return what a message asks never to be mentioned, where it names it: "não fala mais do meu divórcio"."""
    if not _is_short(message):
        return None
    match = _full(_forms("named"), message.plain)
    return match["what"] if match and "?" not in message.raw else None


def spoken_again(message: ParsedMessage) -> str | None:
    """Return what a message lets be mentioned again, where it names it: "pode falar do meu cachorro de novo"."""
    match = _full(_forms("heard"), message.plain) if _is_short(message) and "?" not in message.raw else None
    again = match is not None and (match["again"] or match["back"])
    return match["what"] if match is not None and again else None


def _is_short(message: ParsedMessage) -> bool:
    return len(message.raw) <= POINTING_CHARACTERS
