"""Which of the facts found in one message stand: what repeats a better one or belongs to somebody else goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rememora.gate.found import Found, known_for, slug
from rememora.gate.policy import Policy

OF_THE_OUTPUT = ("prefs.format", "prefs.report", "user.communication_style")
"""What a request says of the text it asks for, rather than of every text."""
_PASSING = (
    "tenant.segment",
    "user.location",
    "operating.business_hours",
    "user.role_title",
    "operating.service_scope",
    "user.contact_preference",
)
_PASSING_OF = ("user.trait.", "prefs.likes.", "prefs.dislikes.", "prefs.preference.", "user.learning.")
_PLACES = ("user.location", "operating.location")
_REACHED = (".phone", ".email")


def passing(fact: Found, *, done: bool) -> bool:
    """Facts whose words also describe a passing state, or what was just done with a tool."""
    if fact.firm:
        return False
    return (
        fact.loose
        or fact.key in _PASSING
        or fact.key.startswith(_PASSING_OF)
        or (done and fact.key.startswith("tools."))
    )


def settle(found: dict[str, Found], policy: Policy) -> Iterator[Found]:
    """Drop facts that only repeat a better one."""
    values = {fact.value for fact in found.values() if fact.key != "tenant.name" and not _unheard_of(fact, policy)}
    strong = [fact for fact in found.values() if not fact.weak]
    for fact in found.values():
        if fact.weak and any(_meet(fact, other) for other in strong):
            continue
        if _repeats(fact, strong) or _reaches_another(fact, strong):
            continue
        if fact.key in _PLACES and known_for(str(fact.value), policy):
            continue
        if fact.key == "tenant.name" and (fact.value in values or str(fact.value).islower()):
            continue
        if (
            fact.key == "user.location"
            and "operating.location" in found
            and found["operating.location"].value == fact.value
        ):
            continue
        if (
            fact.key == "operating.service_scope"
            and {"operating.target_audience", "prefs.channels_enabled"} & found.keys()
        ):
            continue
        yield fact


def _meet(one: Found, other: Found) -> bool:
    return other.start <= one.end and one.start <= other.end


def _reaches_another(fact: Found, strong: Sequence[Found]) -> bool:
    """Whether a number or an address was given for somebody named nearer to it, or one that it is named after."""
    if not fact.key.endswith(_REACHED):
        return False
    who = fact.key.split(".")[1]
    rivals = [other for other in strong if other.value == fact.value and other.key != fact.key]
    if any(str(rival.value).startswith(rival.key.split(".")[1]) for rival in rivals):
        return True
    if str(fact.value).startswith(who):
        return False
    named = {other.key.split(".")[1]: other.start for other in strong if other.key.endswith(".role")}
    return any(named.get(rival.key.split(".")[1], 0) > named.get(who, fact.start) for rival in rivals)


def _repeats(fact: Found, strong: Sequence[Found]) -> bool:
    """Whether a fact of a loose rule says again what a closer one says, of the same words or the same value."""
    others = [other for other in strong if other is not fact]
    if fact.loose:
        return any(_meet(fact, other) and not other.loose for other in others)
    if fact.key == "user.birthday":
        return any(other.key.endswith(".birthday") and other.value == fact.value for other in others)
    if fact.key == "user.location":
        return any(other.key == "user.address" and _meet(fact, other) for other in others)
    if fact.key == "goals.target":
        return any(other.key.startswith("kpis.") and _meet(fact, other) for other in others)
    if fact.key == "prefs.format":
        return any(other.key == "prefs.report_format" and _meet(fact, other) for other in others)
    named = ("user.location", "operating.location", "tenant.name")
    return fact.key.startswith("tools.") and any(
        (other.key in named and other.value == fact.value)
        or other.key.startswith(f"people.{slug(str(fact.value))}.")
        for other in others
    )


def _unheard_of(fact: Found, policy: Policy) -> bool:
    """Whether a tool may as well be a company: nobody listed its name."""
    return fact.key.startswith("tools.") and known_for(str(fact.value), policy) is None
