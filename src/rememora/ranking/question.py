"""Reads a question: its words, the names in it, the time it means, and whose words it asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from functools import cache
from typing import Final

import msgspec

from rememora.language import forms, split
from rememora.language.packs import CODES, asked_in, questions_of, words_of
from rememora.language.parsed import ParsedText
from rememora.language.wordlists import UNTOLD
from rememora.ranking.when import TimeSpan, resolve

_OF_ASSISTANT: Final = re.compile(asked_in("of_assistant"))
_BETWEEN_US: Final = re.compile(asked_in("between_us"))
_MINE: Final = re.compile(asked_in("mine"))
_ADDRESSED: Final = tuple(piece for code in CODES for piece in questions_of(code).addressed)


OF_TIMES: Final = frozenset[str]().union(*(words_of(code).of_times for code in CODES))
"""Said of a time, none of these is what a turn of that time would say."""
IDLE: Final = OF_TIMES.union(*(words_of(code).asking for code in CODES))
"""`O que eu disse ontem?`, `what happened last May?`: such a question wants everything of that time."""


Stems = tuple[str, ...]
NO_SPEAKERS: Final[Mapping[str, int]] = {}
# All of them are looked for in a folded text, where letters are as good as always those of ASCII.
_LATEST: Final = re.compile(rf"\b(?:{asked_in('latest')})\b", re.ASCII)
_PAST: Final = re.compile(rf"\b(?:{asked_in('past')})\b", re.ASCII)
# `Does she have a dog?` asks what holds: the past is in `has she had a dog?`.
_HOLDS: Final = re.compile(rf"\b(?:{asked_in('holds')})\b", re.ASCII)


class ParsedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A query, understood without a model."""

    text: str
    language: str
    terms: tuple[str, ...]
    # Codes of the speakers whom it names.
    named: frozenset[int] = frozenset()
    span: TimeSpan | None = None
    of_assistant: bool = False
    wants_latest: bool = False
    # It asks for nothing but a time.
    of_time: bool = False
    # It names a time that is over, or is put in the past tense.
    of_past: bool = False
    # It has names, and nobody said or bears any of them.
    of_unknown: bool = False


def understand(
    query: ParsedText,
    *,
    now: datetime,
    spoken: tuple[str, ...] = ("pt",),
    holds: Callable[[str], bool] = lambda _: True,
    kin: Callable[[str], Collection[object]] = lambda _: (),
    speakers: Mapping[str, int] = NO_SPEAKERS,
) -> ParsedQuestion:
    """Read a query as asked at `now`, in one of the languages `spoken` where its language is unclear.

    `holds` returns whether some row has a stem, `kin` which stems begin like one, and `speakers` has the folded
    names of who speaks.
    """
    languages = spoken if query.language is None else (query.language,)
    others, folded, words = _beside(languages), query.compared, query.words
    telling = _telling({word: stems for word in words if (stems := forms(word, languages))}, speakers)
    meant = resolve(query, now=now, language=languages[0])
    # Words that named the time ("last week") have done their part: they say nothing about what was said then.
    rest = frozenset(words if meant is None else split(meant.rest))
    remaining = telling.keys() & rest
    if meant is not None:
        telling = {word: stems for word, stems in telling.items() if word in remaining or word not in OF_TIMES}
    # Nothing but a time is asked for: any turn of that time answers.
    of_time = meant is not None and remaining <= IDLE
    return ParsedQuestion(
        text=query.raw,
        language=languages[0],
        terms=tuple(term for word, stems in telling.items() for term in _terms(word, stems, others, holds)),
        named=frozenset(map(speakers.__getitem__, speakers.keys() & words)),
        span=None if meant is None else meant.span,
        of_assistant=wants_assistant(folded, of_time=of_time),
        wants_latest=bool(_LATEST.search(folded)),
        of_time=of_time,
        of_past=meant is not None or _is_past(folded),
        of_unknown=are_unknown(
            [name for name in names_in(query) if name in rest and forms(name, languages)],
            lambda name: name in speakers or any(holds(stem) or kin(stem) for stem in forms(name)),
        ),
    )


@cache
def _beside(languages: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(code for code in UNTOLD if code not in languages)


def _is_past(folded: str) -> bool:
    return _PAST.search(_HOLDS.sub("", folded) if " have" in folded else folded) is not None


def _telling(content: dict[str, Stems], speakers: Mapping[str, int]) -> dict[str, Stems]:
    """The words to look for: the names of speakers give way to any other word."""
    if speakers.keys().isdisjoint(content):
        return content
    return {word: stems for word, stems in content.items() if word not in speakers} or content


def _terms(word: str, stems: Stems, others: tuple[str, ...], holds: Callable[[str], bool]) -> list[str]:
    """Stems of a word that some row says, in the languages of the question or else in others; or its first."""
    held = [*filter(holds, stems)]
    if not held and others:
        held = [*filter(holds, forms(word, others))]
    return held or [*stems[:1]]


def wants_assistant(folded: str, *, of_time: bool = False) -> bool:
    """Return whether a folded question asks for what the assistant said.

    A question about nothing but what both said at a time includes the user's part.
    """
    if not any(piece in folded for piece in _ADDRESSED):
        return False
    if _OF_ASSISTANT.search(folded):
        return True
    return not of_time and _BETWEEN_US.search(folded) is not None and not _MINE.search(folded)


# A name with what is written together with it: "D'Ávila", "Jean-Luc".
_WORD: Final = re.compile(r"[^\W\d_][\w'’-]*")
_OPENS: Final = re.compile(r"(?:^|(?<=\w{3})\.|[!?:;\n\"“”«(])\s{0,3}$")
"""Before a word that is capital for its place: the first of a sentence or of a quotation."""
_ADDRESS: Final = re.compile(r"^\W{0,3}(?:[\w']{1,12} ){0,2}[\w'-]{2,20} ?[,!]|, ?[\w'-]{2,20} ?[.!?]{0,3}$")
"""Whom a question is put to, which is not whom it is about: `Oi Alexa, onde eu moro?`, `where do I live, Max?`."""
_LEAST_LETTERS: Final = 3
_MOST_CAPITALS: Final = 0.5
"""Share of capital words from which on a question is written in capitals, or as a title, and tells no name."""


def names_in(query: ParsedText) -> list[str]:
    """Return the folded capital words of a question that open no sentence and address nobody."""
    about = _ADDRESS.sub("", query.raw.strip(), count=2)
    words = list(_WORD.finditer(about))
    capital = [word for word in words if word[0][0].isupper() and len(word[0]) > 1]
    inside = [word[0] for word in capital if not _OPENS.search(about, max(0, word.start() - 6), word.start())]
    if len(inside) > _MOST_CAPITALS * len(words):
        return []
    return [part for name in inside if len(name) >= _LEAST_LETTERS for part in split(name)]


def are_unknown(names: Collection[str], knows: Callable[[str], bool]) -> bool:
    """Return whether there are names, and none of them is known."""
    return bool(names) and not any(map(knows, names))
