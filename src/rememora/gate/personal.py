"""Personal facts: family, roles that one person holds at a time, and tastes with their opposites."""

from __future__ import annotations

from rememora.gate.found import slug
from rememora.gate.policy import Policy
from rememora.language.folding import fold_same_length


def is_family(key: str, value: object, policy: Policy) -> bool:
    """Return whether a fact is about a family member, by the key or by the relation."""
    space, _, rest = key.partition(".")
    if space != "people":
        return False
    who, _, what = rest.partition(".")
    kin = policy.one("personal", "own", "family")
    if kin.match(who) or who in policy.plain("personal", "own", "relatives"):
        return True
    return what == "role" and isinstance(value, str) and kin.match(fold_same_length(value)) is not None


def sole_place(key: str, value: object, policy: Policy) -> str | None:
    """Return the single-holder role that a fact gives to somebody, or None."""
    if not (key.startswith("people.") and key.endswith(".role") and isinstance(value, str)):
        return None
    folded = fold_same_length(value).strip()
    if not policy.one("personal", "own", "sole").match(folded):
        return None
    name = folded.split()[-1]
    return str(policy.plain("pairs", "same_place").get(name, slug(name)))


def opposite_of(key: str, policy: Policy) -> str | None:
    """The key of the taste that a taste rules out: who does not like something no longer likes it."""
    for opening, other in policy.plain("personal", "own", "opposite").items():
        if key.startswith(opening):
            return f"{other}{key.removeprefix(opening)}"
    return None
