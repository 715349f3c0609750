"""A fact as the rules read it off a message, before it has a category and an origin."""

from __future__ import annotations

import re

import msgspec

from rememora.gate.normalise import fold_same_length
from rememora.gate.policy import Policy

_NAME_CHARS = re.compile(r"[^a-z0-9]+")


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A fact as read off a message, of the value None where something no longer holds.

    `weak` when a word of preference alone shows it; `firm` when it holds although something momentary is said
    beside it; `loose` when any closer reading of the same words is better.
    """

    key: str
    value: str | bool | None
    start: int
    end: int
    weak: bool = False
    firm: bool = False
    loose: bool = False


def slug(name: str) -> str:
    """A name as a segment of a key."""
    return _NAME_CHARS.sub("_", fold_same_length(name)).strip("_")


def known_for(name: str, policy: Policy) -> str | None:
    """What a tool of that name is known for."""
    folded = fold_same_length(name)
    for kind, names in policy.plain("topics", "tool_kinds").items():
        if folded in names or any(folded.startswith(f"{known} ") for known in names):
            return str(kind)
    return None
