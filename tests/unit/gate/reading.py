"""What the gate reads in a text, as its tests compare it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rememora.gate import evaluate
from rememora.gate.stated import SLOTS
from rememora.language import fold

_WORD = re.compile(r"[^\W_]+")


def facts_of(text: str) -> dict[str, Any]:
    """The facts by key."""
    return {fact.key: fact.value for fact in evaluate(text).facts}


def slots_of(text: str) -> dict[str, Any]:
    """The facts that are slots, by key."""
    return {key: value for key, value in facts_of(text).items() if key in SLOTS}


def holds(facts: Mapping[str, Any], key: str, value: Any) -> bool:
    """Whether facts say something: a slot by its key and value, anything else by the words of one value."""
    if key in SLOTS:
        return key in facts and bool(facts[key] == value)
    words = set(_words(value))
    return any(words <= set(_words(fact)) for fact in facts.values())


def _words(value: Any) -> list[str]:
    return _WORD.findall(fold(str(value)))
