"""Facts that a message states: dotted keys and values, several from one message."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

import msgspec

from rememora.domain.verdict import Fact, Origin, Span
from rememora.gate.found import Found, group_of, known_for, slug
from rememora.gate.guards import Guarded, openings
from rememora.gate.keys import is_left, key_of
from rememora.gate.normalise import Reading, fold_same_length
from rememora.gate.policy import Policy
from rememora.gate.settle import settle
from rememora.gate.software import tools_of
from rememora.gate.subjects import find_predicate, subject_name
from rememora.gate.trim import TRIMS, trim_clause, trim_company
from rememora.gate.worth import is_lasting

_LIST = re.compile(r" ?[+,/] ?| e | and | & ")
_PHONE = re.compile(
    r"(?<!\d)(?:\+?\d{1,3}[ -]?)?(?:\(?\d{2,3}\)?[ -]?)?\d{3,5}[ -]\d{4}(?!\d)|(?<!\d)\d{10,11}(?!\d)"
    r"|(?<=\b)(?:[Rr]amal|[Ee]xt(?:ension)?\.?) \d{2,5}\b"
)
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
_AND = re.compile(r" e (?:[oa] )?")
_MAX_FACTS = 12
_NAMED_LATER = re.compile(r" (?:[Dd][aoe]|[Nn][ao]|at|of|for|from|with) (?=[A-ZÀ-Ý])")
_MINE = re.compile(r"\b(?:meu|minha|nosso|nossa|my|our) $")
_NAMING_WORD = re.compile(r"\b(?:o|a|seu|sr|sra|dona|dr|dra|mr|mrs|ms|chama|named|called)\.? $")
_PROJECT = re.compile(r"\b(?:projeto|project|campanha|campaign) $")
_SYSTEM = re.compile(
    r"\b(?:sistema|software|app|aplicativo|programa|plataforma|ferramenta|usa|usamos|uso|use|system|tool)\b"
)
_NOT = re.compile(r"\b(?:nao|not|nem)\b")
_NAME_CHARACTERS = 60
_NAMED_PART = re.compile(
    r"(?P<art>[oa] |the )?(?P<who>[A-ZÀ-Ý][\w'-]+)(?P<more>[ ,(](?:de |com |aged |is )?\d[^.]{0,15})?"
)

UNNAMED = "rule"
"""The name of a statement whose words suggest none."""
DOUBTFUL = "note"
"""The same for one that was said with doubt."""


class _Rule(msgspec.Struct, frozen=True, kw_only=True):
    key: str
    kind: str
    needs: str
    weak: bool
    firm: bool
    loose: bool
    value: str | None
    unless: Guarded | None
    cue: Guarded | None
    patterns: tuple[Guarded, ...]


class _Index(msgspec.Struct, frozen=True, kw_only=True):
    """Every pattern with its rule, and which of them the beginning of a word can open."""

    patterns: tuple[tuple[_Rule, Guarded], ...]
    opened: Mapping[str, Sequence[int]]
    anywhere: frozenset[int]


@lru_cache(maxsize=4)
def _rules(policy: Policy) -> tuple[_Rule, ...]:
    found = [*policy.plain("personal", "rule"), *policy.plain("facts", "rule")]
    # Last what no longer holds: beside a new value of the same key it says nothing more.
    return tuple(_rule(rule, policy) for rule in sorted(found, key=lambda rule: rule["kind"] == "ended"))


@lru_cache(maxsize=4)
def _index(policy: Policy) -> _Index:
    patterns = tuple((rule, pattern) for rule in _rules(policy) for pattern in rule.patterns)
    opened: dict[str, list[int]] = {}
    for place, (_, pattern) in enumerate(patterns):
        for opening in pattern.opens or ():
            opened.setdefault(opening, []).append(place)
    anywhere = frozenset(place for place, (_, pattern) in enumerate(patterns) if pattern.opens is None)
    return _Index(patterns=patterns, opened=opened, anywhere=anywhere)


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


def find_facts(reading: Reading, policy: Policy, *, standing: bool = False) -> tuple[Found, ...]:
    """All facts of a message, one for each key; `standing` when it asks for something from now on."""
    found: dict[str, Found] = {}
    named = _INNER_CAPITAL.search(reading.text) is not None
    lower = reading.text.islower()
    for rule, places in groupby(_candidates(reading.folded, policy), key=itemgetter(0)):
        if (rule.kind in _NAMING and not named) or (rule.kind == "person_caps" and lower):
            continue
        if (rule.needs and not (standing or _prefers(reading, policy))) or (
            rule.cue and not rule.cue.search(reading.folded)
        ):
            continue
        for _, pattern in places:
            for fact in _apply(rule, pattern, reading, policy):
                over = fact.value is None and fact.key.startswith("people.")
                if (over or fact.key not in found) and len(found) < _MAX_FACTS:
                    found[fact.key] = fact
    return tuple(settle(found, policy))


def _candidates(folded: str, policy: Policy) -> Iterator[tuple[_Rule, Guarded]]:
    """The patterns that a text has a word for, in their order, each with its rule."""
    index = _index(policy)
    found = set(index.anywhere)
    for opening in openings(folded):
        found.update(index.opened.get(opening, ()))
    return (index.patterns[place] for place in sorted(found))


def _prefers(reading: Reading, policy: Policy) -> bool:
    return policy.one("topics", "trim", "prefers").search(reading.folded) is not None


def _apply(rule: _Rule, pattern: Guarded, reading: Reading, policy: Policy) -> Iterator[Found]:
    """What one pattern of a rule finds."""
    for match in pattern.every(reading.folded):
        if rule.kind in ("flag", "no"):
            yield Found(key=rule.key, value=rule.kind == "flag", start=match.start(), end=match.end())
        elif rule.kind in ("person", "person_caps"):
            yield from _person(match, reading, policy)
        elif rule.kind == "several":
            yield from _several(match, reading)
        elif rule.kind == "project":
            yield from _project(match, reading, policy)
        elif rule.kind in ("tool", "tool_of"):
            yield from tools_of(match, reading, policy)
        elif rule.kind in ("metric", "detail"):
            yield from _metric(rule, match, reading, policy)
        else:
            yield from _value(rule, match, reading, policy)


def _value(rule: _Rule, match: re.Match[str], reading: Reading, policy: Policy) -> Iterator[Found]:
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
        yield Found(
            key=key,
            value=value,
            start=match.start(),
            # What was cut off a loose value is about something else.
            end=match.start("v") + len(value) if rule.loose and value else match.end(),
            weak=rule.weak,
            firm=rule.firm,
            loose=rule.loose,
        )


def _captured(rule: _Rule, match: re.Match[str], reading: Reading, policy: Policy) -> str | None:
    start, end = match.span("v")
    if start < 0:
        start, end = match.span("v2")
    value = TRIMS[rule.kind](reading.text[start:end], policy)
    if value is None and rule.kind == "company" and (later := _named_later(reading, start, end)):
        # "encarregado de obras da Construtora Pilar": the first preposition need not be the one before the name.
        value = trim_company(reading.text[later : later + _NAME_CHARACTERS], policy)
    return value


def _named_later(reading: Reading, start: int, end: int) -> int | None:
    """Where a proper name begins inside what was captured, unless it is what somebody is not."""
    later = _NAMED_LATER.search(reading.text, start, end)
    return None if later is None or _NOT.search(reading.folded, start, later.start()) else later.end()


def _person(match: re.Match[str], reading: Reading, policy: Policy) -> Iterator[Found]:
    """Who somebody is, and how to reach them if the message says."""
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
        yield Found(key=f"people.{person}.role", value=value, start=match.start(), end=match.end())
    for kind, pattern in (("phone", _PHONE), ("email", _EMAIL)):
        if contact := pattern.search(reading.text, match.start("who")):
            yield Found(key=f"people.{person}.{kind}", value=contact[0], start=contact.start(), end=contact.end())


def _several(match: re.Match[str], reading: Reading) -> Iterator[Found]:
    """Each of the people that one word stands for: "dois filhos, a Lara de 9 e o Davi de 4"."""
    for part in _LIST.split(group_of(match, "v", reading)):
        named = _NAMED_PART.fullmatch(part.strip())
        if named is None:
            return
        value = _one_of(group_of(match, "role", reading), named["art"]) + (named["more"] or "")
        yield Found(key=f"people.{slug(named['who'])}.role", value=value, start=match.start(), end=match.end())


def _one_of(several: str, article: str | None) -> str:
    """One of those that a plural names, a woman where the article says so."""
    one = {"children": "child", "vendedores": "vendedor"}.get(several.lower(), several.removesuffix("s"))
    return one[:-1] + "a" if article == "a " and one.endswith("o") else one


def _stands_as_name(match: re.Match[str], reading: Reading, policy: Policy) -> bool:
    """Whether a word in lower case is a name by its place: "meu chefe é o paulo", but not "meu chefe é legal"."""
    before, who = reading.folded[: match.start("who")], match["who"]
    if not reading.text.islower() or who in policy.plain("topics", "trim", "praise"):
        return False
    if policy.one("facts", "words", "staff").fullmatch(who):
        return _MINE.search(before) is not None
    return _NAMING_WORD.search(before) is not None


def _is_other_name(match: re.Match[str], reading: Reading, policy: Policy) -> bool:
    """Whether what somebody would be is a name itself, or a kind of tool in a message about tools."""
    role = group_of(match, "role", reading)
    if role[:1].isupper() and not role.split()[0].isupper() and not _is_staff(match, policy):
        return True
    desk = fold_same_length(role)
    served = desk in policy.plain("topics", "desks") or policy.one("facts", "words", "tool_kind").fullmatch(desk)
    return bool(served) and _SYSTEM.search(reading.folded) is not None


def _listed(match: re.Match[str], reading: Reading) -> bool:
    """Whether two names stand side by side: "o Slack e o Trello" says of neither what it is."""
    if "role" not in match.re.groupindex or match.start("role") < 0:
        return False
    first, second = sorted((match.span("who"), match.span("role")))
    between = reading.text[first[1] : second[0]]
    return reading.text[match.start("role")].isupper() and _AND.fullmatch(between) is not None


def _is_staff(match: re.Match[str], policy: Policy) -> bool:
    role = match["role"] if "role" in match.re.groupindex else None
    return role is not None and policy.one("facts", "words", "staff").match(role) is not None


def _metric(rule: _Rule, match: re.Match[str], reading: Reading, policy: Policy) -> Iterator[Found]:
    """A figure or an address of the business under its own name."""
    value = trim_clause(reading.text[match.start("v") : match.end("v")], policy)
    if value:
        yield Found(
            key=rule.key.format(what=slug(match["what"])), value=value, start=match.start(), end=match.end()
        )


def _project(match: re.Match[str], reading: Reading, policy: Policy) -> Iterator[Found]:
    """What a named project is about."""
    who = group_of(match, "who", reading)
    name = trim_company(who, policy) or who.split()[0]
    value = trim_clause(
        " ".join(filter(None, (group_of(match, "more", reading), group_of(match, "v", reading)))), policy
    )
    if name and value and name[:1].isupper():
        yield Found(key=f"projects.{slug(name)}", value=value, start=match.start(), end=match.end())


def general_fact(reading: Reading, policy: Policy, start: int = 0) -> Found | None:
    """A plain statement as one fact, under the key that its words suggest."""
    folded = reading.folded[start:]
    predicate = find_predicate(reading, policy, start)
    value = trim_clause(reading.text[start + (predicate or 0) :], policy)
    name, about = general_name(folded, policy), folded
    if name == UNNAMED and predicate and (subject := subject_name(folded[:predicate], policy)):
        name, about = subject, folded[:predicate]
    elif predicate and value and (" " not in value or (name == UNNAMED and value[0].isdigit())):
        # A word or a figure alone says nothing: what it is of belongs to it.
        value = trim_clause(reading.text[start:], policy)
    if not value:
        return None
    spaces = (space for space in policy.plain("topics", "namespaces") if _of_space(space, about, policy))
    key = f"{next(spaces, 'operating')}.{name}"
    return Found(key=key, value=value, start=start, end=len(reading.text))


def wished_fact(reading: Reading, policy: Policy, start: int) -> Found | None:
    """What was asked to be kept: all of it, under the name of what it is about."""
    if whose := policy.one("topics", "subject", "whose").search(reading.folded[:start]):
        start = whose.start("v")
    found = general_fact(reading, policy, start)
    whole = trim_clause(reading.text[start:], policy)
    if found is None or whole is None:
        return found
    key, at = found.key, find_predicate(reading, policy, start)
    subject = at and subject_name(reading.folded[start : start + at], policy)
    if subject and _says_more(subject, key.rpartition(".")[2], policy):
        key = f"{key.rpartition('.')[0]}.{subject}"
    return msgspec.structs.replace(found, key=key, value=whole)


def _says_more(subject: str, name: str, policy: Policy) -> bool:
    """Whether a subject is more than the topic that names its key: "reunião com a Carla" is not any meeting."""
    if name not in policy.plain("topics", "keys"):
        return False
    topic = policy.one("topics", "keys", name)
    return any(topic.search(word) is None for word in subject.split("_"))


def doubtful_fact(reading: Reading, policy: Policy) -> Found | None:
    """What a doubtful statement would say if it held: a note, for what is unsure is no rule."""
    lead = policy.one("worth", "hedge", "lead").search(reading.folded)
    found = general_fact(reading, policy, lead.end() if lead else 0)
    if found is None or not found.key.endswith(f".{UNNAMED}"):
        return found
    return msgspec.structs.replace(found, key=f"{found.key.removesuffix(UNNAMED)}{DOUBTFUL}")


def _of_space(space: str, folded: str, policy: Policy) -> bool:
    return policy.one("topics", "namespaces", space).search(folded) is not None


def general_name(folded: str, policy: Policy) -> str:
    """What the words of a plain statement would be called."""
    for name in policy.plain("topics", "keys"):
        if policy.one("topics", "keys", name).search(folded):
            return str(name)
    return UNNAMED


def as_fact(found: Found, reading: Reading, policy: Policy, *, confidence: float, origin: Origin) -> Fact:
    """A fact with its category, origin and evidence."""
    evidence: Span = reading.span(found.start, found.end)
    return Fact(
        key=found.key,
        value=found.value,
        category=policy.category_of(found.key) or "operating",
        confidence=confidence,
        origin=origin,
        evidence=evidence,
    )


_CLAUSE = re.compile(r"(?:[^,;.!?\n]|[,.](?=\d))+")
_CLAUSE_WORDS = 4
_MAX_CLAUSES = 8


def clause_facts(reading: Reading, policy: Policy, *, beside: Sequence[Found]) -> Iterator[Found]:
    """Each clause that is a lasting statement by itself and that no fact of `beside` covers."""
    for match in islice(_CLAUSE.finditer(reading.text), _MAX_CLAUSES):
        text = match[0].strip()
        covered = any(other.start < match.end() and match.start() < other.end for other in beside)
        reason = policy.one("topics", "trim", "aside").match(fold_same_length(f", {text}"))
        if covered or reason or len(text.split()) < _CLAUSE_WORDS:
            continue
        part = Reading(raw=text, text=text, folded=fold_same_length(text))
        if is_lasting(part, policy) and (fact := general_fact(part, policy)):
            yield Found(key=fact.key, value=fact.value, start=match.start(), end=match.end())
