"""Names with a meaning: people, organisations, products, places and campaigns, told by capitals and company."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from rememora.knowledge.mentions.capitals import JOINED, Name, capitals
from rememora.knowledge.mentions.firms import employer, firm
from rememora.knowledge.mentions.gazetteer import any_of, flat, gazetteer
from rememora.knowledge.mentions.mention import Mention, mention
from rememora.knowledge.mentions.people import is_no_name, person
from rememora.knowledge.mentions.places import known_place, place

_QUOTED: Final = r"[\"“'‘«](?P<quoted>[^\"”'’»\n]{2,60})[\"”'’»]"
_NEXT: Final = re.compile(r",? (?:e|and|&)(?: (?:com )?[oa])? ")
_OF_WHOM: Final = re.compile(r",? (?:at|from|d[ao]) ")
_SHY: Final = re.compile(
    r"(?<!\w)(?:me chamo|meu nome e|my name is|sou [ao]|i['’]m|i am|aqui e [ao]) (?P<name>[a-z]+)"
    r"(?=\s*(?:$|[,.!;\n]| e | and | d[ao] | from | at ))"
)
_MODEL: Final = re.compile(
    r"(?<!\w)(?:um|uma|a|an|my|meu|minha|nov[oa]|new|[Oo]|[Aa]) "
    r"(?P<name>(?:[a-z]?[A-Z]\w+ ){1,2}(?:\d{1,4}|[A-Z]+\d+)(?: (?:Pro|Max|Plus|Ultra|Mini|Air))*)(?!\w)"
)


def names(text: str, folded: str) -> Iterator[Mention]:
    """Every name that the rules can place; a capital alone is no reason."""
    yield from _campaigns(text, folded)
    yield from _capitalised(text, folded)
    yield from _shy(text, folded)
    yield from _models(text)
    for match in _known_products().finditer(folded):
        yield mention(
            "product", match.group(), text[match.start() : match.end()], confidence=0.9, span=match.span()
        )


def _capitalised(text: str, folded: str) -> Iterator[Mention]:
    last: Mention | None = None
    for name in capitals(text, folded):
        gap = text[last.span[1] : name.start] if last is not None else ""
        last = _placed(name) or (None if last is None else _beside(name, last, gap))
        if last is not None:
            yield last


def _placed(name: Name) -> Mention | None:
    """What kind of thing a capitalised name is, by the name itself, then by the words before it."""
    for kind, judge in _JUDGES:
        if confidence := judge(name):
            return mention(kind, name.text, name.text, confidence=confidence, span=name.span)
    return None


def _beside(name: Name, last: Mention, gap: str) -> Mention | None:
    """What is joined to a person or a place by `and` is one too; what a person is `at` or `from` is a firm."""
    if name.text.isupper() or is_no_name(name.words):
        return None
    if last.type in ("person", "place") and _NEXT.fullmatch(gap):
        return mention(last.type, name.text, name.text, confidence=0.65, span=name.span)
    if last.type == "person" and _OF_WHOM.fullmatch(gap):
        return mention("organization", name.text, name.text, confidence=0.65, span=name.span)
    return None


def _product(name: Name) -> float:
    return 0.8 if name.previous in gazetteer().product_kinds else 0.0


# The first that is sure of a name has it.
_JUDGES: Final = (
    ("place", known_place),
    ("organization", firm),
    ("place", place),
    ("organization", employer),
    ("product", _product),
    ("person", person),
)


def _shy(text: str, folded: str) -> Iterator[Mention]:
    """People who introduce themselves in lower case."""
    for match in _SHY.finditer(folded):
        said = text[match.start("name") : match.end("name")]
        if said.islower() and match["name"] in gazetteer().first_names:
            yield mention("person", said, said, confidence=0.8, span=match.span("name"))


def _models(text: str) -> Iterator[Mention]:
    """Things with a model number: `um iPhone 15`, `a Galaxy S24`."""
    table = gazetteer()
    for match in _MODEL.finditer(text):
        name = match["name"]
        if flat(name).split()[0] not in table.ordinary | table.months.keys() | table.metrics.keys():
            yield mention("product", name, name, confidence=0.9, span=match.span("name"))


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
        rf"(?: (?:de|da|do|vai|se|chamar|chama|chamada|called|named)){{0,3}}:? (?:{_QUOTED}|(?P<name>{JOINED}))"
    )


@cache
def _known_products() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{any_of(gazetteer().products)})(?!\w)")
