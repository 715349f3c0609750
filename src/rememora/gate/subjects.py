"""What a plain statement is about: its subject names the key, its predicate is the value."""

from __future__ import annotations

import re

from rememora.gate.normalise import Reading
from rememora.gate.policy import Policy

_WORD = re.compile(r"[a-z0-9]+")
_MOST_WORDS = 4
_LINKS = frozenset({"e", "E"})


def find_predicate(reading: Reading, policy: Policy, start: int = 0) -> int | None:
    """Where what is said of the subject begins, counted from `start`."""
    folded = reading.folded[start:]
    found = policy.one("topics", "trim", "predicate").search(folded)
    if found is None:
        return None
    at: int = found.start("v")
    # "e" without its accent also means "and": it says what something is only after a subject that opens as one.
    joins = reading.text[start : start + at].split()[-1] in _LINKS
    if joins and ("\u00e9" in reading.text or not policy.one("topics", "subject", "opened").match(folded)):
        return None
    return at


def subject_name(subject: str, policy: Policy) -> str | None:
    """The folded subject of a statement as the last segment of a key; None where it names nothing by itself."""
    if policy.one("topics", "subject", "unnamed").search(subject):
        return None
    if place := policy.one("topics", "subject", "place").match(subject):
        subject = subject[place.end() :]
    linking = policy.plain("topics", "subject", "linking")
    words = [word for word in _WORD.findall(subject) if word not in linking]
    if not words or len(words) > _MOST_WORDS or not words[0][0].isalpha():
        return None
    return None if words[0] in policy.plain("topics", "trim", "company_stop") else "_".join(words)
