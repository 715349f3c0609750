"""Orders that try to reach the agent through memory, however they are dressed."""

from __future__ import annotations

import re
from functools import lru_cache

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


class _Family(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    pattern: re.Pattern[str]
    unless: re.Pattern[str] | None
    pasted: re.Pattern[str] | None
    weak: bool

    def find(self, folded: str, *, pasted_all: bool) -> Order | None:
        """The first match that no exception beside it excuses."""
        parts = ((part.start(), part.end()) for part in self.pasted.finditer(folded)) if self.pasted else None
        for start, end in [(0, len(folded))] if parts is None or pasted_all else parts:
            for match in self.pattern.finditer(folded, start, end):
                if not self._excused(folded, match):
                    return Order(family=self.name, start=match.start(), end=match.end(), weak=self.weak)
        return None

    def _excused(self, folded: str, match: re.Match[str]) -> bool:
        # Only what stands near counts, lest a long text buys its excuse elsewhere.
        near = (max(0, match.start() - _NEAR), match.end() + _NEAR)
        return self.unless is not None and self.unless.search(folded, *near) is not None


_NEAR = 60


@lru_cache(maxsize=4)
def _families(policy: Policy) -> tuple[_Family, ...]:
    return tuple(
        _Family(
            name=name,
            pattern=policy.any_of("orders", name, "patterns"),
            unless=policy.one("orders", name, "unless") if "unless" in rule else None,
            pasted=policy.one("words", "pasted", "pattern") if rule.get("pasted") else None,
            weak=rule.get("weight") == "weak",
        )
        for name, rule in policy.plain("orders").items()
    )


def _scan(folded: str, policy: Policy, *, pasted_all: bool) -> Order | None:
    """Look for every family; a strong order outweighs a weak one."""
    weak: Order | None = None
    for family in _families(policy):
        order = family.find(folded, pasted_all=pasted_all)
        if order is not None and not order.weak:
            return order
        weak = weak or order
    return weak
