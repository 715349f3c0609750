"""The noun of extraction: one thing that a text mentions."""

from __future__ import annotations

import msgspec

from rememora.knowledge.mentions.gazetteer import slug


class Mention(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a text mentions; `span` is where it stands, and the key says what it is about."""

    type: str
    key: str
    value: str
    confidence: float
    span: tuple[int, int]


def mention(type: str, name: str, value: str, *, confidence: float, span: tuple[int, int]) -> Mention:
    """A mention under the key that all spellings of its name share."""
    return Mention(type=type, key=f"{type}.{slug(name)}", value=value, confidence=confidence, span=span)
