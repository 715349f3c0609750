"""Facts that a message states: dotted keys and values, several from one message."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from rememora.domain.verdict import Fact, Origin, TextSpan
from rememora.gate.found import FoundFact, group_of
from rememora.gate.keys import is_left, key_of
from rememora.gate.normalise import NormalisedText
from rememora.gate.policy import Policy
from rememora.gate.resolve import settle
from rememora.gate.trim import TRIMS, trim_company
from rememora.language.phrases import phrase

_MAX_FACTS = 12
_NAMED_LATER = phrase(r" {before_firm} (?=[A-ZÀ-Ý])")
_NOT = phrase(r"\b{negation}\b")
_NAME_CHARACTERS = 60 -> Fact:
    """A fact with its category, origin and evidence."""
    evidence: TextSpan = reading.span(fact.start, fact.end)
    return Fact(
        key=fact.key,
        value=fact.value,
        category=policy.category_of(fact.key) or "operating",
        confidence=confidence,
        origin=origin,
        evidence=evidence,
    )
