"""Names that capitals alone do not show: in lower case, with a model number, or a firm behind an apostrophe."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from rememora.knowledge.mentions.gazetteer import any_of, flat, gazetteer
from rememora.knowledge.mentions.mention import TextMention, mention
from rememora.language.phrases import phrase

# A lower-case name is only trusted in an introduction that ends right after it.
_SHY: Final = phrase(
    r"(?<!\w)(?:{introduced}|{presented}) (?P<name>[a-z]+)(?=\s*(?:$|[,.!;\n]| (?:{and}|{of_whom}) ))"
)
# One or two capitalised words and a model number; the article keeps sentence starts out.
_MODEL: Final = phrase(
    r"(?<!\w){model_article} "
    r"(?P<name>(?:[a-z]?[A-Z]\w+ ){1,2}(?:\d{1,4}|[A-Z]+\d+)(?: (?:Pro|Max|Plus|Ultra|Mini|Air))*)(?!\w)"
)


def unmarked(text: str, folded: str, language: str) -> Iterator[TextMention]:
    """Every name of these kinds."""
    yield from _shy(text, folded)
    yield from _models(text)
    for match in _owned().finditer(text):
        yield mention("organization", match["name"], match["name"], confidence=0.95, span=match.span("name"))
    for match in _known_products().finditer(folded):
        said = text[match.start() : match.end()]
        if language != "en" or said != said.lower() or said not in gazetteer().product_words:
            yield mention("product", said, said, confidence=0.9, span=match.span())


def _shy(text: str, folded: str) -> Iterator[TextMention]:
    """People who write in lower case: who they are, and places known by heart."""
    for match in _SHY.finditer(folded):
        said = text[match.start("name") : match.end("name")]
        if said.islower() and match["name"] in gazetteer().first_names:
            yield mention("person", said, said, confidence=0.8, span=match.span("name"))
    for match in _small_places().finditer(folded):
        said = text[match.start("name") : match.end("name")]
        if said.islower():
            yield mention("place", said, said, confidence=0.75, span=match.span("name"))


def _models(text: str) -> Iterator[TextMention]:
    """Things with a model number: `um iPhone 15`, `a Galaxy S24`."""
    table = gazetteer()
    for match in _MODEL.finditer(text):
        name = match["name"]
        if (
            flat(name).split()[0]
            not in table.ordinary | table.months.keys() | table.metrics.keys() | table.numbered
        ):
            yield mention("product", name, name, confidence=0.9, span=match.span("name"))


@cache
def _small_places() -> re.Pattern[str]:
    table = gazetteer()
    # `rio` begins many a name.
    sure = table.places - table.first_names - table.family_names - table.ordinary - {"rio"}
    return phrase(rf"(?<!\w){{in_town}} (?P<name>{any_of(sure)})(?!\w)")


@cache
def _owned() -> re.Pattern[str]:
    """`Pat's Bakery`: an apostrophe within the name of a firm."""
    kinds = any_of(gazetteer().organization_kinds | gazetteer().organization_suffixes)
    return re.compile(
        rf"(?<![\w'’])(?P<name>[A-Z][\w&-]{{0,40}}['’]s (?:[A-Z]\w{{0,40}} ){{0,4}}(?=[A-Z])(?i:{kinds}))(?!\w)"
    )


@cache
def _known_products() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{any_of(gazetteer().products)})(?!\w)")
