"""Resolves the facts of one message: drops those that repeat a better one or belong to somebody else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rememora.gate.found import FoundFact


def settle(facts: dict[str, FoundFact]) -> Iterator[FoundFact]:
    """Drop facts that only repeat a better one."""
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


def _meet(one: FoundFact, other: FoundFact) -> bool:
    return other.start <= one.end and one.start <= other.end


def _repeats(fact: FoundFact, strong: Sequence[FoundFact]) -> bool:
    """Return whether another fact says better what this one says."""
    return any(_is_rather(fact, other) for other in strong if other is not fact)


def _is_rather(fact: FoundFact, other: FoundFact) -> bool:
    """Return whether a fact gives way to another: to an address, or to somebody else's birthday."""
    if fact.key == "user.location":
        return other.key == "user.address" and _meet(fact, other)
    return fact.key == "user.birthday" and other.key.endswith(".birthday") and fact.value == other.value
