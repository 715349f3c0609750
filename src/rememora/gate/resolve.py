"""Resolves the facts of one message: drops those that repeat a better one or belong to somebody else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rememora.gate.found import FoundFact, known_for
from rememora.gate.policy import Policy

OF_THE_OUTPUT = (
    "prefs.format",
    "prefs.report",
    "prefs.units",
    "prefs.document",
    "prefs.signature",
    "user.communication_style",
)
"""What a request says of the text it asks for, rather than of every text."""
OF_ANY_TEXT = ("prefs.", "user.communication_style", "user.preferred_language")
"""What can be said of one text as of all of them."""
_PLACES = ("user.location", "operating.location")
# Loose keys, and the closer ones that say the same better where the two meet.
_CLOSER = {
    "user.location": ("user.address",),
    "goals.target": ("kpis.",),
    "user.communication_style": ("prefs.units",),
    "user.preferred_language": ("prefs.document_language",),
    "prefs.report_format": ("prefs.units",),
    "prefs.format": ("prefs.units", "prefs.report_format"),
}


def settle(facts: dict[str, FoundFact], policy: Policy) -> Iterator[FoundFact]:
    """Drop facts that only repeat a better one."""
    facts = {key: fact for key, fact in facts.items() if not _is_tool(fact, policy)}
    values = {fact.value for fact in facts.values() if fact.key != "tenant.name"}
    strong = [fact for fact in facts.values() if not fact.weak]
    for fact in facts.values():
        if fact.weak and any(_meet(fact, other) for other in strong):
            continue
        if _repeats(fact, strong):
            continue
        if fact.key == "tenant.name" and (fact.value in values or str(fact.value).islower()):
            continue
        if (
            fact.key == "user.location"
            and "operating.location" in facts
            and facts["operating.location"].value == fact.value
        ):
            continue
        yield fact


def _is_tool(fact: FoundFact, policy: Policy) -> bool:
    """Return whether a place is known as a tool: "o backlog fica no Linear"."""
    return fact.key in _PLACES and known_for(str(fact.value), policy) is not None


def _meet(one: FoundFact, other: FoundFact) -> bool:
    return other.start <= one.end and one.start <= other.end


def _repeats(fact: FoundFact, strong: Sequence[FoundFact]) -> bool:
    """Return whether a loose rule's fact repeats a closer one, of the same words or the same value."""
    others = [other for other in strong if other is not fact]
    if fact.loose:
        return any(_meet(fact, other) and not other.loose for other in others)
    if any(_is_rather(fact, other) for other in others):
        return True
    closer = _CLOSER.get(fact.key, ())
    return any(other.key.startswith(closer) and _meet(fact, other) for other in others)


def _is_rather(fact: FoundFact, other: FoundFact) -> bool:
    """Return whether another fact states of a pet, a person or a subject what this one says loosely."""
    if fact.key.startswith("people."):
        return other.key == f"user.pets.{fact.key.split('.')[1]}"
    if fact.value != other.value:
        return False
    if fact.key == "user.birthday":
        return other.key.endswith(".birthday")
    return fact.key == "user.education" and other.key.startswith("user.learning.")
