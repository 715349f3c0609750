"""Classifies names: people, organisations, products, places and campaigns, by capitals and context."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from rememora.knowledge.mentions.capitals import JOINED, Name, capitals, is_small, opens_sentence
from rememora.knowledge.mentions.firms import employer, firm
from rememora.knowledge.mentions.gazetteer import any_of, flat, gazetteer
from rememora.knowledge.mentions.mention import TextMention, mention
from rememora.knowledge.mentions.people import is_no_name, person
from rememora.knowledge.mentions.places import known_place, place
from rememora.knowledge.mentions.unmarked import unmarked
from rememora.language.phrases import filled, phrase

_QUOTED: Final = r"[\"“'‘«](?P<quoted>[^\"”'’»\n]{2,60})[\"”'’»]"
# What a campaign is called may go on behind a small word, where a person's name would end.
_LINK: Final = filled(r" {title_link} ")
_TITLE: Final = rf"{JOINED}(?:{_LINK}{JOINED}){{0,2}}"
_NEXT: Final = phrase(r",? (?:{and}|&)(?: {next_article})? ")
_ENDS: Final = re.compile(r"\s*(?:$|[,.;)\n])")
_OF_WHOM: Final = phrase(r",? {of_whom} ")


def names(text: str, folded: str, language: str) -> Iterator[TextMention]:
    """Find every name that the rules can classify; a capital alone is not enough."""
    yield from _campaigns(text, folded)
    yield from _capitalised(text, folded, language)
    yield from unmarked(text, folded, language)


def _capitalised(text: str, folded: str, language: str) -> Iterator[TextMention]:
    last: TextMention | None = None
    for name in capitals(text, folded, language):
        gap = text[last.span[1] : name.start] if last is not None else ""
        last = _placed(name) or (None if last is None else _beside(name, last, gap))
        if last is not None:
            yield last


def _placed(name: Name) -> TextMention | None:
    """Classify a capitalised name, by the name itself, then by the words before it."""
    for kind, judge in _JUDGES:
        if confidence := judge(name):
            return mention(kind, name.text, name.text, confidence=confidence, span=name.span)
    return None


def _beside(name: Name, last: TextMention, gap: str) -> TextMention | None:
    """Classify a name by its neighbour: `and` joins things of one kind; a person is `at` or `from` a firm."""
    if name.text.isupper() or is_no_name(name.words):
        return None
    within = last.type == "place" and gap == ", " and _ENDS.match(name.after) and not name.called
    listed = _NEXT.fullmatch(gap) or within
    if last.type in ("person", "place", "product") and listed:
        return mention(last.type, name.text, name.text, confidence=0.65, span=name.span)
    if last.type == "person" and _OF_WHOM.fullmatch(gap):
        return mention("organization", name.text, name.text, confidence=0.65, span=name.span)
    return None


def _known_product(name: Name) -> float:
    return 0.9 if " ".join(name.words) in gazetteer().products else 0.0


def _product(name: Name) -> float:
    if name.previous in gazetteer().product_kinds and not name.called:
        return 0.8
    used = _is_used().search(name.before) is not None and not name.called
    return 0.65 if used and not is_no_name(name.words) else 0.0


# The first that is sure of a name has it.
_JUDGES: Final = (
    ("product", _known_product),
    ("place", known_place),
    ("organization", firm),
    ("place", place),
    ("organization", employer),
    ("product", _product),
    ("person", person),
)


def _campaigns(text: str, folded: str) -> Iterator[TextMention]:
    for kind in _campaign_kinds().finditer(folded):
        named = _campaign_name().match(text, kind.end())
        if named is not None:
            start, end = named.span("quoted" if named["quoted"] else "name")
            yield _campaign(text, start, end if named["quoted"] else start + _title_length(named["name"]))
    for match in _named_campaign().finditer(text):
        if not is_small(flat(match["name"])):
            length = _last_title_length(
                match["name"], opens=opens_sentence(text, match.start()) and not match["the"]
            )
            yield _campaign(text, match.end("name") - length, match.end("name"))


def _campaign(text: str, start: int, end: int) -> TextMention:
    return mention("campaign", text[start:end], text[start:end], confidence=0.95, span=(start, end))


def _title_length(title: str) -> int:
    """Return the length of the title proper: `Girassol em Campinas` is `Girassol`, and where it runs."""
    for link in re.finditer(_LINK, title):
        if _is_apart(title[link.end() :]):
            return link.start()
    return len(title)


def _last_title_length(title: str, *, opens: bool) -> int:
    """The same where the title stands last: of `Bob to Summer Sale` Bob is none of it, nor is `Switch to`."""
    links = [
        link
        for link in re.finditer(_LINK, title)
        if opens or not gazetteer().first_names.isdisjoint(flat(title[: link.start()]).split())
    ]
    return len(title) - (links[-1].end() if links else 0)


def _is_apart(part: str) -> bool:
    """Return whether a part of a title is a place, a person, a firm, a product or a month of its own."""
    table, words = gazetteer(), flat(part).split()
    known = table.places | table.products | table.organizations | table.months.keys()
    begins = any(" ".join(words[:end]) in known for end in range(1, len(words) + 1))
    return begins or words[0] in table.first_names | table.organization_kinds | table.place_openings


@cache
def _campaign_kinds() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{any_of(gazetteer().campaign_kinds)})(?!\w)")


@cache
def _campaign_name() -> re.Pattern[str]:
    return phrase(rf"(?: {{campaign_link}}){{0,3}}:? (?:{_QUOTED}|(?P<name>{_TITLE}))")


@cache
def _named_campaign() -> re.Pattern[str]:
    """English names a campaign before it says that it is one."""
    return phrase(rf"(?<![\w'’])(?P<the>{{campaign_article}} )?(?P<name>{_TITLE}) {{campaign_noun}}(?!\w)")


@cache
def _is_used() -> re.Pattern[str]:
    return phrase(rf"(?<!\w)(?:{any_of(gazetteer().used)})(?: {{name_article}})?\s*$")
