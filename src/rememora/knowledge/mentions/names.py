"""Names with a meaning: people, organisations, products, places and campaigns, told by capitals and company."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from rememora.knowledge.mentions.gazetteer import any_of, flat, gazetteer
from rememora.knowledge.mentions.mention import Mention, mention
from rememora.language.wordlists import STOP

_CAPITAL: Final = r"[A-ZÀ-ÖØ-Þ][\w'’&-]*"
_JOINED: Final = rf"{_CAPITAL}(?: (?:(?:d[aeo]s?|del|of|and|e|&) )?{_CAPITAL})*"
_NAME: Final = re.compile(rf"(?<![\w'’]){_JOINED}")
_QUOTED: Final = r"[\"“'‘«](?P<quoted>[^\"”'’»\n]{2,60})[\"”'’»]"
_INTRODUCTION: Final = (
    r"me chamo|meu nome (?:é|e)|my name(?: i|['’])s|sou (?:a|o)|i['’]m|i am|this is|aqui (?:é|e) (?:a|o)?"
)
_INTRODUCED: Final = re.compile(rf"(?i:{_INTRODUCTION}) (?P<name>{_JOINED})")
_LAST_WORD: Final = re.compile(r"([\w/.]+)[\s,:]*$")
_WORKS_FOR: Final = re.compile(
    r"(?:trabalho (?:n[ao]|com [ao]|para [ao])|i (?:work|run \w+) (?:at|for)|employed (?:at|by))\s*$"
)
_REACH = 60


def names(text: str, folded: str) -> Iterator[Mention]:
    """Every name that the rules can place; a capital alone is no reason."""
    yield from _campaigns(text, folded)
    for match in _INTRODUCED.finditer(text):
        if flat(match.group("name").split()[0]) not in gazetteer().ordinary:
            yield mention("person", match["name"], match["name"], confidence=0.95, span=match.span("name"))
    for match in _NAME.finditer(text):
        start = match.start() + _opening(match.group())
        before = folded[max(0, start - _REACH) : start]
        found = _placed(text[start : match.end()], before, start) if start < match.end() else None
        if found is not None:
            yield found
    for match in _known_products().finditer(folded):
        yield mention(
            "product", match.group(), text[match.start() : match.end()], confidence=0.9, span=match.span()
        )


def _opening(name: str) -> int:
    """Length of the small word that begins a sentence and only looks like part of a name."""
    first, space, _ = name.partition(" ")
    small = flat(first)
    return len(first) + len(space) if small in STOP["pt"] or small in STOP["en"] else 0


def _placed(name: str, before: str, start: int) -> Mention | None:
    """What kind of thing a capitalised name is, by the name itself, then by the words before it."""
    table = gazetteer()
    words = flat(name).split()
    span = (start, start + len(name))
    last = _LAST_WORD.search(before)
    previous = last.group(1) if last else ""
    if flat(name) in table.places or (previous in ("em", "in") and _after_living(before)):
        return mention("place", name, name, confidence=0.85, span=span)
    kind = _organization(words, previous, before)
    if kind:
        return mention("organization", name, name, confidence=kind, span=span)
    if previous in table.product_kinds:
        return mention("product", name, name, confidence=0.8, span=span)
    person = 0.0 if name.isupper() else _person(words, previous, before)
    return mention("person", name, name, confidence=person, span=span) if person else None


def _organization(words: list[str], previous: str, before: str) -> float:
    table = gazetteer()
    if words[-1].strip(".") in table.organization_suffixes and len(words) > 1:
        return 0.95
    if len(words) > 1 and words[0] in table.organization_kinds:
        return 0.9
    if previous in table.organization_kinds or _WORKS_FOR.search(before):
        return 0.85
    return 0.0


def _person(words: list[str], previous: str, before: str) -> float:
    table = gazetteer()
    if words[0] in table.ordinary | table.campaign_kinds or words[0] in table.months:
        return 0.0
    if words[0] in table.metrics or (words == words[:1] and words[0] in table.before_people):
        return 0.0
    title = previous.rstrip(".")
    if title in table.before_people:
        return 0.9
    if words[0] in table.first_names:
        return 0.85 if len(words) > 1 or before.strip() else 0.7
    # Portuguese puts an article before people's names; it does so before other names too.
    inside = before.strip() and before.rstrip()[-1] not in ".!?:"
    return 0.6 if previous in ("o", "a") and inside and len(words) == 1 else 0.0


def _after_living(before: str) -> bool:
    return any(word in gazetteer().before_places for word in before.split()[-4:])


def _campaigns(text: str, folded: str) -> Iterator[Mention]:
    for kind in _campaign_kinds().finditer(folded):
        named = _campaign_name().match(text, kind.end())
        if named is not None:
            group = "quoted" if named["quoted"] else "name"
            yield mention("campaign", named[group], named[group], confidence=0.95, span=named.span(group))


@cache
def _campaign_kinds() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{any_of(gazetteer().campaign_kinds)})(?!\w)")


@cache
def _campaign_name() -> re.Pattern[str]:
    return re.compile(
        rf"(?: (?:de|da|do|vai|se|chamar|chama|chamada|called|named)){{0,3}}:? (?:{_QUOTED}|(?P<name>{_JOINED}))"
    )


@cache
def _known_products() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{any_of(gazetteer().products)})(?!\w)")
