"""Decides which words of a statement are surely the value of its attribute.

The reader marks them, and alone it is too often wrong: "sessenta e cinco" of "cento e sessenta e cinco", the place
of a sale for the place of somebody. So the words must also have the form of their attribute: an amount, a time, a
number that can be called, a name of the right kind, each whole. Attributes whose values have no form of their own
(a relation, a role, a taste) keep the statement alone (`docs/why/reading.md` has the figures).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from rememora.domain.value_span import MarkedSpan, ValueSpan, places
from rememora.language import fold
from rememora.language.amended import newest, unsigned
from rememora.language.wordlists import is_idle
from rememora.reading import read_message, read_names
from rememora.reading.results import FACTS, SURE_NAME
from rememora.statements.values import TypedValue, values_of

SURE: Final = 0.85
"""Certainty from which words are taken for the value of an attribute."""
SURE_OF_NAME: Final = 0.9
LIKELY: Final = 0.5
"""Certainty that is enough where the words have a sign that nothing else has."""
MOST_CHARACTERS: Final = 120
"""Length above which marked words are a text, and no value."""
AROUND: Final = 80
"""Characters on each side of the marked words that are looked at."""
_SIGNED: Final = re.compile(r"[$€£]\s?\d|@|(?:\d[ ().-]{0,2}){8}")
"""Signs of values: an amount with its currency, an address with its `@`, a number that can be called."""
_WHEN: Final = frozenset({"date", "weekday", "time"})
_TYPED: Final[dict[str, frozenset[str]]] = {
    **dict.fromkeys(("price", "budget", "payment", "quantity", "size", "age"), frozenset({"figure"})),
    **dict.fromkeys(("deadline", "meeting"), _WHEN),
    "hours": frozenset({"time"}),
    "birthday": frozenset({"date"}),
    "phone": frozenset({"phone"}),
    "email": frozenset({"email"}),
}
"""Attributes whose value holds a figure, a time or a contact, with the kinds of it (`values.py`)."""
_NAMED: Final[dict[str, frozenset[str]]] = {
    "name": frozenset({"person", "organization", "product", "campaign", "other"}),
    "nickname": frozenset({"person"}),
    "place": frozenset({"place"}),
    "employer": frozenset({"organization"}),
    **dict.fromkeys(("client", "supplier"), frozenset({"person", "organization"})),
    "tool": frozenset({"product", "organization"}),
}
"""Attributes whose value is a name, with what it must be the name of."""
_CONTACTS: Final = ("phone", "email")
"""Attributes whose value is the contact alone: "is 0412 555 018" says nothing more."""
_LAST_WORD: Final = re.compile(r"(?<=\S)\s++([^\W\d_]++)\Z")


def sure_span(text: str, attribute: str, marked: Sequence[MarkedSpan]) -> ValueSpan | None:
    """Return where a statement says the value of its attribute; None where that is not sure.

    Of several marked parts it is the only one that has the form of the attribute, and none where two have it.
    """
    formed = [(span, mark.sure) for mark in _joined(text, marked) if (span := _formed(text, attribute, mark))]
    if len(formed) != 1:
        return None
    span, sure = formed[0]
    if _SIGNED.search(text[span.start : span.end]):
        return span if sure >= LIKELY else None
    return span if sure >= (SURE_OF_NAME if attribute in _NAMED else SURE) else None


def span_read_in(text: str, attribute: str | None) -> ValueSpan | None:
    """Return where a statement that was put together anew says the value of its attribute: in what was said last.

    It is read as it stands: what a correction or a wish to forget left of it may mean something else by now.
    """
    said = newest(text)
    if attribute is None or not _has_form(attribute):
        return None
    values = [
        MarkedSpan(value.start, value.end, value.sure)
        for statement in read_message(said).statements
        for value in statement.values
        if value.attribute == attribute and statement.act in FACTS
    ]
    span = sure_span(said, attribute, values)
    return None if span is None else span.moved(len(text) - len(said))


def span_behind(text: str, change: str, span: ValueSpan | None) -> ValueSpan | None:
    """Return where an amended statement says the value that its newest change says; None where that is not sure.

    What was said before no longer holds, and is never the value.
    """
    said = newest(text)
    if span is None or said != unsigned(change):
        return None
    words = change[span.start : span.end]
    starts = places(said, words)
    first = len(text) - len(said) + starts[0] if len(starts) == 1 else None
    return None if first is None else ValueSpan(first, first + len(words))


def _has_form(attribute: str) -> bool:
    return attribute in _NAMED or attribute in _TYPED


def _joined(text: str, marked: Sequence[MarkedSpan]) -> list[MarkedSpan]:
    """Return the marked parts in order; those that touch are one: "80" and "mil"."""
    joined: list[MarkedSpan] = []
    for mark in sorted(marked, key=lambda mark: mark.start):
        if joined and not text[joined[-1].end : mark.start].strip(" "):
            before = joined.pop()
            joined.append(MarkedSpan(before.start, max(before.end, mark.end), min(before.sure, mark.sure)))
        else:
            joined.append(mark)
    return joined


def _formed(text: str, attribute: str, marked: ValueSpan) -> ValueSpan | None:
    """Return the marked words as far as they have the form of an attribute; None where they have not."""
    if not marked.fits(text) or marked.end - marked.start > MOST_CHARACTERS or not _has_form(attribute):
        return None
    first, last = _around(text, marked)
    near, place = text[first:last], marked.moved(-first)
    if attribute in _NAMED:
        span = _whole_name(near, attribute, place)
    else:
        span = _whole_value(near, _TYPED[attribute], place, alone=attribute in _CONTACTS)
    return None if span is None else span.moved(first)


def _around(text: str, span: ValueSpan) -> tuple[int, int]:
    """Return the whole words around a part of a text: to look at all of a long one would take too long."""
    first, last = max(span.start - AROUND, 0), min(span.end + AROUND, len(text))
    while 0 < first < span.start and not text[first - 1].isspace():
        first += 1
    while span.end < last < len(text) and not text[last].isspace():
        last -= 1
    return first, last


def _whole_value(text: str, kinds: frozenset[str], marked: ValueSpan, *, alone: bool) -> ValueSpan | None:
    """Return the marked words with a value of one of some kinds, if they cut none in two."""
    values = values_of(text)
    if _cuts(marked, ((value.start, value.end) for value in values)):
        return None
    inside = [value for value in values if value.kind in kinds and _is_in(value, marked)]
    if not inside or (alone and len(inside) > 1):
        return None
    return ValueSpan(inside[0].start, inside[0].end) if alone else _without_idle_end(text, marked)


def _whole_name(text: str, attribute: str, marked: ValueSpan) -> ValueSpan | None:
    """Return the marked words if they are a name of a kind that the attribute has, and no part of a longer one."""
    names = [name for name in read_names(text) if name.start < marked.end and marked.start < name.end]
    if _cuts(marked, ((name.start, name.end) for name in names)):
        return None
    fit = any(name.kind in _NAMED[attribute] and name.sure >= SURE_NAME for name in names)
    return ValueSpan(marked.start, marked.end) if fit and len(names) == 1 else None


def _cuts(span: ValueSpan, others: Iterable[tuple[int, int]]) -> bool:
    """Return whether the words begin or end inside of something that is one."""
    return any(start < edge < end for start, end in others for edge in (span.start, span.end))


def _is_in(value: TypedValue, span: ValueSpan) -> bool:
    return span.start <= value.start and value.end <= span.end


def _without_idle_end(text: str, span: ValueSpan) -> ValueSpan:
    """Return the words without small ones at their end, which belong to what follows: "R$ 58 a" of "a lauda"."""
    words = text[span.start : span.end]
    while (last := _LAST_WORD.search(words)) is not None and is_idle(fold(last[1])):
        words = words[: last.start()]
    return ValueSpan(span.start, span.start + len(words))
