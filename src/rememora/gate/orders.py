"""Orders that try to reach the agent through memory, however they are dressed."""

from __future__ import annotations

import re

import msgspec

from rememora.gate.normalise import Reading, fold_same_length, hidden_texts
from rememora.gate.policy import Policy


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """An order found, where, and whether a secret in the same text outweighs it."""

    family: str
    start: int
    end: int
    weak: bool


def find_order(reading: Reading, policy: Policy, *, third_party: bool = False) -> Order | None:
    """The first order in a text; from a third party the whole text counts as pasted."""
    found = _scan(reading.folded, policy, pasted_all=third_party)
    if found is not None and not found.weak:
        return found
    for hidden in hidden_texts(reading):
        if _scan(hidden, policy, pasted_all=True):
            return Order(family="encoded", start=0, end=len(reading.text), weak=False)
    if reading.text != reading.raw and found is None:
        return _in_raw(reading, policy, third_party=third_party)
    return found


def _in_raw(reading: Reading, policy: Policy, *, third_party: bool) -> Order | None:
    """Also look before disfluencies were dropped, lest an order hides among them."""
    found = _scan(fold_same_length(reading.raw), policy, pasted_all=third_party)
    return found and Order(family=found.family, start=0, end=len(reading.text), weak=found.weak)


def _scan(folded: str, policy: Policy, *, pasted_all: bool) -> Order | None:
    """Look for every family, strong ones first."""
    weak: Order | None = None
    for family, rule in policy.document["orders"].items():
        pattern = policy.any_of("orders", family, "patterns")
        match = (
            _search_pasted(pattern, folded, None if pasted_all else policy.one("words", "pasted", "pattern"))
            if rule.get("pasted")
            else pattern.search(folded)
        )
        if match is None or ("unless" in rule and policy.one("orders", family, "unless").search(folded)):
            continue
        order = Order(family=family, start=match.start(), end=match.end(), weak=rule.get("weight") == "weak")
        if not order.weak:
            return order
        weak = weak or order
    return weak


def _search_pasted(
    pattern: re.Pattern[str], folded: str, pasted: re.Pattern[str] | None
) -> re.Match[str] | None:
    """Search only what seems to be somebody else's text."""
    if pasted is None:
        return pattern.search(folded)
    for part in pasted.finditer(folded):
        if match := pattern.search(folded, part.start(), part.end()):
            return match
    return None
