"""What is being corrected: the key contested and the right value, when the message gives it."""

from __future__ import annotations

import re

from rememora.gate.facts import Found, find_facts, slug
from rememora.gate.intents import attribute
from rememora.gate.normalise import Reading
from rememora.gate.policy import Policy
from rememora.gate.trim import trim_clause

_RIGHT = (
    re.compile(r"\b(?:mas|but|porem|so que|na verdade|actually|o certo e|o correto e)\b,? (?:na verdade )?(?:e|eh|it'?s|o|a|the|meu \w+ e|my \w+ is|i'?m|sou|somos|we'?re)? ?(?P<v>[^,;!?\n]{1,60})"),
    re.compile(r"\b(?:nao|not|isn'?t|'re not|'m not)\b [^,;.\n]{1,40}(?:[,;.] ?| - )(?:e|eh|it'?s|sou|somos|i'?m|we'?re|ela e|ele e|she'?s|he'?s|moro em|fecha|abre|i live in|we use|a gente usa|fica em)(?P<v> [^,;.!?\n]{1,60})"),
    re.compile(r"\b(?:i said|eu (?:disse|falei)|it'?s|e|eh|is|i'?m|sou|somos|we'?re) (?P<v>(?:an? |de |o |a )?[^,;.!?\n]{1,40}?),? (?:not|nao|e nao|and not) "),
    re.compile(r"(?:[,:;] ?)(?:o |a |the )?(?:[\w ]{2,25} )?(?:e|eh|is|it'?s|sao|are|we'?re|i'?m|sou|somos) (?P<v>[^,;!?\n]{1,60})"),
)
_PERSON = re.compile(r"(?:(?<=\ba )|(?<=\bo )|(?<=\bA )|(?<=\bO )|(?<=on )|(?<=about )|(?<=sobre )|^)([A-Z][\w-]+)(?= (?:nao|não|isn't|is not|é|is|are|e )|$|\b)")
_COMPANY_OF = re.compile(r"\b(?:ela|ele|she|he) (?:e|eh|is|'s|works?) (?:d[ao]|from|at|with) (?P<v>[^,;.!?\n]{2,40})")


def corrected(reading: Reading, policy: Policy) -> Found | None:
    """Key and right value; the value is None when only the wrong one is named."""
    end = len(reading.text)
    if (match := _COMPANY_OF.search(reading.folded)) and (who := _PERSON.search(reading.text)):
        value = reading.text[match.start("v") : match.end("v")].strip()
        return Found(key=f"people.{slug(who[1])}.company", value=value, start=match.start(), end=match.end())
    value = _right_value(reading, policy)
    facts = [fact for fact in find_facts(reading, policy) if not fact.weak]
    key = attribute(reading.folded, policy) or _person_key(reading)
    if facts and (key is None or facts[0].key.partition(".")[0] == key.partition(".")[0]) and value is not None:
        return Found(key=facts[0].key, value=_better(facts[0].value, value), start=facts[0].start, end=facts[0].end)
    if key is None and facts:
        key = facts[0].key
    return Found(key=key or "operating.rule", value=value, start=0, end=end)


def _better(stated: str | bool | None, right: str) -> str | bool:
    """The value that a rule of facts trimmed, unless it is only the contested one."""
    return stated if isinstance(stated, str) and stated in right else right


def _right_value(reading: Reading, policy: Policy) -> str | None:
    for pattern in _RIGHT:
        if match := pattern.search(reading.folded):
            value = trim_clause(reading.text[match.start("v") : match.end("v")], policy)
            if value and not re.match(r"(?:errad|wrong|isso|nao\b|not\b|a?tirou)", value.lower()):
                return value
    return None


def _person_key(reading: Reading) -> str | None:
    match = _PERSON.search(reading.text)
    return f"people.{slug(match[1])}" if match and match.start() > 0 else None


_NAMED = re.compile(r"(?<=[\w,] )[A-Z][\w-]+")


def names_somebody(reading: Reading) -> bool:
    """Whether a proper name stands inside the message."""
    return _NAMED.search(reading.text) is not None
