"""Target of a correction: the contested key, and the right value when the message gives it."""

from __future__ import annotations

from rememora.gate.facts import UNNAMED, find_facts
from rememora.gate.found import FoundFact, slug
from rememora.gate.intents import attribute
from rememora.gate.policy import Policy
from rememora.gate.trim import TRIMS, trim_clause
from rememora.language.folding import fold_same_length
from rememora.language.phrases import behind, phrase
from rememora.reading.normalised import NormalisedText

# A name with a capital after the words that lead to a person; at the start only before a denial.
_PERSON = phrase(rf"(?:{behind('before_person')})([A-Z][\w-]+)|^([A-Z][\w-]+)(?= {{denies}}\b)")

# What the memory is said to hold comes first, and what is right after it.
_HELD = phrase(r"\b{you}\b (?:\w+ ){0,2}?{you_hold}\b[^,;.]{2,60}[,;.] ")
_SOMEBODY = "people.contact"
_TURN = phrase(r"\b{turn}\b")
_FORMS = {
    "user.birthday": "date",
    "user.phone": "phone",
    "user.email": "email",
    "user.timezone": "timezone",
    "user.preferred_language": "language",
}
"""Keys whose values have a form: other words of a correction are no value of theirs, and it is asked for."""


def corrected(reading: NormalisedText, policy: Policy) -> tuple[FoundFact, ...]:
    """Keys and right values; one value is None when only the wrong one is named."""
    value = right_value(reading, policy)
    key = attribute(reading.folded, policy) or _person_key(reading)
    if key == _SOMEBODY:
        key = _person_key(reading) or key
    if value and key in _FORMS:
        value = TRIMS[_FORMS[key]](value, policy)
    contested: str | None = None
    for part in (_after_turn(reading), reading):
        strong = [fact for fact in find_facts(part, policy) if _same(fact.key, key)]
        denied = [fact for fact in strong if is_denied(fact, part, policy)]
        if stated := tuple(fact for fact in strong if fact not in denied):
            return stated
        contested = contested or next((fact.key for fact in denied), None)
    return (
        FoundFact(key=key or contested or f"operating.{UNNAMED}", value=value, start=0, end=len(reading.text)),
    )


def _after_turn(reading: NormalisedText) -> NormalisedText:
    """Return the text after the turn from wrong to right, the rest blanked; nothing when there is no turn."""
    turn = _TURN.search(reading.folded) or _HELD.search(reading.folded)
    start = turn.end() if turn else len(reading.text)
    blank = " " * start
    return NormalisedText(
        raw=reading.raw,
        text=blank + reading.text[start:],
        folded=blank + reading.folded[start:],
        places=reading.places,
    )


def is_denied(fact: FoundFact, reading: NormalisedText, policy: Policy) -> bool:
    """Return whether the message contests a fact."""
    before = reading.folded[max(0, fact.start - 30) : fact.start + 4]
    return policy.one("intents", "correct", "denial").search(before) is not None


def _same(key: str, other: str | None) -> bool:
    return other is None or key.partition(".")[0] == other.partition(".")[0]


def right_value(reading: NormalisedText, policy: Policy) -> str | None:
    """Return the right value that a correction gives, without the words around it."""
    for pattern in policy.each("intents", "correct", "right"):
        if match := pattern.search(reading.folded):
            value = trim_clause(reading.text[match.start("v") : match.end("v")], policy)
            if value and not policy.one("intents", "correct", "not_right").search(fold_same_length(value)):
                wrapped = policy.one("intents", "correct", "wrapped").match(fold_same_length(value))
                return value[wrapped.end() :] if wrapped else value
    return None


def _person(reading: NormalisedText) -> str | None:
    match = _PERSON.search(reading.text)
    return slug(match[1] or match[2]) if match else None


def _person_key(reading: NormalisedText) -> str | None:
    who = _person(reading)
    return f"people.{who}" if who else None
