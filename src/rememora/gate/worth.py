"""Durability of a statement: fillers, doubt, time."""

from __future__ import annotations

import re

from rememora.gate.policy import Policy
from rememora.language.phrases import phrase
from rememora.reading.normalised import NormalisedText

_STRETCH = re.compile(r"(.)\1{2,}")
_LAUGH = phrase("{laugh}")
_MAX_FILLER_WORDS = 8


def is_filler(reading: NormalisedText, policy: Policy) -> bool:
    """A message made of nothing but greetings, thanks, assent and laughter."""
    words = reading.words()
    if len(words) > _MAX_FILLER_WORDS:
        return False
    known = policy.listed("filler")
    return all(
        word in known
        or _LAUGH.fullmatch(word)
        or _STRETCH.sub(r"\1", word) in known
        or word.replace("'", "") in known
        for word in words
    )


def says(reading: NormalisedText, policy: Policy, kind: str) -> re.Match[str] | None:
    """Match a kind of talk in a message: hedge, temporary, and so on."""
    return policy.any_of(reading.folded, "worth", kind, "patterns")
