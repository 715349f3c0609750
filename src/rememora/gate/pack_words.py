"""The words of the language packs as the rules of the gate take them: all languages together.

People and attackers mix languages in one message, so no rule asks which language a text is in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from rememora.gate.patterns import lines as lines_of
from rememora.language.packs import (
    CODES,
    attributes_of,
    facts_of,
    foreign_orders,
    gate_words_of,
    joined,
    lexicon_of,
    names_of_days,
    words_of,
)

_CONTINUED = "\n  "
_SEPARATOR = "|"
# Lists to which function words belong, and those to which the names of days and months do.
_WITH_FUNCTION_WORDS = ("not_name", "not_password")
_WITH_DAYS = ("not_name", "company_stop")


def classes(neutral: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the words of each class: those of no language, then those of the packs."""
    tables = [neutral, *(lexicon_of(code).classes for code in CODES), *(other.classes for other in _foreign())]
    return {name: _entries(texts) for name, texts in _by_name(tables)}


def words(neutral: Mapping[str, str]) -> dict[str, str]:
    """Return the pieces of patterns: those of no language, and the alternatives of the packs."""
    tables = [*(gate_words_of(code).words for code in CODES), *(other.words for other in _foreign())]
    return {**neutral, **{name: f"(?:{joined(*texts)})" for name, texts in _by_name(tables)}}


def lines() -> dict[str, list[str]]:
    """Return the whole patterns of the packs, by name."""
    tables = [*(gate_words_of(code).lines for code in CODES), *(other.lines for other in _foreign())]
    return {name: [line for text in texts for line in lines_of(text)] for name, texts in _by_name(tables)}


def lists(neutral: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the lists of plain words; what the packs say elsewhere is not repeated in them."""
    tables = [neutral, *(gate_words_of(code).lists for code in CODES)]
    listed = {name: _entries(texts) for name, texts in _by_name(tables)}
    function_words = sorted({word for code in CODES for word in words_of(code).stop})
    days = sorted({day for code in CODES for day in names_of_days(code)} - set(listed.pop("also_names")))
    for name in _WITH_FUNCTION_WORDS:
        listed[name] += function_words
    for name in _WITH_DAYS:
        listed[name] += days
    kinds = _entries(gate_words_of(code).words.get("company_kind", "") for code in CODES)
    return {**listed, "company_kinds": [kind for kind in kinds if kind.isalpha()]}


def pairs() -> dict[str, dict[str, str]]:
    """Return the plain words that mean something, by name."""
    merged: dict[str, dict[str, str]] = {}
    for code in CODES:
        for name, table in gate_words_of(code).pairs.items():
            merged.setdefault(name, {}).update(table)
    return merged


def pointed_at(neutral: Mapping[str, str]) -> dict[str, str]:
    """Return the patterns by which people point at an attribute, by key and in the order of `neutral`."""
    said = [facts_of(code).named for code in CODES]
    return {key: joined(pattern, *(named.get(key, "") for named in said)) for key, pattern in neutral.items()}


def everything() -> str:
    """Return the pattern of words that mean all that is known."""
    return joined(*(facts_of(code).everything for code in CODES))


def fact_rules(neutral: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the rules of facts: those of the packs, language by language, and those of no language."""
    said = (rule for code in CODES for rule in facts_of(code).rule)
    return [*(msgspec.to_builtins(rule) for rule in said), *(dict(rule) for rule in neutral)]


def with_lines(piece: Any, known: Mapping[str, list[str]]) -> Any:
    """Return a piece of the rules in which a name on a line of its own is replaced by the patterns of the packs.

    Frames, which stand one a line, become a list.
    """
    if isinstance(piece, Mapping):
        return {
            name: lines_of(inner) if name == "frames" else with_lines(inner, known)
            for name, inner in piece.items()
        }
    if not (isinstance(piece, str) and "{" in piece):
        return piece
    return "\n".join(line for one in piece.split("\n") for line in known.get(one[1:-1], [one]))


def labels(category: str) -> dict[str, str]:
    """Return the name of a category in each language that has one for it."""
    named = {code: attributes_of(code).categories.get(category) for code in CODES}
    return {code: name for code, name in named.items() if name}


def _foreign() -> Iterable[Any]:
    return foreign_orders().values()


def _by_name(tables: Iterable[Mapping[str, str]]) -> Iterator[tuple[str, list[str]]]:
    """Yield each name of several tables with what all of them say under it."""
    merged: dict[str, list[str]] = {}
    for table in tables:
        for name, text in table.items():
            merged.setdefault(name, []).append(text)
    yield from merged.items()


def _entries(texts: Iterable[str]) -> list[str]:
    entries = (entry for text in texts for entry in text.replace(_CONTINUED, "").split(_SEPARATOR))
    return list(dict.fromkeys(entry for entry in entries if entry))
