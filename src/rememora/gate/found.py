"""A fact as the rules read it off a message, before it has a category and an origin."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from rememora.gate.normalise import fold_same_length
from rememora.gate.policy import Policy

_NAME_CHARS = re.compile(r"[^a-z0-9]+")


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A fact as read off a message; `weak` when a word of preference alone shows it."""

    key: str
    value: str | bool | None
    start: int
    end: int
    weak: bool = False
    loose: bool = False
    """Whether a catch-all rule found it, whose words may as well describe a passing state."""


def slug(name: str) -> str:
    """A name as a segment of a key."""
    return _NAME_CHARS.sub("_", fold_same_length(name)).strip("_")


def known_for(name: str, policy: Policy) -> str | None:
    """What a tool of that name is known for."""
    return _known_for(fold_same_length(name), policy)


@lru_cache(maxsize=1024)
def _known_for(folded: str, policy: Policy) -> str | None:
    for kind, names in policy.plain("topics", "tool_kinds").items():
        if folded in names or any(folded.startswith(f"{known} ") for known in names):
            return str(kind)
    return None
