"""Durability of a statement: kinds of talk, doubt, time, and signs of permanence."""

from __future__ import annotations

import re

from rememora.gate.normalise import NormalisedText
from rememora.gate.policy import Policy
from rememora.language.phrases import phrase

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


def is_question(reading: NormalisedText, policy: Policy) -> bool:
    """A message that asks, with or without a question mark."""
    text = reading.folded.rstrip()
    return "?" in text or policy.one("worth", "question", "start").search(text) is not None


def is_request(reading: NormalisedText, policy: Policy) -> bool:
    """A message that opens by asking for something to be done."""
    return policy.one("worth", "request", "start").search(reading.folded) is not None


def is_temporary(reading: NormalisedText, policy: Policy) -> bool:
    """A state that lasts days or weeks; a goal for a period is not one."""
    if says(reading, policy, "temporary") is None:
        return False
    if policy.one("worth", "temporary_goal").search(reading.folded):
        return False
    return policy.one("worth", "temporary_state").search(reading.folded) is not None


def is_passing(reading: NormalisedText, policy: Policy) -> bool:
    """Return whether it is about something happening or failing right now."""
    return policy.any_of(reading.folded, "worth", "passing", "patterns") is not None
