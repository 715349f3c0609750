"""Turns a statement that a language model proposes into facts: a slot where it surely is one, and the sentence.

A slot is filled where a rule finds it in the quoted words and the reader agrees, or where the model says that it
is the author's, under the attribute of that slot, with a value that stands in the quote, and the reader is not
sure of something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from rememora.domain.proposed_statement import ProposedStatement
from rememora.domain.verdict import Fact, Utterance
from rememora.gate.found import FoundFact
from rememora.gate.policy import Policy
from rememora.gate.stated import (
    SLOTS,
    agreed,
    as_name,
    sentence_fact,
    stated_facts,
)
from rememora.language import language_of_text
from rememora.language.folding import fold_same_length
from rememora.language.packs import BUILTIN
from rememora.reading.normalised import normalise
from rememora.reading.parsed import parse_message
from rememora.reading.results import AttributeValue, Statement

_SLOT_OF: Final = {
    "name": "user.name",
    "role": "user.role_title",
    "place": "user.location",
    "phone": "user.phone",
    "email": "user.email",
    "address": "user.address",
    "age": "user.age",
    "diet": "user.diet",
}
"""Slots that a model's word can fill, by attribute.

Left out are slots whose value is not in the words said (`03-12`), and attributes of several things: a relation of
the author is a sister as often as a marriage.
"""
_OF_FLAGS: Final = frozenset({"style", "rule", "likes", "dislikes"})
"""Attributes of what a flag says: "no emojis"."""
_ACT: Final = {"add": "tell", "change": "change", "nothing": "tell"}


class StatementFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of one proposed statement."""

    slot: Fact | None = None
    rest: Fact | None = None
    """The part of the sentence that the slot does not say."""
    whole: Fact | None = None
    """The whole sentence, which is kept where the slot may not be filled."""


def facts_of_model(proposed: ProposedStatement, policy: Policy, *, before: Sequence[str] = ()) -> StatementFacts:
    """Return the facts of a proposed statement; none where it says nothing to whoever reads it alone."""
    slot = next(_slots(proposed, policy, before), None)
    whole = _sentence(proposed, policy)
    rest = whole if slot is None else _sentence(proposed, policy, slot=slot)
    return StatementFacts(slot=slot, rest=rest, whole=whole)


def _slots(proposed: ProposedStatement, policy: Policy, before: Sequence[str]) -> Iterator[Fact]:
    """Yield the slots that the quoted words fill: by rule and reader, or by the model's word on the author."""
    if proposed.subject not in ("", "me", "company"):
        return
    message = parse_message(proposed.quote.text, before)
    quote, stated = message.normal, message.statements
    for fact in stated_facts(quote, stated, policy, origin=proposed.origin, confidence=proposed.certainty):
        if fact.key in SLOTS and _is_of(proposed, fact.key):
            yield _placed(fact, proposed)
    key = _SLOT_OF.get(proposed.attribute)
    start = _place(proposed.value, quote.text)
    if key is None or proposed.subject != "me" or start < 0:
        return
    seen = FoundFact(key=key, value=proposed.value, start=start, end=start + len(proposed.value))
    if not any(_objects(seen, statement, quote.text) for statement in stated):
        yield _placed(_fact(key, proposed.value, proposed, policy), proposed)


def _is_of(proposed: ProposedStatement, key: str) -> bool:
    """Return whether a slot is of the attribute that the model names, or the model names none."""
    attributes = {attribute for attribute, _ in SLOTS[key]} or _OF_FLAGS
    return proposed.attribute == "other" or proposed.attribute in attributes


def _objects(fact: FoundFact, statement: Statement, text: str) -> bool:
    """Return whether the reader is sure that a value is somebody else's, or no value of the slot."""
    if statement.end <= fact.start or fact.end <= statement.start:
        return False
    if language_of_text(text) in BUILTIN and as_name(fact, statement) is None:
        return True
    return agreed(fact, statement) is None


def _sentence(proposed: ProposedStatement, policy: Policy, *, slot: Fact | None = None) -> Fact | None:
    """Return the sentence of a statement, or the part of it that a slot does not say."""
    reading = normalise(proposed.text)
    value = _value(proposed, reading.text)
    statement = Statement(
        start=0,
        end=len(reading.text),
        text=reading.text,
        act=_ACT[proposed.action],
        sure=proposed.certainty,
        values=() if value is None else (value,),
        subject=proposed.subject,
        attribute=proposed.attribute,
        of_person=proposed.of_person,
    )
    fact = sentence_fact(
        reading,
        statement,
        policy,
        origin=proposed.origin,
        confidence=proposed.certainty,
        others=_beside(slot, reading.text),
    )
    return None if fact is None else msgspec.structs.replace(fact, evidence=proposed.quote)


def _value(proposed: ProposedStatement, text: str) -> AttributeValue | None:
    """Return the place of the value in the statement."""
    start = _place(proposed.value, text)
    if start < 0:
        return None
    subject = proposed.subject if proposed.subject in ("", "me", "company") else "named"
    return AttributeValue(
        start=start,
        end=start + len(proposed.value),
        text=text[start : start + len(proposed.value)],
        attribute=proposed.attribute,
        sure=proposed.certainty,
        subject=subject,
        subject_sure=proposed.certainty,
    )


def _beside(slot: Fact | None, text: str) -> list[FoundFact]:
    """Return a slot at its place in a statement: that of its value, or all of it where the value is a flag."""
    if slot is None:
        return []
    start = _place(str(slot.value), text)
    start, end = (start, start + len(str(slot.value))) if start >= 0 else (0, len(text))
    return [
        FoundFact(
            key=slot.key,
            value=slot.value if isinstance(slot.value, bool) else str(slot.value),
            start=start,
            end=end,
        )
    ]


def _place(value: str, text: str) -> int:
    """Return where a value stands in a text, case and accents aside; -1 where it does not."""
    return fold_same_length(text).find(fold_same_length(value)) if value else -1


def _fact(key: str, value: str, proposed: ProposedStatement, policy: Policy) -> Fact:
    return Fact(
        key=key,
        value=value,
        category=policy.category_of(key) or "operating",
        confidence=proposed.certainty,
        origin=proposed.origin,
    )


def _placed(fact: Fact, proposed: ProposedStatement) -> Fact:
    """Return a slot with the words that it was read in, and the act that the model gives it."""
    attribute, subject = SLOTS[fact.key][0] if SLOTS[fact.key] else (proposed.attribute, proposed.subject)
    utterance = Utterance(act=_ACT[proposed.action], attribute=attribute, subject=subject)
    return msgspec.structs.replace(fact, evidence=proposed.quote, said=utterance)
