"""Messages of one conversation and one day share a line of the pack: the date is written, and paid for, once."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from rememora.context.worth import PASSAGES
from rememora.domain.context import Item, Section

DayKey = tuple[Section, str | None, date]


def day_key(item: Item) -> DayKey | None:
    """Return the line that a message belongs to; None for an item that has a line of its own."""
    if item.section not in PASSAGES or item.kind != "message" or item.at is None:
        return None
    return item.section, item.conversation, item.at.date()


def by_line(items: Iterable[Item]) -> list[list[Item]]:
    """Group items by line, lines in the order of their first item, messages of a line in the order of time."""
    lines: dict[object, list[Item]] = {}
    for number, item in enumerate(items):
        lines.setdefault(day_key(item) or number, []).append(item)
    return [sorted(line, key=_time) for line in lines.values()]


def _time(item: Item) -> float:
    return item.at.timestamp() if item.at else 0.0
