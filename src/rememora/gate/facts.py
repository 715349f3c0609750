"""Facts that a message states: dotted keys and values, several from one message."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from rememora.domain.verdict import Fact, Origin, TextSpan
from rememora.gate.found import FoundFact, group_of
from rememora.gate.policy import Policy
from rememora.gate.trim import TRIMS, trim_company
from rememora.language.phrases import phrase
from rememora.reading.normalised import NormalisedText

_MAX_FACTS = 12
_NAMED_LATER = phrase(r" {before_firm} (?=[A-ZÀ-Ý])")
_NOT = phrase(r"\b{negation}\b")
_NAME_CHARACTERS = 60

UNNAMED = "rule"
"""The name of a contested statement whose attribute is not named."""


class _Rule(msgspec.Struct, frozen=True, kw_only=True):
    key: str
    kind: str
    wished: bool
    cue: re.Pattern[str] | None
    patterns: tuple[re.Pattern[str], ...]


@lru_cache(maxsize=4)
def _rules(policy: Policy) -> tuple[_Rule, ...]:
    rules = policy.plain("facts", "rule")
    # Last what no longer holds: beside a new value of the same key it says nothing more.
    return tuple(_rule(rule, policy) for rule in sorted(rules, key=lambda rule: rule["kind"] == "ended"))


def _rule(rule: Mapping[str, Any], policy: Policy) -> _Rule:
    patterns = policy.compile_each(rule["patterns"])
    return _Rule(
        key=rule["key"],
        kind=rule["kind"],
        wished=rule["kind"] in policy.plain("facts", "wished"),
        cue=policy.compile_each(rule["cue"])[0] if "cue" in rule else None,
        patterns=patterns,
    )


# Kinds that need a proper name written as one: no capital inside the message, nothing to find.
_NAMING = frozenset({"company", "name_caps"})
_INNER_CAPITAL = re.compile(r"(?<=.)[A-ZÀ-Ý]", re.DOTALL)


def find_facts(reading: NormalisedText, policy: Policy, *, lasting: bool = False) -> tuple[FoundFact, ...]:
    """All facts of a message, one for each key; `lasting` when it asks for something from now on."""
    name = ("facts", policy, lasting)
    if name not in reading.found:
        reading.found[name] = _find_facts(reading, policy, lasting=lasting)
    return reading.found[name]


def _find_facts(reading: NormalisedText, policy: Policy, *, lasting: bool) -> tuple[FoundFact, ...]:
    facts: dict[str, FoundFact] = {}
    named = _INNER_CAPITAL.search(reading.text) is not None
    prefers = lasting or _prefers(reading, policy)
    for rule in _rules(policy):
        if rule.kind in _NAMING and not named:
            continue
        if (rule.wished and not prefers) or (rule.cue and not rule.cue.search(reading.folded)):
            continue
        matches = (match for pattern in rule.patterns for match in pattern.finditer(reading.folded))
        for fact in (fact for match in matches for fact in _apply(rule, match, reading, policy)):
            if fact.key not in facts and len(facts) < _MAX_FACTS:
                facts[fact.key] = fact
    return tuple(_settled(facts))


def _settled(facts: dict[str, FoundFact]) -> Iterator[FoundFact]:
    """Drop facts that only repeat a better one."""
    values = {fact.value for fact in facts.values() if fact.key != "tenant.name"}
    for fact in facts.values():
        if fact.key == "user.location" and any(_is_its_address(other, fact) for other in facts.values()):
            continue
        if fact.key == "tenant.name" and (fact.value in values or str(fact.value).islower()):
            continue
        yield fact


def _is_its_address(fact: FoundFact, place: FoundFact) -> bool:
    """Return whether a fact is the address of which a place is a part."""
    return fact.key == "user.address" and fact.start <= place.end and place.start <= fact.end


def _prefers(reading: NormalisedText, policy: Policy) -> bool:
    return policy.one("topics", "trim", "prefers").search(reading.folded) is not None


def _apply(rule: _Rule, match: re.Match[str], reading: NormalisedText, policy: Policy) -> Iterator[FoundFact]:
    """Yield the facts in one match of a rule."""
    if rule.kind in ("flag", "no"):
        yield FoundFact(key=rule.key, value=rule.kind == "flag", start=match.start(), end=match.end())
    else:
        yield from _value(rule, match, reading, policy)


def _value(rule: _Rule, match: re.Match[str], reading: NormalisedText, policy: Policy) -> Iterator[FoundFact]:
    """A fact whose value is what the pattern captured, trimmed as its kind is."""
    named = group_of(match, "name", reading)
    if rule.kind == "ended" and named and not _is_left(match, reading, policy):
        return
    value = None if rule.kind == "ended" else _captured(rule, match, reading, policy)
    if rule.kind != "ended" and not value:
        return
    yield FoundFact(key=rule.key, value=value, start=match.start(), end=match.end())


def _is_left(match: re.Match[str], reading: NormalisedText, policy: Policy) -> bool:
    """Return whether the ended thing is written as a name, and nothing after it points elsewhere."""
    name = trim_company(group_of(match, "name", reading), policy)
    if name is None or match.end("name") < match.end():
        return name is not None
    after = match.start("name") + len(name)
    return policy.one("personal", "own", "left").match(reading.folded[after:]) is not None


def _captured(rule: _Rule, match: re.Match[str], reading: NormalisedText, policy: Policy) -> str | None:
    start, end = match.span("v")
    value = TRIMS[rule.kind](reading.text[start:end], policy)
    if value is None and rule.kind == "company" and (later := _named_later(reading, start, end)):
        # "encarregado de obras da Construtora Pilar": the first preposition need not be the one before the name.
        value = trim_company(reading.text[later : later + _NAME_CHARACTERS], policy)
    return value


def _named_later(reading: NormalisedText, start: int, end: int) -> int | None:
    """Return where a proper name begins inside a capture, unless the text negates it."""
    later = _NAMED_LATER.search(reading.text, start, end)
    return None if later is None or _NOT.search(reading.folded, start, later.start()) else later.end()


def as_fact(
    fact: FoundFact, reading: NormalisedText, policy: Policy, *, confidence: float, origin: Origin
) -> Fact:
    """A fact with its category, origin and evidence."""
    evidence: TextSpan = reading.span(fact.start, fact.end)
    return Fact(
        key=fact.key,
        value=fact.value,
        category=policy.category_of(fact.key) or "operating",
        confidence=confidence,
        origin=origin,
        evidence=evidence,
    )
