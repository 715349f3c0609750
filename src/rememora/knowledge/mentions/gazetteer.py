"""Gazetteer of the extraction rules: the words of `names.toml` of all packs, and folding of text to match them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

import msgspec

from rememora.language import fold
from rememora.language.pack_schema import NameFile, parse
from rememora.language.packs import CODES, calendar_of, gate_words_of, name_words_of, names_of_days, split_words

_NOT_A_WORD: Final = re.compile(r"[^a-z0-9]+")
Words = frozenset[str]


class Dealings(msgspec.Struct, frozen=True):
    """Words for having a contract with somebody."""

    hired: Words
    agreed: Words
    services: Words
    contracts: Words


class Gazetteer(msgspec.Struct, frozen=True, kw_only=True):
    """Sets of folded phrases, of all languages together: people mix them in one message."""

    first_names: Words
    family_names: Words
    before_people: Words
    spoken_with: Words
    together: Words
    asked: Words
    acts: Words
    states: Words
    state_endings: tuple[str, ...]
    organization_kinds: Words
    organizations: Words
    organization_suffixes: Words
    organization_endings: Words
    trades: Words
    partners: Words
    dealings: Dealings
    works_for: Words
    departments: Words
    products: Words
    product_words: Words
    product_kinds: Words
    numbered: Words
    used: Words
    places: Words
    place_openings: Words
    grounds: Words
    place_saints: Words
    place_endings: Words
    place_kinds: Words
    living: Words
    by_in: Words
    by_to: Words
    by_from: Words
    campaign_kinds: Words
    metrics: dict[str, str]
    links: Words
    goal: Words
    most: Words
    least: Words
    less: Words
    more: Words
    negations: Words
    told: Words
    keeping: Words
    months: dict[str, int]
    short_months: dict[str, dict[str, int]]
    ordinary: Words


@cache
def gazetteer() -> Gazetteer:
    """Return the lists; loaded with the first text, not at import."""
    lists, metrics = _merged(_files())
    return Gazetteer(
        first_names=lists["given"],
        family_names=lists["family"],
        before_people=lists["before_people"],
        spoken_with=lists["spoken_with"],
        together=lists["together"],
        asked=lists["asked"],
        acts=lists["acts"],
        states=lists["states"],
        state_endings=tuple(sorted(lists["state_endings"])),
        organization_kinds=lists["firm_kinds"] | _kinds_of_company(),
        organizations=lists["firms"],
        organization_suffixes=lists["firm_suffixes"],
        organization_endings=lists["firm_endings"],
        trades=lists["trades"],
        partners=lists["partners"],
        dealings=Dealings(*(lists[name] for name in Dealings.__struct_fields__)),
        works_for=lists["works_for"],
        departments=lists["departments"],
        products=lists["products"],
        product_words=lists["product_words"],
        product_kinds=lists["product_kinds"],
        numbered=lists["numbered"],
        used=lists["used"],
        places=lists["places"],
        place_openings=lists["place_openings"],
        grounds=lists["grounds"],
        place_saints=lists["saints"],
        place_endings=lists["place_endings"],
        place_kinds=lists["place_kinds"],
        living=lists["living"],
        by_in=lists["by_in"],
        by_to=lists["by_to"],
        by_from=lists["by_from"],
        campaign_kinds=lists["campaign_kinds"],
        metrics=metrics,
        links=lists["links"],
        goal=lists["goal"],
        most=lists["most"],
        least=lists["least"],
        less=lists["less"],
        more=lists["more"],
        negations=lists["negations"],
        told=lists["told"],
        keeping=lists["keeping"],
        months=calendar_of("pt").long_months | calendar_of("en").long_months,
        short_months={code: calendar_of(code).short_months for code in ("pt", "en")},
        ordinary=lists["ordinary"].union(*(_days(code) for code in CODES)),
    )


def _files() -> list[NameFile]:
    """Return the names that are the same in every language, and those of the packs."""
    known = (files(__package__) / "known.toml").read_text(encoding="utf-8")
    return [parse(known, NameFile, ".toml"), *map(name_words_of, CODES)]


def _merged(tables: Iterable[NameFile]) -> tuple[dict[str, Words], dict[str, str]]:
    """Return the lists of all files by name, and the names of metrics by how people say them."""
    lists, metrics = dict[str, Words](), dict[str, str]()
    for table in tables:
        for name, text in table.lists.items():
            lists[name] = lists.get(name, Words()) | split_words(text)
        metrics |= {said: name for name, text in table.metrics.items() for said in split_words(text)}
    return lists, metrics


def _days(code: str) -> Words:
    """Return the names of days, without those of months, which stand in a list of their own."""
    return names_of_days(code) - calendar_of(code).long_months.keys()


def _kinds_of_company() -> Words:
    """Return what a person calls their own company, which the gate reads: kinds of firm too."""
    texts = (gate_words_of(code).words.get("company_kind", "") for code in CODES)
    return Words(word for text in texts for word in split_words(text) if word.isalpha())


def flat(text: str) -> str:
    """Fold a text and keep every letter at its position, so that spans are valid in both."""
    return text.lower() if text.isascii() else "".join(map(_flat_letter, text))


def slug(text: str) -> str:
    """Convert a name to part of a key: `Ticket médio` becomes `ticket_medio`."""
    return _NOT_A_WORD.sub("_", fold(text)).strip("_")[:200]


def any_of(phrases: Words | dict[str, str]) -> str:
    """Return a pattern that matches one of the phrases, the longest first."""
    return "|".join(re.escape(phrase) for phrase in sorted(phrases, key=lambda phrase: (-len(phrase), phrase)))


@lru_cache(maxsize=4_096)
def _flat_letter(letter: str) -> str:
    folded = fold(letter)
    return folded if len(folded) == 1 else letter
