"""Changes a part of a statement: what a newer one says otherwise goes, the rest stays as it was said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rememora.language.phrases import phrase
from rememora.language.sentences import ends_sentence
from rememora.statements.links import ComparedStatement, known

_CLAUSE: Final = phrase(r"(?<!\s)(?:\s*+[;,](?:\s++(?:{and}|{but}))?+|\.|\s++(?:{and}|{but}))\s+")
# Speaks of the person or thing of the clause before it, and means nothing without that clause.
_TAKES_UP: Final = phrase(r"{third_person}\b", re.IGNORECASE)
# A range is one value with two ends: a correction usually names only one of them.
_RANGE: Final = phrase(
    r"(?P<first>\d{1,2}(?:[:h]\d{0,2})?h?(?:\s?[ap]m)?)"
    r"(?P<joint>\s*(?:{hour_range}|-|–)\s*(?:{hour_article} )?)"
    r"(?P<last>\d{1,2}(?:[:h]\d{0,2})?h?(?:\s?[ap]m)?)",
    re.IGNORECASE,
)
_TIME: Final = re.compile(r"\b\d{1,2}(?:[:h]\d{0,2})?h?(?:\s?[ap]m)?\b", re.IGNORECASE)
_CLOSES: Final = phrase(r"\b{closes}\b", re.IGNORECASE)
_OPENS: Final = phrase(r"\b{opens}\b", re.IGNORECASE)
LEAST_STEMS: Final = 2
"""Words that say something, without which a rest is not worth keeping."""


def without_part(old: ComparedStatement, statement: ComparedStatement) -> str:
    """Return the part of the old statement that still holds next to a newer one; empty where nothing remains."""
    return _other_time(old.text, statement.text) or _other_clauses(old, statement)


def _other_time(old: str, new: str) -> str:
    """A range of hours of which one end moved: "das 11h às 23h", and now it closes at 21h."""
    ranges, times = list(_RANGE.finditer(old)), _TIME.findall(new)
    if len(ranges) != 1 or len(times) != 1:
        return ""
    end = "last" if _CLOSES.search(new) else "first" if _OPENS.search(new) else ""
    if not end:
        return ""
    return f"{old[: ranges[0].start(end)]}{times[0]}{old[ranges[0].end(end) :]}"


def _other_clauses(old: ComparedStatement, statement: ComparedStatement) -> str:
    """The clauses of a statement that speak of something else than the newer one."""
    clauses = list(_clauses(old.text))
    if len(clauses) < 2:
        return ""
    parts = [known(text) for text in clauses]
    scores = [_closeness(part, statement) for part in parts]
    worst = max(range(len(parts)), key=lambda at: scores[at])
    gone = worst + 1
    while gone < len(clauses) and _TAKES_UP.match(clauses[gone]):
        gone += 1
    rest = [*clauses[:worst], *clauses[gone:]]
    left = ", ".join(rest)
    return left if len(known(left).stems) >= LEAST_STEMS else ""


def clause_count(text: str) -> int:
    """Count the clauses of a statement."""
    return len(list(_clauses(text)))


def _clauses(text: str) -> Iterator[str]:
    at = 0
    for joint in _CLAUSE.finditer(text):
        if joint[0].startswith(".") and not ends_sentence(text, joint.start()):
            continue
        if clause := text[at : joint.start()].strip(" .,;"):
            yield clause
        at = joint.end()
    if clause := text[at:].strip(" .,;"):
        yield clause


def _closeness(clause: ComparedStatement, statement: ComparedStatement) -> float:
    """Score how close a clause is to what was said: shared words, figures on both sides, direction."""
    shared = len(clause.stems & statement.stems) / max(1, len(statement.stems))
    figures = 0.3 * bool(clause.figures and statement.figures)
    return shared + figures + float(clause.vector @ statement.vector)
