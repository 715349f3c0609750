"""Resolves the facts of one message: drops those that repeat a better one or belong to somebody else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rememora.gate.found import FoundFact, known_for, slug
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
_REACHED = (".phone", ".email")
# Loose keys, and the closer ones that say the same better where the two meet.
_CLOSER = {
    "user.location": ("user.address",),
    "goals.target": ("kpis.",),
    "user.communication_style": ("prefs.units",),
    "user.preferred_language": ("prefs.document_language",),
    "prefs.report_format": ("prefs.units",),
    "prefs.format": ("prefs.units", "prefs.report_format"),
}
_TRADED = ("fornecedor", "supplier", "vendor", "client", "parceir")


def settle(facts: dict[str, FoundFact], policy: Policy) -> Iterator[FoundFact]:
    """Drop facts that only repeat a better one."""
    facts = {key: fact for key, fact in facts.items() if not _is_tool(fact, policy)}
    values = {fact.value for fact in facts.values() if fact.key != "tenant.name" and not _unheard_of(fact, policy)}
    strong = [fact for fact in facts.values() if not fact.weak]
    for fact in facts.values():
        if fact.weak and any(_meet(fact, other) for other in strong):
            continue
        if _repeats(fact, strong) or _reaches_another(fact, strong):
            continue
        if fact.key == "tenant.name" and (fact.value in values or str(fact.value).islower()):
            continue
        if (
            fact.key == "user.location"
            and "operating.location" in facts
            and facts["operating.location"].value == fact.value
        ):
            continue
        if (
            fact.key == "operating.service_scope"
            and {"operating.target_audience", "prefs.channels_enabled"} & facts.keys()
        ):
            continue
        yield fact


def _is_tool(fact: FoundFact, policy: Policy) -> bool:
    """Return whether a place is known as a tool: "o backlog fica no Linear"."""
    return fact.key in _PLACES and known_for(str(fact.value), policy) is not None


def _meet(one: FoundFact, other: FoundFact) -> bool:
    return other.start <= one.end and one.start <= other.end


def _reaches_another(fact: FoundFact, strong: Sequence[FoundFact]) -> bool:
    """Return whether a number or an address belongs to somebody named nearer to it."""
    if not fact.key.endswith(_REACHED):
        return False
    who = fact.key.split(".")[1]
    if _is_firm(who, strong):
        return True
    rivals = [other for other in strong if other.value == fact.value and other.key != fact.key]
    if any(str(rival.value).startswith(rival.key.split(".")[1]) for rival in rivals):
        return True
    if str(fact.value).startswith(who):
        return False
    named = {other.key.split(".")[1]: other.start for other in strong if other.key.endswith(".role")}
    return any(named.get(rival.key.split(".")[1], 0) > named.get(who, fact.start) for rival in rivals)


def _is_firm(who: str, others: Sequence[FoundFact]) -> bool:
    """Return whether a name is the employer of somebody else in the message."""
    return any(
        other.key.endswith(".role")
        and other.key.split(".")[1] != who
        and str(other.value).startswith(_TRADED)
        and who in slug(str(other.value)).split("_")
        for other in others
    )


def _repeats(fact: FoundFact, strong: Sequence[FoundFact]) -> bool:
    """Return whether a loose rule's fact repeats a closer one, of the same words or the same value."""
    others = [other for other in strong if other is not fact]
    if fact.loose:
        return any(_meet(fact, other) and not other.loose for other in others)
    if any(_is_rather(fact, other) for other in others):
        return True
    if closer := _CLOSER.get(fact.key):
        return any(other.key.startswith(closer) and _meet(fact, other) for other in others)
    if fact.key.endswith(".role") and str(fact.value).startswith(_TRADED):
        # "fornecedor de leite é o Sítio, contato seu Arlindo": the firm is no second person.
        return _is_firm(fact.key.split(".")[1], others)
    return fact.key.startswith("tools.") and any(_names(other, str(fact.value)) for other in others)


def _is_rather(fact: FoundFact, other: FoundFact) -> bool:
    """Return whether another fact states of a pet, a person or a subject what this one says loosely."""
    if fact.key.startswith("people."):
        return other.key == f"user.pets.{fact.key.split('.')[1]}"
    if fact.value != other.value:
        return False
    if fact.key == "user.birthday":
        return other.key.endswith(".birthday")
    return fact.key == "user.education" and other.key.startswith("user.learning.")


def _names(other: FoundFact, value: str) -> bool:
    """Return whether a fact shows that a name is a place's, a company's or a person's."""
    if other.key in (*_PLACES, "tenant.name"):
        return other.value == value
    return other.key.startswith((f"people.{slug(value)}.", f"people.{slug(value.split(maxsplit=1)[0])}."))


def _unheard_of(fact: FoundFact, policy: Policy) -> bool:
    """Return whether a tool may as well be a company: its name is not listed."""
    return fact.key.startswith("tools.") and known_for(str(fact.value), policy) is None
