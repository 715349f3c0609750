"""Sentences of a conversation and what each is worth keeping for: figures, names, decisions, preferences."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any, Final

import msgspec

from rememora.language import content_words, detect, fold, split

LONGEST_LINE = 300
LETTERS_READ = 4_000
_END: Final = re.compile(r"[.!?…]+[\"')\]»”’]*(?=\s)|\n+|\s+[•·–—*-]\s+(?=\S)")
_BULLET: Final = re.compile(r"^(?:[•·–—*>#-]+|\d{1,2}[.)])\s+")
_SPACES: Final = re.compile(r"\s+")
_WORD: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_MONEY: Final = re.compile(
    r"(?:r\$|us\$|[$€£])\s?\d|\d\s?%|\d+ (?:mil|reais|dolares|thousand|million|milhoes|percent|por cento)\b"
)
_FIGURE: Final = re.compile(r"\d+(?:[.,:/]\d+)*")
_NAME: Final = re.compile(r"(?<=[^\s.!?:…] )(?!I['’ ])[A-ZÀ-ÖØ-Þ][^\W\d_]+(?:[ -][A-ZÀ-ÖØ-Þ][^\W\d_]+)*")


class Cues(msgspec.Struct, frozen=True):
    """The phrase tables, compiled."""

    weighed: tuple[tuple[str, float, re.Pattern[str]], ...]
    filler: frozenset[str]
    negation: frozenset[str]
    when: frozenset[str]
    abbreviations: frozenset[str]


class Sentence(msgspec.Struct, frozen=True, kw_only=True):
    """One sentence by one side, with what was seen in it."""

    role: str
    text: str
    place: int
    words: frozenset[str]
    figures: frozenset[str]
    cues: frozenset[str]
    negated: bool
    filler: bool
    worth: float


@cache
def cues() -> Cues:
    """The phrase tables; read at the first sentence, not at import."""
    table: dict[str, Any] = tomllib.loads((files(__package__) / "cues.toml").read_text(encoding="utf-8"))
    weighed = tuple(
        (name, float(part["weight"]), re.compile(rf"(?<!\w)(?:{'|'.join(part['patterns'])})(?!\w)"))
        for name, part in table.items()
        if "patterns" in part
    )
    lists = {name: frozenset(fold(part["words"]).split()) for name, part in table.items() if "words" in part}
    return Cues(weighed, lists["filler"], lists["negation"], lists["when"], lists["abbreviations"])


def split_sentences(text: str) -> Iterator[str]:
    """The sentences of a text in order, whitespace tidied; abbreviations and figures do not end one."""
    text = text[:LETTERS_READ]
    start = 0
    for end in _END.finditer(text):
        if _ends(text, start, end):
            yield from _tidy(text[start : end.end()])
            start = end.end()
    yield from _tidy(text[start:])


def see(text: str, *, role: str, place: int) -> Sentence:
    """What a sentence holds, and what that is worth."""
    folded = fold(text).replace("’", "'")
    table = cues()
    plain = frozenset(_WORD.findall(folded))
    words = frozenset(content_words(split(text), detect(text)))
    found = frozenset(name for name, _, pattern in table.weighed if pattern.search(folded))
    figures = frozenset(_FIGURE.findall(folded))
    filler = not figures and plain <= table.filler
    worth = sum(weight for name, weight, _ in table.weighed if name in found)
    worth += _substance(text, folded, words, figures) + (0.6 if plain & table.when else 0.0)
    worth += _of_role(text, role, words)
    return Sentence(
        role=role,
        text=text,
        place=place,
        words=words,
        figures=figures,
        cues=found,
        negated=bool(plain & table.negation),
        filler=filler,
        worth=worth,
    )


def accepts(text: str) -> bool:
    """Whether an answer begins by saying yes to what was proposed."""
    folded = fold(text[:LETTERS_READ]).replace("’", "'").lstrip(" ¡!.,-")
    table = cues()
    acceptance = next(pattern for name, _, pattern in table.weighed if name == "acceptance")
    first = _WORD.findall(folded)[:6]
    return acceptance.match(folded) is not None and not table.negation.intersection(first)


def same_thing(one: Sentence, other: Sentence) -> bool:
    """Whether two sentences say the same: shared words, the same figures, and both or neither deny it."""
    if one.negated != other.negated or not one.words or not other.words:
        return one.text == other.text
    smaller = one if len(one.words) <= len(other.words) else other
    larger = other if smaller is one else one
    if not smaller.figures <= larger.figures:
        return False
    return len(one.words & other.words) >= 0.75 * len(smaller.words)


def clip(text: str, characters: int) -> str:
    """The beginning of a text, cut between words and marked as cut."""
    if len(text) <= characters:
        return text
    head = text[: characters - 1]
    whole = head.rpartition(" ")[0]
    return (whole if len(whole) > characters // 2 else head).rstrip(" ,;:-") + "…"


def _substance(text: str, folded: str, words: frozenset[str], figures: frozenset[str]) -> float:
    worth = min(len(words), 8) * 0.12
    if _MONEY.search(folded):
        worth += 1.5
    elif figures:
        worth += 0.8
    return worth + 0.8 * min(len(_NAME.findall(text)), 2)


def _of_role(text: str, role: str, words: frozenset[str]) -> float:
    if role == "tool":
        return -1.0
    if role == "user":
        return 1.5 if "?" in text and len(words) > 1 else 0.4
    return 0.0


def _ends(text: str, start: int, end: re.Match[str]) -> bool:
    if end.group() != ".":
        return True
    before = text[start : end.start()].rpartition(" ")[2]
    if before.lower() in cues().abbreviations or (len(before) == 1 and before.isupper()):
        return False
    following = text[end.end() :].lstrip()[:1]
    return not following.islower()


def _tidy(piece: str) -> Iterator[str]:
    text = _BULLET.sub("", _SPACES.sub(" ", piece).strip())
    if any(sign.isalnum() for sign in text):
        yield clip(text, LONGEST_LINE)
