"""Facts that a message states: dotted keys and values, several from one message."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from rememora.domain.verdict import Fact, Origin, TextSpan
from rememora.gate.found import FoundFact, group_of, known_for, slug
from rememora.gate.keys import is_left, key_of
from rememora.gate.normalise import NormalisedText, fold_same_length
from rememora.gate.policy import Policy
from rememora.gate.resolve import settle
from rememora.gate.trim import TRIMS, trim_clause, trim_company
from rememora.language.irregular import ENGLISH
from rememora.language.phrases import phrase

_LIST = phrase(r" ?[+,/] ?| (?:{and}|&) ")
# Must not match inside longer digit runs: those are cards, documents or order numbers.
_PHONE = phrase(
    r"(?<!\d)(?:\+?\d{1,3}[ -]?)?(?:\(?\d{2,3}\)?[ -]?)?\d{3,5}[ -]\d{4}(?!\d)|(?<!\d)\d{10,11}(?!\d)"
    r"|(?<=\b){extension} \d{2,5}\b"
)
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
_AND = phrase(r" {and_name} ")
_MAX_FACTS = 12
_NAMED_LATER = phrase(r" {before_firm} (?=[A-ZÀ-Ý])")
_MINE = phrase(r"\b(?:{my}|{our}) $")
_NAMING_WORD = phrase(r"\b{before_name}\.? $")
_PROJECT = phrase(r"\b{project} $")
_SYSTEM = phrase(r"\b{system}\b")
_NOT = phrase(r"\b{negation}\b")
_NAME_CHARACTERS = 60
_NAMED_PART = phrase(r"(?P<art>{name_article} )?(?P<who>[A-ZÀ-Ý][\w'-]+)(?P<more>[ ,(](?:{aged} )?\d[^.]{0,15})?")
_PLURAL = re.compile(r"(?<=r)es$|s$")

UNNAMED = "rule"
"""The name of a statement whose words suggest none."""


class _Rule(msgspec.Struct, frozen=True, kw_only=True):
    key: str
    kind: str
    needs: str
    weak: bool
    firm: bool
    loose: bool
    value: str | None
    unless: re.Pattern[str] | None
    cue: re.Pattern[str] | None
    patterns: tuple[re.Pattern[str], ...]


@lru_cache(maxsize=4)
def _rules(policy: Policy) -> tuple[_Rule, ...]:
    rules = [*policy.plain("personal", "rule"), *policy.plain("facts", "rule")]
    # Last what no longer holds: beside a new value of the same key it says nothing more.
    return tuple(_rule(rule, policy) for rule in sorted(rules, key=lambda rule: rule["kind"] == "ended"))


def _rule(rule: Mapping[str, Any], policy: Policy) -> _Rule:
    patterns = policy.compile_each(rule["patterns"])
    return _Rule(
        key=rule["key"],
        kind=rule["kind"],
        needs=rule.get("needs", ""),
        weak=rule.get("weak", False),
        firm=rule.get("firm", rule["kind"] == "ended"),
        loose=rule.get("loose", False),
        value=rule.get("value"),
        unless=policy.compile_each(rule["unless"])[0] if "unless" in rule else None,
        cue=policy.compile_each(rule["cue"])[0] if "cue" in rule else None,
        patterns=patterns,
    )


# Kinds that need a proper name written as one: no capital inside the message, nothing to find.
_NAMING = frozenset({"company", "name_caps"})
_INNER_CAPITAL = re.compile(r"(?<=.)[A-ZÀ-Ý]", re.DOTALL)


def find_facts(reading: NormalisedText, policy: Policy, *, lasting: bool = False) -> tuple[FoundFact, ...]:
    """All facts of a message, one for each key; `lasting` when it asks for something from now on."""
    if lasting not in reading.facts:
        reading.facts[lasting] = _find_facts(reading, policy, lasting=lasting)
    return reading.facts[lasting]


def _find_facts(reading: NormalisedText, policy: Policy, *, lasting: bool) -> tuple[FoundFact, ...]:
    facts: dict[str, FoundFact] = {}
    named = _INNER_CAPITAL.search(reading.text) is not None
    lower = reading.text.islower()
    prefers = lasting or _prefers(reading, policy)
    for rule in _rules(policy):
        if (rule.kind in _NAMING and not named) or (rule.kind == "person_caps" and lower):
            continue
        if (rule.needs and not prefers) or (rule.cue and not rule.cue.search(reading.folded)):
            continue
        matches = (match for pattern in rule.patterns for match in pattern.finditer(reading.folded))
        for fact in (fact for match in matches for fact in _apply(rule, match, reading, policy)):
            over = fact.value is None and fact.key.startswith("people.")
            if (over or fact.key not in facts) and len(facts) < _MAX_FACTS:
                facts[fact.key] = fact
    return tuple(settle(facts, policy))


def _prefers(reading: NormalisedText, policy: Policy) -> bool:
    return policy.one("topics", "trim", "prefers").search(reading.folded) is not None


def _apply(rule: _Rule, match: re.Match[str], reading: NormalisedText, policy: Policy) -> Iterator[FoundFact]:
    """Yield the facts in one match of a rule."""
    if rule.kind in ("flag", "no"):
        yield FoundFact(key=rule.key, value=rule.kind == "flag", start=match.start(), end=match.end())
    elif rule.kind in ("person", "person_caps"):
        yield from _person(match, reading, policy)
    elif rule.kind == "several":
        yield from _several(match, reading)
    else:
        yield from _value(rule, match, reading, policy)


def _value(rule: _Rule, match: re.Match[str], reading: NormalisedText, policy: Policy) -> Iterator[FoundFact]:
    """A fact whose value is what the pattern captured, trimmed as its kind is."""
    value = rule.value
    named = group_of(match, "name", reading)
    if rule.kind == "ended" and named and not is_left(match, reading, policy):
        return
    if rule.unless and rule.unless.search(reading.folded[: match.start()]):
        return
    if value is None and rule.kind != "ended":
        value = _captured(rule, match, reading, policy)
        if not value:
            return
    key = key_of(rule.key, match, reading, policy, value=value)
    if key is not None:
        yield FoundFact(
            key=key,
            value=value,
            start=match.start(),
            # What was cut off a loose value is about something else.
            end=match.start("v") + len(value) if rule.loose and value else match.end(),
            weak=rule.weak,
            firm=rule.firm,
            loose=rule.loose,
        )


def _captured(rule: _Rule, match: re.Match[str], reading: NormalisedText, policy: Policy) -> str | None:
    start, end = match.span("v")
    if start < 0:
        start, end = match.span("v2")
    value = TRIMS[rule.kind](reading.text[start:end], policy)
    if value is None and rule.kind == "company" and (later := _named_later(reading, start, end)):
        # "encarregado de obras da Construtora Pilar": the first preposition need not be the one before the name.
        value = trim_company(reading.text[later : later + _NAME_CHARACTERS], policy)
    return value


def _named_later(reading: NormalisedText, start: int, end: int) -> int | None:
    """Return where a proper name begins inside a capture, unless the text negates it."""
    later = _NAMED_LATER.search(reading.text, start, end)
    return None if later is None or _NOT.search(reading.folded, start, later.start()) else later.end()


def _person(match: re.Match[str], reading: NormalisedText, policy: Policy) -> Iterator[FoundFact]:
    """Yield a person, and their contact if the message has it."""
    who = group_of(match, "who", reading)
    if fold_same_length(who) in policy.plain("topics", "trim", "not_name") or any(map(str.isdigit, who)):
        return
    if fold_same_length(who) in policy.plain("topics", "trim", "pronouns") or _listed(match, reading):
        return
    if known_for(who, policy) or policy.one("facts", "words", "tool_kind").fullmatch(fold_same_length(who)):
        return
    if policy.one("worth", "request", "verbs").fullmatch(fold_same_length(who)):
        return
    # A name in lower case is believed only beside the word for what the person is, and where it stands as a name.
    if not who[:1].isupper() and not (_is_staff(match, policy) and _stands_as_name(match, reading, policy)):
        return
    if _PROJECT.search(reading.folded, 0, match.start("who")) or _is_other_name(match, reading, policy):
        return
    role = ", ".join(filter(None, (group_of(match, name, reading) for name in ("role", "more", "more2"))))
    person = slug(who)
    value = trim_clause(_EMAIL.sub("", _PHONE.sub("", role)), policy)
    if value:
        yield FoundFact(key=f"people.{person}.role", value=value, start=match.start(), end=match.end())
    for kind, pattern in (("phone", _PHONE), ("email", _EMAIL)):
        if contact := pattern.search(reading.text, match.start("who")):
            yield FoundFact(
                key=f"people.{person}.{kind}", value=contact[0], start=contact.start(), end=contact.end()
            )


def _several(match: re.Match[str], reading: NormalisedText) -> Iterator[FoundFact]:
    """Each of the people that one word stands for: "dois filhos, a Lara de 9 e o Davi de 4"."""
    for part in _LIST.split(group_of(match, "v", reading)):
        named = _NAMED_PART.fullmatch(part.strip())
        if named is None:
            return
        value = _one_of(group_of(match, "role", reading), named["art"]) + (named["more"] or "")
        yield FoundFact(key=f"people.{slug(named['who'])}.role", value=value, start=match.start(), end=match.end())


def _one_of(several: str, article: str | None) -> str:
    """One of those that a plural names, a woman where the article says so."""
    one = ENGLISH.get(several.lower()) or _PLURAL.sub("", several)
    return one[:-1] + "a" if article == "a " and one.endswith("o") else one


def _stands_as_name(match: re.Match[str], reading: NormalisedText, policy: Policy) -> bool:
    """Return whether a lower-case word is a name by its place: "meu chefe é o paulo", not "é legal"."""
    before, who = reading.folded[: match.start("who")], match["who"]
    if not reading.text.islower() or who in policy.plain("topics", "trim", "praise"):
        return False
    if policy.one("facts", "words", "staff").fullmatch(who):
        return _MINE.search(before) is not None
    return _NAMING_WORD.search(before) is not None


def _is_other_name(match: re.Match[str], reading: NormalisedText, policy: Policy) -> bool:
    """Return whether the role is a name itself, or a kind of tool in a message about tools."""
    role = group_of(match, "role", reading)
    if role[:1].isupper() and not role.split()[0].isupper() and not _is_staff(match, policy):
        return True
    desk = fold_same_length(role)
    served = desk in policy.plain("topics", "desks") or policy.one("facts", "words", "tool_kind").fullmatch(desk)
    return bool(served) and _SYSTEM.search(reading.folded) is not None


def _listed(match: re.Match[str], reading: NormalisedText) -> bool:
    """Return whether two names are listed side by side: "o Slack e o Trello" says of neither what it is."""
    if "role" not in match.re.groupindex or match.start("role") < 0:
        return False
    first, second = sorted((match.span("who"), match.span("role")))
    between = reading.text[first[1] : second[0]]
    return reading.text[match.start("role")].isupper() and _AND.fullmatch(between) is not None


def _is_staff(match: re.Match[str], policy: Policy) -> bool:
    role = match["role"] if "role" in match.re.groupindex else None
    return role is not None and policy.one("facts", "words", "staff").match(role) is not None


def general_name(folded: str, policy: Policy) -> str:
    """Return the key name for the words of a plain statement."""
    for name in policy.plain("topics", "keys"):
        if policy.one("topics", "keys", name).search(folded):
            return str(name)
    return UNNAMED


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
