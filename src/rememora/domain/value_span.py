"""Parts of values by their places: where a statement says the value of its attribute.

Places are kept and no second copy of the words: what erases or rewrites a value has nothing else to reach.
"""

from __future__ import annotations

import re

import msgspec

from rememora.errors import InvalidInput
from rememora.language.keys import is_statement


class ValueSpan(msgspec.Struct, frozen=True):
    """Part of a value: the place of its first character, and the place behind its last one."""

    start: int
    end: int

    def moved(self, by: int) -> ValueSpan:
        """Return the same part of a value that has more characters before it."""
        return ValueSpan(self.start + by, self.end + by)

    def fits(self, value: object) -> bool:
        """Return whether a value is a text that has such a part."""
        return isinstance(value, str) and 0 <= self.start < self.end <= len(value)


class MarkedSpan(ValueSpan, frozen=True):
    """Part of a value that the reader takes for something, and how sure that is."""

    sure: float


def places(text: str, words: str) -> list[int]:
    """Return the places at which some words begin in a text, as words of their own."""
    # Looked for at every place, so that words that overlap themselves are seen twice.
    sought = re.compile(rf"(?<!\w)(?={re.escape(words)}(?!\w))")
    return [match.start() for match in sought.finditer(text)] if words else []


def value_of_attribute(key: str, value: object, span: ValueSpan | None) -> str | None:
    """Return the value of an attribute as text: the part of a statement, or a slot's whole value."""
    if not is_statement(key):
        return value if isinstance(value, str) else msgspec.json.encode(value).decode()
    if span is None or not isinstance(value, str) or not span.fits(value):
        return None
    return value[span.start : span.end]


def check_attribute_span(field: str, span: ValueSpan | None, *, key: str, value: object) -> None:
    """Check that a part of a value is a part of a statement, and lies inside it."""
    if span is None:
        return
    if not is_statement(key) or not isinstance(value, str):
        raise InvalidInput(field, "must be empty where the value is no statement")
    if not span.fits(value):
        raise InvalidInput(field, f"must lie inside the value, which has {len(value)} characters")
