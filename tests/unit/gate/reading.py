"""What the gate reads in a text, as its tests compare it."""

from __future__ import annotations

from typing import Any

from rememora.gate import evaluate


def facts_of(text: str) -> dict[str, Any]:
    """The facts by key."""
    return {fact.key: fact.value for fact in evaluate(text).facts}
