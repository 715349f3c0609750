"""A fact as the rules read it off a message, before it has a category and an origin."""

from __future__ import annotations

import re

import msgspec

from rememora.language.folding import fold_same_length
from rememora.reading.normalised import NormalisedText

_NAME_CHARS = re.compile(r"[^a-z0-9]+")


class FoundFact(msgspec.Struct, frozen=True, kw_only=True):
    """A fact found in a message; its value is None where something no longer holds."""

    key: str
    value: str | bool | None
    start: int
    end: int


def slug(name: str) -> str:
    """A name as a segment of a key."""
    return _NAME_CHARS.sub("_", fold_same_length(name)).strip("_")


def group_of(match: re.Match[str], name: str, reading: NormalisedText) -> str:
    """Return the original text that a group captured; empty where it took no part."""
    if name not in match.re.groupindex or match.start(name) < 0:
        return ""
    return reading.text[match.start(name) : match.end(name)].strip(" ,")
