"""Boundaries of names: capitals that belong together, without the word that only opens a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from rememora.knowledge.mentions.gazetteer import flat, gazetteer
from rememora.language.phrases import filled, phrase, plain_words
from rememora.language.wordlists import is_stop

_WORD: Final = (
    r"(?:S[./]A(?!\w)|(?:(?:St|Ste|Mt|Ft)\. )?[A-ZÀ-ÖØ-Þ][\w&-]{0,40}(?:['’](?!s(?!\w))[\w&-]{1,40}){0,2})"
)
JOINED: Final = filled(rf"{_WORD}(?: (?:(?:{{name_joint}}|{{and}}|&) |d['’])?{_WORD}){{0,11}}")
# The letters of a currency (`R$`) are no name.
_NAME: Final = re.compile(rf"(?<![\w'’])(?![A-Z]{{1,3}}\$){JOINED}")
_AND: Final = phrase(r" (?:{and}|&) ")
_PARTICLE: Final = phrase(r" ({name_joint}) ")
_OF_FIRM: Final = plain_words("of_firm")
_SENTENCE_OPENS: Final = re.compile(r"(?:^|[.!?:;…\n\"“”«»(\[*•>–—-])\s{0,4}$")
_LAST_WORD: Final = re.compile(r"(?<![\w/.'’-])([\w/.'’-]+)[\s:]*$")
# `à` is no article: it says to whom, and that may be anybody.
_ARTICLE: Final = re.compile(r"(?<!\w)[oaOA] $")
_REACH = 60


class Name(msgspec.Struct, frozen=True):
    """Capitals that belong together; `of` says that a person precedes them, joined by `da` or `do`."""

    text: str
    start: int
    before: str
    after: str
    opens: bool
    article: bool
    of: bool = False

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.start + len(self.text)

    @property
    def called(self) -> bool:
        """Return whether it begins like a person's name."""
        return self.words[0] in gazetteer().first_names

    @property
    def words(self) -> list[str]:
        return flat(self.text).split()

    @property
    def previous(self) -> str:
        """The word before it."""
        last = _LAST_WORD.search(self.before)
        return last.group(1) if last else ""


def capitals(text: str, folded: str, language: str) -> Iterator[Name]:
    """Every run of capitals that may be a name, taken apart where it is more than one."""
    for match in _NAME.finditer(text):
        start = match.start() + _opening(match.group(), opens=opens_sentence(text, match.start()))
        for at, end, of in _taken_apart(text, start, match.end()) if start < match.end() else ():
            before, after = folded[max(0, at - _REACH) : at], folded[end : end + _REACH]
            article = language == "pt" and _ARTICLE.search(text[max(0, at - 3) : at]) is not None
            yield Name(text[at:end], at, before, after, opens_sentence(text, at), article, of)


def opens_sentence(text: str, at: int) -> bool:
    """Return whether a sentence begins there, so that a capital says nothing."""
    return _SENTENCE_OPENS.search(text[max(0, at - 3) : at] if at else "") is not None


def _opening(name: str, *, opens: bool) -> int:
    """Length of the words that only look like part of the name: a small word, a title, a verb before a name."""
    at = 0
    while at < len(name) and flat(name[at:]) not in gazetteer().places:
        first, space, rest = name[at:].partition(" ")
        if not _only_opens(flat(first), flat(rest).split(), opens=opens):
            break
        at += len(first) + len(space)
    return at


def _only_opens(word: str, rest: list[str], *, opens: bool) -> bool:
    table = gazetteer()
    small = re.split("['’]", word)[0]
    if (len(small) == 1 or "'" in word or "’" in word) and is_small(small):
        return True
    if rest and word in table.place_openings:
        return False
    if opens and is_small(word):
        return True
    if not rest or _PARTICLE.match(f" {rest[0]} "):
        return False
    return word in table.before_people or (opens and (word in table.ordinary or _calls(word, rest[0])))


def _calls(word: str, following: str) -> bool:
    """`Encontrei Maria`: a word that is no name, at the beginning, before one that is."""
    table = gazetteer()
    named = table.first_names | table.organization_kinds | table.campaign_kinds | table.metrics.keys()
    return word in table.asked | table.used or (word not in named and following in table.first_names)


def is_small(word: str) -> bool:
    """Return whether it is a function word of either language."""
    return is_stop(word)


def _taken_apart(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    name = text[start:end]
    cuts = [] if flat(name) in gazetteer().places or _is_one_firm(name) else list(_AND.finditer(name))
    begin = 0
    for stop, following in [*((cut.start(), cut.end()) for cut in cuts), (len(name), len(name))]:
        # `Ana and I'm`: what follows may be no name either.
        begin += _opening(name[begin:stop], opens=False) if begin else 0
        yield from _apart_from_firm(text, start + begin, start + stop)
        begin = following


def _is_one_firm(name: str) -> bool:
    """`Barros e Filhos Ltda` and `Johnson & Johnson` are one; `Ana e Carlos` are two."""
    table = gazetteer()
    parts = [part.split() for part in _AND.split(flat(name))]
    called = [part[0] in table.first_names for part in parts]
    first, last = parts[0], parts[-1]
    if last[-1].strip(".") in table.organization_suffixes | table.organization_endings:
        return not called[0] or last[0] in table.organization_endings
    if first[0] in table.organization_kinds:
        return not any(called[1:]) and last[0] not in table.organization_kinds
    return " & " in name and not all(called)


def _apart_from_firm(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """A person, and behind `da` or `do` the firm or the place that they are of."""
    name = text[start:end]
    first = flat(name).split()[:1]
    if first and first[0] not in gazetteer().organization_kinds:
        called = first[0] in gazetteer().first_names
        article = _ARTICLE.search(text[max(0, start - 3) : start]) is not None
        for particle in _PARTICLE.finditer(name):
            head, tail = name[: particle.start()], name[particle.end() :]
            words = flat(tail).split()
            if _is_firm(words) or (called and _is_elsewhere(words, particle[1], informal=article or " " in head)):
                yield start, start + particle.start(), False
                yield start + particle.end(), end, True
                return
    if name:
        yield start, end, False


def _is_firm(words: list[str]) -> bool:
    table = gazetteer()
    ends = words[-1].strip(".") in table.organization_suffixes | table.organization_endings
    return len(words) > 1 and (ends or words[0] in table.organization_kinds)


def _is_elsewhere(tail: list[str], particle: str, *, informal: bool) -> bool:
    """Return whether the words after a particle are not a family name."""
    table = gazetteer()
    if tail[0] in table.family_names:
        return False
    return " ".join(tail) in table.places or (informal and particle in _OF_FIRM)
