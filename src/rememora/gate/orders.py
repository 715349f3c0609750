"""Orders that try to reach the agent through memory, however they are dressed."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from rememora.gate.lexicon import Frame, Lexicon, Tagged, lexicon_of, parse_frame
from rememora.gate.normalise import Reading, fold_same_length, hidden_texts
from rememora.gate.policy import Policy

_FORGED = "frame"


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


class _Family(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    frames: tuple[Frame, ...]
    pasted: bool
    weak: bool


@lru_cache(maxsize=4)
def _families(policy: Policy) -> tuple[_Family, ...]:
    lexicon = lexicon_of(policy)
    return tuple(
        _Family(
            name=name,
            frames=tuple(parse_frame(text, lexicon) for text in rule["frames"]),
            pasted=rule.get("pasted", False),
            weak=rule.get("weight") == "weak",
        )
        for name, rule in policy.plain("orders").items()
        if "frames" in rule
    )


def _scan(folded: str, policy: Policy, *, pasted_all: bool) -> Order | None:
    """Look for forged markup, then for every family; a strong order outweighs a weak one."""
    if match := policy.any_of("orders", _FORGED, "patterns").search(folded):
        return Order(family=_FORGED, start=match.start(), end=match.end(), weak=False)
    lexicon = lexicon_of(policy)
    whole = lexicon.tag(folded, pasted=_pasted(folded, policy, pasted_all=pasted_all))
    inside = lexicon.only_pasted(whole)
    weak: Order | None = None
    for family in _families(policy):
        order = _find(family, inside if family.pasted else whole, lexicon)
        if order is not None and not order.weak:
            return order
        weak = weak or order
    return weak


def _pasted(folded: str, policy: Policy, *, pasted_all: bool) -> list[tuple[int, int]]:
    """Where other people's text stands in a message."""
    if pasted_all:
        return [(0, len(folded))]
    return [match.span() for match in policy.one("words", "pasted", "pattern").finditer(folded)]


def _find(family: _Family, tagged: Tagged | None, lexicon: Lexicon) -> Order | None:
    if tagged is None:
        return None
    for frame in family.frames:
        if places := frame.find(tagged, lexicon.bits["stop"]):
            start, end = tagged.spans[places[0]][0], tagged.spans[places[1]][1]
            return Order(family=family.name, start=start, end=end, weak=family.weak)
    return None
