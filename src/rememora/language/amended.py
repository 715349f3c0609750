"""Amended statements as text: what was said first, and behind it each change with the day on which it was said.

"Alugo um Onix por 690 a semana → 2026-04-02: troquei, agora tô de HB20". The sign is of no language, and the day
makes it one that nobody types by chance.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

_CHANGE: Final = re.compile(r" → (\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])): ", re.ASCII)


class Amendment(msgspec.Struct, frozen=True):
    """Words that changed a statement, and the day on which they were said."""

    day: str
    text: str


def parts_of(text: str) -> tuple[str, list[Amendment]]:
    """Split a statement into what was said first and what changed it, in order."""
    first, *rest = _CHANGE.split(text)
    return first, [Amendment(day, words) for day, words in zip(rest[::2], rest[1::2], strict=True)]


def with_parts(first: str, changes: Sequence[Amendment]) -> str:
    """Join what was said first and what changed it."""
    return first + "".join(f" → {change.day}: {change.text}" for change in changes)


def unsigned(words: str) -> str:
    """Return words in which nothing looks like a change of another day."""
    return _CHANGE.sub("; ", words).strip()


def newest(text: str) -> str:
    """Return the words that were said last: the newest change, or the statement that nothing has changed."""
    first, changes = parts_of(text)
    return changes[-1].text if changes else first


def spoken(text: str) -> str:
    """Return an amended statement as words alone, for what compares words: without signs and days."""
    return _CHANGE.sub("; ", text)


def extends(text: str, earlier: str) -> bool:
    """Return whether a statement is an earlier one with changes behind it, or the same one with them."""
    (first, changes), (said, known) = parts_of(text), parts_of(earlier)
    return bool(changes) and first == said and all(change in known for change in changes[:-1])


def with_days(text: str, day_text: Callable[[int, int], str]) -> str:
    """Return an amended statement with its days as a language says them, from their month and day."""
    return _CHANGE.sub(lambda change: f" → {day_text(int(change[1][5:7]), int(change[1][8:]))}: ", text)
