"""How a person answers a pending question: yes, no, another value, or something else altogether."""

from __future__ import annotations

import re

import msgspec

from rememora.gate.normalise import read
from rememora.gate.policy import load_policy

_QUESTION = re.compile(r"\?\s*$")
_MAX_VALUE_WORDS = 12


class Yes(msgspec.Struct, frozen=True, tag=True):
    """The person confirms."""


class No(msgspec.Struct, frozen=True, tag=True):
    """The person refuses."""


class Value(msgspec.Struct, frozen=True, tag=True):
    """The person gives another value."""

    text: str


class Unrelated(msgspec.Struct, frozen=True, tag=True):
    """The person speaks of something else; the question stays open."""


def read_answer(text: str) -> Yes | No | Value | Unrelated:
    """Read `text` as the answer to a question about a memory."""
    policy = load_policy()
    reading = read(text.strip())
    folded = reading.folded.strip()
    if not folded or _QUESTION.search(folded):
        return Unrelated()
    if policy.one("answers", "answers", "yes").match(folded):
        return Yes()
    if policy.one("answers", "answers", "no").match(folded):
        return No()
    if len(folded.split()) > _MAX_VALUE_WORDS or not policy.one("answers", "answers", "opened").match(folded):
        return Unrelated()
    match = policy.one("answers", "answers", "replaced").match(folded) or policy.one(
        "answers", "answers", "value"
    ).match(folded)
    value = reading.text.strip()[match.start("v") : match.end("v")].strip(" .,!") if match else ""
    return Value(value) if value else Unrelated()
