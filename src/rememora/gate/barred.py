"""Bars what no message may say, whatever else is in it: orders are quarantined, secrets are refused."""

from __future__ import annotations

from typing import Any

import msgspec

from rememora.domain.verdict import AnyVerdict, Ask, Correct, Forget, Origin, Quarantine, Refuse, Save
from rememora.gate.intents import find_forget
from rememora.gate.orders import find_order
from rememora.gate.policy import Policy
from rememora.gate.sensitive import find_sensitive
from rememora.reading.normalised import NormalisedText


def make_verdict(kind: type[Any], reason: str, policy: Policy, *, origin: Origin, **fields: Any) -> AnyVerdict:
    """A verdict with its human reason."""
    verdict: AnyVerdict = kind(reason=reason, why=policy.why(reason), origin=origin, **fields)
    return verdict


def barred(reading: NormalisedText, policy: Policy, *, origin: Origin, lenient: bool) -> AnyVerdict | None:
    """Quarantine for orders, refusal for sensitive content, None for the rest."""
    order = find_order(reading, policy, third_party=not origin.first_hand)
    secret = None if order and not order.weak else find_sensitive(reading, policy)
    if order and not secret:
        evidence = reading.span(order.start, order.end)
        return make_verdict(
            Quarantine, f"order.{order.family}", policy, origin=origin, confidence=0.9, evidence=evidence
        )
    # Who wants something sensitive forgotten asks for nothing to be kept.
    if secret and not lenient and not (origin.first_hand and find_forget(reading, policy)):
        evidence = reading.span(secret.start, secret.end)
        verdict = make_verdict(
            Refuse, secret.code, policy, origin=origin, confidence=0.95, evidence=evidence, sensitive=True
        )
        return (
            msgspec.structs.replace(verdict, why=policy.why_insist(secret.code)) if origin.first_hand else verdict
        )
    return None


def distrust(verdict: AnyVerdict, policy: Policy) -> AnyVerdict:
    """Downgrade a third party's statement to a question to the person; it never commands memory."""
    if isinstance(verdict, Save | Correct):
        return make_verdict(
            Ask,
            "confirm.third_party",
            policy,
            origin=verdict.origin,
            confidence=min(verdict.confidence, policy.threshold("doubtful")),
            evidence=verdict.evidence,
            facts=verdict.facts,
        )
    if isinstance(verdict, Forget):
        return make_verdict(
            Quarantine,
            "order.address_agent",
            policy,
            origin=verdict.origin,
            confidence=0.8,
            evidence=verdict.evidence,
        )
    return verdict
