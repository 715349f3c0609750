"""Dates in everyday language, with the exact time."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from rememora.dashboard.words import Language, count, text
from rememora.language.packs import calendar_of

STALE = timedelta(days=180)


def ago(language: Language, moment: datetime, now: datetime) -> str:
    """Say how long ago a moment was; after a month, its date."""
    past = now - moment
    minutes = int(past.total_seconds() // 60)
    if minutes < 1:
        return text(language, "ago.now")
    if minutes < 60:
        return count(language, "ago.minutes", minutes)
    if minutes < 24 * 60:
        return count(language, "ago.hours", minutes // 60)
    if past.days < 31:
        return count(language, "ago.days", past.days)
    return day(language, moment)


def day(language: Language, moment: datetime) -> str:
    """The date of a moment."""
    month = calendar_of(language).short_month_names[moment.month - 1]
    return (
        f"{moment.day} de {month} de {moment.year}" if language == "pt" else f"{month} {moment.day}, {moment.year}"
    )


def short_day(language: Language, moment: date) -> str:
    """A day of the last months without its year."""
    month = calendar_of(language).short_month_names[moment.month - 1]
    return f"{moment.day} {month}" if language == "pt" else f"{month} {moment.day}"


def exact(language: Language, moment: datetime) -> str:
    """Date and time to the minute, in UTC."""
    utc = moment.astimezone(UTC)
    return f"{day(language, utc)}, {utc:%H:%M} UTC"


def is_stale(moment: datetime, now: datetime) -> bool:
    """Return whether something was last said so long ago that it may not hold any more."""
    return now - moment > STALE
