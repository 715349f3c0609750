"""What is being corrected: the key contested and the right value, when the message gives it."""

from __future__ import annotations

import re

from rememora.gate.facts import Found, find_facts, slug
from rememora.gate.intents import attribute
from rememora.gate.normalise import Reading
from rememora.gate.policy import Policy
from rememora.gate.trim import trim_clause

_RIGHT = (
    re.compile(
        r"\b(?:the right (?:one|value|name|number) is|o certo e|o correto e|should (?:say|be)|deveria ser|na verdade e|it'?s actually|actually it'?s) (?P<v>[^,;!?\n]{1,60})"
    ),
    re.compile(
        r"\b(?:mas|but|porem|so que|na verdade|actually|o certo e|o correto e)\b,? (?:na verdade )?(?:e|eh|it'?s|o|a|the|meu \w+ e|my \w+ is|i'?m|sou|somos|we'?re)? ?(?P<v>[^,;!?\n]{1,60})"
    ),
    re.compile(
        r"\b(?:nao|not|isn'?t|'re not|'m not)\b [^,;.\n]{1,40}(?:[,;.] ?| - )(?:e|eh|it'?s|sou|somos|i'?m|we'?re|ela e|ele e|she'?s|he'?s|moro em|fecha|abre|i live in|we use|a gente usa|fica em)(?P<v> [^,;.!?\n]{1,60})"
    ),
    re.compile(
        r"\b(?:i said|eu (?:disse|falei)|it'?s|e|eh|is|i'?m|sou|somos|we'?re) (?P<v>(?:an? |de |o |a )?[^,;.!?\n]{1,40}?),? (?:not|nao|e nao|and not) "
    ),
    re.compile(
        r"(?:[,:;] ?)(?:o |a |the )?(?:[\w ]{2,25} )?(?:e|eh|is|it'?s|sao|are|we'?re|i'?m|sou|somos) (?P<v>[^,;!?\n]{1,60})"
    ),
)
_PERSON = re.compile(
    r"(?:(?<=\b[aoAO] )|(?<=on )|(?<=about )|(?<=sobre )|(?<=d[ao] ))([A-Z][\w-]+)|^([A-Z][\w-]+)(?= (?:doesn|isn|is not|não|nao)\b)"
)
_COMPANY_OF = re.compile(
    r"\b(?:ela|ele|she|he) (?:e|eh|is|'s|works?) (?:d[ao]|from|at|with) (?P<v>[^,;.!?\n]{2,40})"
)


def corrected(reading: Reading, policy: Policy) -> tuple[Found, ...]:
    """Keys and right values; one value is None when only the wrong one is named."""
    if (match := _COMPANY_OF.search(reading.folded)) and (who := _person(reading)):
        value = reading.text[match.start("v") : match.end("v")].strip()
        return (Found(key=f"people.{who}.company", value=value, start=match.start(), end=match.end()),)
    value = _right_value(reading, policy)
    key = attribute(reading.folded, policy) or _person_key(reading)
    stated = tuple(
        fact
        for fact in find_facts(reading, policy)
        if not fact.weak and not _denied(fact, reading) and _same(fact.key, key)
    )
    if stated:
        return stated
    return (Found(key=key or "operating.rule", value=value, start=0, end=len(reading.text)),)


_DENIAL = re.compile(
    r"\b(?:nao|nunca|never|not|isn'?t|don'?t|errad\w+|wrong|anotou|salvou|gravou|saved|noted|chamando de|calling me|as)\b[^,;.]*$"
)


def _denied(fact: Found, reading: Reading) -> bool:
    """Whether what a fact says is what the message contests."""
    return _DENIAL.search(reading.folded[max(0, fact.start - 30) : fact.start + 4]) is not None


def _same(key: str, other: str | None) -> bool:
    return other is None or key.partition(".")[0] == other.partition(".")[0]


def _right_value(reading: Reading, policy: Policy) -> str | None:
    for pattern in _RIGHT:
        if match := pattern.search(reading.folded):
            value = trim_clause(reading.text[match.start("v") : match.end("v")], policy)
            if value and not re.match(r"(?:errad|wrong|isso|nao\b|not\b|a?tirou)", value.lower()):
                return value
    return None


def _person(reading: Reading) -> str | None:
    match = _PERSON.search(reading.text)
    return slug(match[1] or match[2]) if match else None


def _person_key(reading: Reading) -> str | None:
    who = _person(reading)
    return f"people.{who}" if who else None


_NAMED = re.compile(r"(?<=[\w,] )[A-Z][\w-]+")


def names_somebody(reading: Reading) -> bool:
    """Whether a proper name stands inside the message."""
    return _NAMED.search(reading.text) is not None
