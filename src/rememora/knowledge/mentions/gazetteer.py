"""Gazetteer of the extraction rules, read once from a small table, and folding of text to match it."""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

import msgspec

from rememora.language import fold
from rememora.language.packs import calendar_of

_NOT_A_WORD: Final = re.compile(r"[^a-z0-9]+")
Words = frozenset[str]


class Dealings(msgspec.Struct, frozen=True):
    """Words for having a contract with somebody."""

    hired: Words
    agreed: Words
    services: Words
    contracts: Words


class Gazetteer(msgspec.Struct, frozen=True, kw_only=True):
    """The table, as sets of folded phrases."""

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
    works_for_en: Words
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
    """Return the table; loaded with the first text, not at import."""
    table: dict[str, dict[str, str]] = tomllib.loads(
        (files(__package__) / "gazetteer.toml").read_text(encoding="utf-8")
    )
    people, organizations, places = table["people"], table["organizations"], table["places"]
    return Gazetteer(
        first_names=_phrases(people["first"]),
        family_names=_phrases(people["family"]),
        before_people=_phrases(people["before"]),
        spoken_with=_phrases(people["spoken_with"]),
        together=_phrases(people["together"]),
        asked=_phrases(people["asked"]),
        acts=_phrases(people["acts"]),
        states=_phrases(people["states"]),
        state_endings=tuple(sorted(_phrases(people["state_endings"]))),
        organization_kinds=_phrases(organizations["kinds"]),
        organizations=_phrases(organizations["known"]),
        organization_suffixes=_phrases(organizations["suffixes"]),
        organization_endings=_phrases(organizations["endings"]),
        trades=_phrases(organizations["trades"]),
        partners=_phrases(organizations["partners"]),
        dealings=Dealings(*(_phrases(organizations[name]) for name in Dealings.__struct_fields__)),
        works_for=_phrases(organizations["works_for"]),
        works_for_en=_phrases(organizations["works_for_en"]),
        departments=_phrases(organizations["departments"]),
        products=_phrases(table["products"]["known"]),
        product_words=_phrases(table["products"]["words"]),
        product_kinds=_phrases(table["products"]["kinds"]),
        numbered=_phrases(table["products"]["numbered"]),
        used=_phrases(table["products"]["used"]),
        places=_phrases(places["known"]) | _phrases(places["more"]),
        place_openings=_phrases(places["openings"]),
        grounds=_phrases(places["grounds"]),
        place_saints=_phrases(places["saints"]),
        place_endings=_phrases(places["endings"]),
        place_kinds=_phrases(places["named"]),
        living=_phrases(places["living"]),
        by_in=_phrases(places["by_in"]),
        by_to=_phrases(places["by_to"]),
        by_from=_phrases(places["by_from"]),
        campaign_kinds=_phrases(table["campaigns"]["kinds"]),
        metrics={said: name for name, spellings in table["metrics"].items() for said in _phrases(spellings)},
        links=_phrases(table["links"]["words"]),
        goal=_phrases(table["thresholds"]["goal"]),
        most=_phrases(table["thresholds"]["most"]),
        least=_phrases(table["thresholds"]["least"]),
        less=_phrases(table["thresholds"]["less"]),
        more=_phrases(table["thresholds"]["more"]),
        negations=_phrases(table["thresholds"]["not"]),
        told=_phrases(table["thresholds"]["told"]),
        keeping=_phrases(table["thresholds"]["keep"]),
        months=calendar_of("pt").long_months | calendar_of("en").long_months,
        short_months={code: calendar_of(code).short_months for code in ("pt", "en")},
        ordinary=_phrases(table["ordinary"]["words"]),
    )


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


def _phrases(text: str) -> Words:
    parts = text.split(",") if "," in text else text.split()
    return frozenset(" ".join(part.split()) for part in parts)
