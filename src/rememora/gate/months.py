"""Months and days of the week as the gate's rules name them, from the language packs."""

from __future__ import annotations

from functools import cache

from rememora.language.packs import CODES, calendar_of


@cache
def months() -> dict[str, int]:
    """The months of the languages, without the short forms that are words of every day."""
    calendars = [calendar_of(code) for code in CODES]
    ordinary = frozenset[str]().union(*(calendar.figure_only for calendar in calendars)) - {"mar"}
    return {name: at for calendar in calendars for name, at in calendar.months.items() if name not in ordinary}


def calendar_words() -> dict[str, str]:
    """The named words `month` and `weekday` that patterns of the policy stand on."""
    calendars = [calendar_of(code) for code in CODES]
    days = {name for calendar in calendars for name in (*calendar.weekdays, *calendar.weekdays_counted)}
    work = [calendar.said["workdays"] for calendar in calendars]
    return {"month": _either(months()), "weekday": f"(?:{'|'.join((*_longest_first(days), *work))})"}


def _either(names: dict[str, int]) -> str:
    return f"(?:{'|'.join(_longest_first(set(names)))})"


def _longest_first(names: set[str]) -> list[str]:
    return sorted(names, key=lambda name: (-len(name), name))
