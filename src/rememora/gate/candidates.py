"""Requirements on a proposed key and value, checked before anything else."""

from __future__ import annotations

import re

from rememora.domain.verdict import Candidate
from rememora.errors import InvalidInput
from rememora.gate.normalise import fold_same_length, read
from rememora.gate.policy import Policy
from rememora.gate.worth import is_filler
from rememora.language.keys import attribute_of, is_statement
from rememora.reading.labels import ATTRIBUTES

_ATTRIBUTES = frozenset((*ATTRIBUTES, "note", "event"))


def refuse_candidate(candidate: Candidate, policy: Policy) -> str | None:
    """Reason code why a candidate says nothing, or None; malformed input is an error that names its field."""
    check_candidate(candidate, policy)
    if policy.category_of(candidate.key) is None:
        return "refuse.no_category"
    if any(segment in policy.listed("weak_key") for segment in candidate.key.split(".")[1:]):
        return "refuse.weak_key"
    return _weak_value(candidate.value, policy)


def as_said(candidate: Candidate) -> str:
    """A key and a value as a message would say them; the key of a sentence is ours and says nothing.

    "rule s622c59a" in front of a rule counted as a sign of an order, and the rule was held.
    """
    ours = is_statement(candidate.key) and attribute_of(candidate.key) in _ATTRIBUTES
    name = candidate.key.rpartition(".")[2].replace("_", " ")
    return str(candidate.value) if ours else f"{name}: {candidate.value}"


def check_candidate(candidate: Candidate, policy: Policy) -> None:
    """Refuse what cannot be a key, a value, a category or a confidence at all."""
    if not candidate.key or not candidate.key.strip():
        raise InvalidInput("key", "must not be empty")
    if len(candidate.key) > policy.threshold("key_characters"):
        raise InvalidInput("key", f"must have at most {policy.threshold('key_characters'):.0f} characters")
    if "." not in candidate.key:
        raise InvalidInput("key", "must have a namespace, as in `user.name`")
    if not re.fullmatch(policy.plain("policy", "key", "pattern"), candidate.key):
        raise InvalidInput("key", "must be dotted lower-case words, as in `user.name`")
    if not 0.0 <= candidate.confidence <= 1.0:
        raise InvalidInput("confidence", "must be between 0 and 1")
    if candidate.category is not None and candidate.category not in {known.name for known in policy.categories}:
        raise InvalidInput("category", f"must be one of {', '.join(known.name for known in policy.categories)}")
    if isinstance(candidate.value, str) and len(candidate.value.encode()) > policy.threshold("value_bytes"):
        raise InvalidInput("value", f"must have at most {policy.threshold('value_bytes'):.0f} bytes")


def _weak_value(value: object, policy: Policy) -> str | None:
    """A value that says nothing: absent, too short, or filler."""
    if value is None:
        return "refuse.weak_value"
    if not isinstance(value, str):
        return None
    folded = fold_same_length(value).strip()
    if len(folded) < policy.threshold("weak_value_characters") or folded in policy.listed("filler_value"):
        return "refuse.weak_value"
    if not any(char.isalnum() for char in folded):
        return "refuse.weak_value"
    return "refuse.filler" if len(folded.split()) > 1 and is_filler(read(value), policy) else None
