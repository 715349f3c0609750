"""Judges a proposed key and value: what they must be at all, then what a message that says them may say."""

from __future__ import annotations

import re

from rememora.domain.verdict import AnyVerdict, Ask, Candidate, Fact, Origin, Quarantine, Refuse, Save
from rememora.errors import InvalidInput
from rememora.gate.barred import barred, make_verdict
from rememora.gate.orders import find_order
from rememora.gate.policy import Policy, load_policy
from rememora.gate.worth import is_filler
from rememora.language.folding import fold_same_length
from rememora.language.keys import attribute_of, is_statement
from rememora.reading.labels import ATTRIBUTES
from rememora.reading.normalised import normalise

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
    return "refuse.filler" if len(folded.split()) > 1 and is_filler(normalise(value), policy) else None


def judge_candidate(
    candidate: Candidate,
    *,
    insists: bool = False,
    allow_sensitive: bool = False,
    policy: Policy | None = None,
) -> AnyVerdict:
    """Judge a key and a value: from `remember`, a profile seed, inference or a model's extraction."""
    policy = policy or load_policy()
    origin = candidate.origin
    if code := refuse_candidate(candidate, policy):
        return make_verdict(Refuse, code, policy, origin=origin, confidence=1.0, evidence=candidate.evidence)
    spoken = normalise(as_said(candidate))
    if refusal := barred(spoken, policy, origin=origin, lenient=insists and allow_sensitive):
        return refusal
    if isinstance(candidate.value, str) and (held := _ordered(candidate.value, policy, origin)):
        return held
    sure = candidate.explicit or candidate.seeded
    fact = Fact(
        key=candidate.key,
        value=candidate.value,
        category=candidate.category or policy.category_of(candidate.key) or "",
        confidence=policy.threshold("explicit") if sure else candidate.confidence,
        origin=origin,
        evidence=candidate.evidence,
    )
    if not origin.first_hand:
        return make_verdict(
            Ask, "confirm.third_party", policy, origin=origin, confidence=fact.confidence, facts=(fact,)
        )
    if not sure and candidate.confidence < policy.threshold("inference"):
        return make_verdict(
            Ask, "confirm.low_confidence", policy, origin=origin, confidence=fact.confidence, facts=(fact,)
        )
    reason = "explicit" if candidate.explicit else "seeded" if candidate.seeded else "stated"
    return make_verdict(
        Save,
        reason,
        policy,
        origin=origin,
        confidence=fact.confidence,
        facts=(fact,),
        explicit=candidate.explicit,
    )


def _ordered(value: str, policy: Policy, origin: Origin) -> AnyVerdict | None:
    """Quarantine for a value that is an order when it is read alone, as the message that it could have been."""
    reading = normalise(value)
    order = find_order(reading, policy, third_party=not origin.first_hand)
    if order is None:
        return None
    evidence = reading.span(order.start, order.end)
    return make_verdict(
        Quarantine, f"order.{order.family}", policy, origin=origin, confidence=0.9, evidence=evidence
    )
