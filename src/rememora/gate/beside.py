"""Finds what a message states beside something sensitive: every clause is read and judged by itself.

The whole message is of no use for that: beside a secret the reader takes every word for a part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from rememora.domain.verdict import AnyVerdict, Fact, Origin, Refuse, TextSpan
from rememora.gate.intents import declines
from rememora.gate.policy import Policy
from rememora.gate.sensitive import find_mention, names_access, names_health
from rememora.gate.stated import stated_facts
from rememora.language.phrases import filled
from rememora.language.sentences import ends_sentence
from rememora.reading.parsed import ParsedMessage, parse_message

_OF_PEOPLE: Final = frozenset({"sensitive.health", "sensitive.personal"})
"""Reasons that end with a clause. A secret may go on in the next clause: "it is the dog's name, Mel2019"."""
_SENTENCE_END: Final = re.compile(r"[.!?;](?=\s|$)|\n")
# A comma alone divides no clauses that could stand by themselves: "Lia, que mora em Olinda, tem asma".
_CLAUSE_END: Final = re.compile(_SENTENCE_END.pattern + "|" + filled(r",?\s(?:{and}|{but})\s"), re.IGNORECASE)


def spare_harmless(verdict: AnyVerdict, message: ParsedMessage, policy: Policy) -> AnyVerdict:
    """Add to a sensitive refusal of the person's own words what they state beside it."""
    reading = message.normal
    sensitive = isinstance(verdict, Refuse) and verdict.sensitive and verdict.origin.first_hand
    if not sensitive or verdict.evidence is None or len(reading.text) > policy.threshold("read_characters"):
        return verdict
    if declines(reading, policy, "written") or declines(reading, policy, "borne"):
        return verdict
    of_people = verdict.reason in _OF_PEOPLE or not names_access(reading, policy)
    pieces = _pieces(reading.raw, _CLAUSE_END if of_people else _SENTENCE_END)
    facts = [
        fact
        for piece in pieces
        if piece.end <= verdict.evidence.start or verdict.evidence.end <= piece.start
        for fact in _stated(piece, message.before, policy, origin=verdict.origin)
    ]
    return msgspec.structs.replace(verdict, facts=tuple({fact.key: fact for fact in facts}.values()))


def _pieces(text: str, ends: re.Pattern[str]) -> Iterator[TextSpan]:
    """Yield the pieces of a text between these ends."""
    start = 0
    for end in ends.finditer(text):
        if end[0] == "." and not ends_sentence(text, end.start()):
            continue
        yield TextSpan(start=start, end=end.start(), text=text[start : end.start()])
        start = end.end()
    yield TextSpan(start=start, end=len(text), text=text[start:])


def _stated(piece: TextSpan, before: Sequence[str], policy: Policy, *, origin: Origin) -> Iterator[Fact]:
    """Yield what a clause states for sure of somebody that it names itself, if nothing in it is sensitive."""
    clause = parse_message(piece.text, before)
    alone = clause.normal
    if not alone.text.strip() or find_mention(alone, policy) or names_health(alone, policy):
        return
    if clause.chance("secret", "dont_keep") >= policy.threshold("reader_acts"):
        return
    # "E mora em Olinda" says it of whom the clause before it was about.
    named = [statement for statement in clause.statements if statement.subject and not statement.meant]
    for fact in stated_facts(alone, named, policy, origin=origin, confidence=policy.threshold("stated")):
        if fact.value is not None and fact.evidence is not None:
            evidence = fact.evidence
            moved = TextSpan(
                start=evidence.start + piece.start, end=evidence.end + piece.start, text=evidence.text
            )
            yield msgspec.structs.replace(fact, evidence=moved)
