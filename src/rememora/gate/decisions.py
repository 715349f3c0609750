"""Lists the decisions behind a verdict, each with the words that spoke for it.

Computed on demand from the text and its verdict: a turn never waits for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rememora.domain.verdict import (
    AnyVerdict,
    Correct,
    ExplainedDecision,
    Forget,
    Quarantine,
    Refuse,
    Save,
    TextSpan,
    Utterance,
    WordWeight,
)
from rememora.gate import worth
from rememora.gate.facts import find_facts
from rememora.gate.intents import find_correction, find_forget, find_keep_request
from rememora.gate.judge import JUDGED_CHARACTERS, judge_closing
from rememora.gate.orders import find_order
from rememora.gate.policy import Policy, load_policy
from rememora.gate.sensitive import find_sensitive
from rememora.gate.trim import closing_start
from rememora.reading import weigh_words
from rememora.reading.labels import LABELS
from rememora.reading.normalised import NormalisedText
from rememora.reading.parsed import ParsedMessage, parse_message
from rememora.reading.results import SentencePart, Statement

MOST_SHOWN: Final = 12
"""Words of one decision, the weightiest."""
LEAST_SHOWN: Final = 0.01
_BY_TALK: Final = {
    "confirm.hedged": "hedge", "confirm.third_hand": "third_hand", "confirm.temporary": "temporary",
}  # fmt: skip
"""Reasons that words of doubt stand for, with the name of their rule."""


def explain_verdict(
    text: str,
    verdict: AnyVerdict,
    *,
    before: Sequence[str] = (),
    most: int = JUDGED_CHARACTERS,
    policy: Policy | None = None,
) -> tuple[ExplainedDecision, ...]:
    """List what rules decided, then the reader's label of the whole text, then each part of it."""
    policy = policy or load_policy()
    judged = text[:most]
    start, piece = _decisive(judged, verdict, policy)
    message = parse_message(piece, before)
    rules = (
        *_barring(parse_message(judged, before).normal, verdict, policy),
        *_ruling(message.normal, verdict, policy, start),
    )
    return (*rules, *_read_in(message, start))


def _decisive(text: str, verdict: AnyVerdict, policy: Policy) -> tuple[int, str]:
    """Return the part of a text whose meaning was read: its beginning, or its end where that decided."""
    most = int(policy.threshold("read_characters"))
    if len(text) <= most:
        return 0, text
    if judge_closing(text, policy, verdict.origin) is None:
        return 0, text[:most]
    start = closing_start(text, int(policy.threshold("closing_characters")))
    return start, text[start:]


def _barring(reading: NormalisedText, verdict: AnyVerdict, policy: Policy) -> Iterator[ExplainedDecision]:
    """Yield the rule that found an order or something sensitive; nothing where the reader found it."""
    if isinstance(verdict, Quarantine):
        order = find_order(reading, policy, third_party=not verdict.origin.first_hand)
        if order is not None:
            yield _ruled(f"orders.{order.family}", reading.span(order.start, order.end))
    elif isinstance(verdict, Refuse) and verdict.sensitive:
        secret = find_sensitive(reading, policy)
        if secret is not None and secret.code == verdict.reason:
            yield _ruled(secret.code, reading.span(secret.start, secret.end))


def _ruling(reading: NormalisedText, verdict: AnyVerdict, policy: Policy, by: int) -> Iterator[ExplainedDecision]:
    """Yield the rules that found a wish, doubt or the value of a slot, with the words that each matched."""
    for name, start, end in (*_wishes(reading, verdict, policy), *_slots(reading, verdict, policy)):
        yield _ruled(name, _moved(reading.span(start, end), by))


def _wishes(reading: NormalisedText, verdict: AnyVerdict, policy: Policy) -> Iterator[tuple[str, int, int]]:
    if isinstance(verdict, Forget) and (target := find_forget(reading, policy)):
        yield "intents.forget", target.start, target.end
    if isinstance(verdict, Correct) and (match := find_correction(reading, policy)):
        yield "intents.correct", *match.span()
    if isinstance(verdict, Save) and verdict.explicit and (wish := find_keep_request(reading, policy)):
        yield "intents.wish", wish.start, max(wish.start, wish.content) or len(reading.text)
    if verdict.reason == "refuse.unwanted":
        for kind in ("written", "borne"):
            if declined := policy.any_of(reading.folded, "intents", "decline", kind):
                yield f"intents.decline.{kind}", *declined.span()
    talk = _BY_TALK.get(verdict.reason)
    if talk is not None and (said := worth.says(reading, policy, talk)):
        yield f"worth.{talk}", *said.span()
    if verdict.reason == "refuse.filler" and worth.is_filler(reading, policy):
        yield "worth.filler", 0, len(reading.text)


def _slots(reading: NormalisedText, verdict: AnyVerdict, policy: Policy) -> Iterator[tuple[str, int, int]]:
    values = {fact.key: fact.value for fact in verdict.facts}
    for fact in find_facts(reading, policy):
        if values.get(fact.key) == fact.value and fact.value is not None:
            yield f"facts.{fact.key}", fact.start, fact.end


def _ruled(name: str, span: TextSpan) -> ExplainedDecision:
    return ExplainedDecision(by="rule", decision=name, chance=1.0, span=span)


def _read_in(message: ParsedMessage, by: int) -> Iterator[ExplainedDecision]:
    """Yield what the reader reads: the label of the whole, then the act of each part and what it states."""
    reading, spoken = message.normal, message.reading
    weighed = weigh_words(reading.text, message.before)

    def weights(shares: Sequence[tuple[int, int, float]]) -> tuple[WordWeight, ...]:
        spans = ((_moved(reading.span(start, end), by), weight) for start, end, weight in shares[:MOST_SHOWN])
        return tuple(
            WordWeight(start=span.start, end=span.end, text=span.text, weight=weight)
            for span, weight in spans
            if abs(weight) >= LEAST_SHOWN
        )

    label = max(LABELS, key=spoken.label)
    yield ExplainedDecision(
        by="reader",
        decision=label,
        chance=spoken.label(label),
        span=_moved(reading.whole(), by),
        words=weights(weighed.words) if weighed else (),
    )
    for number, part in enumerate(spoken.parts):
        statement = next((one for one in spoken.statements if one.start <= part.start < one.end), None)
        yield ExplainedDecision(
            by="reader",
            decision=part.act,
            chance=part.chance(part.act),
            span=_moved(reading.span(part.start, part.end), by),
            words=weights(weighed.parts[number]) if weighed else (),
            said=_said(statement),
            values=_values(statement, part),
        )


def _said(statement: Statement | None) -> Utterance | None:
    if statement is None:
        return None
    return Utterance(act=statement.act, attribute=statement.attribute, subject=statement.subject)


def _values(statement: Statement | None, part: SentencePart) -> tuple[str, ...]:
    values = () if statement is None else statement.values
    return tuple(value.text for value in values if part.start <= value.start < part.end)


def _moved(span: TextSpan, by: int) -> TextSpan:
    return TextSpan(start=span.start + by, end=span.end + by, text=span.text) if by else span
