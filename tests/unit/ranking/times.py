"""What the tests of times in questions share: a question asked on a day, and rows of what it should mean."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from rememora.language import detect
from rememora.language.parsed import parse_text
from rememora.ranking.when import TimeSpan, resolve

WEDNESDAY = "2026-05-20"


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def asked(text: str, now: datetime) -> TimeSpan | None:
    meant = resolve(parse_text(text), now=now, language=detect(text, "pt"))
    return None if meant is None else meant.span


def span(since: str, until: str) -> TimeSpan:
    """From one day until just before another."""
    return TimeSpan(day(since), day(until))


def on(text: str, today: str = WEDNESDAY) -> TimeSpan | None:
    """What a question means that is asked in the afternoon of a day."""
    return asked(text, day(today) + timedelta(hours=15.5))


def rows(table: str) -> list[tuple[str, str, str]]:
    """What is asked, since when and until when, line by line."""
    cells = [line.rsplit(maxsplit=2) for line in table.strip().splitlines()]
    return [(text.strip(), since, until) for text, since, until in cells]
