"""Stretches of time, and the arithmetic of the calendar on them: the last Friday, the week before, Easter."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec

DAY: Final = timedelta(days=1)
WEEK: Final = 7 * DAY
EVER: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""Where what has no beginning begins."""
_NIGHT: Final = timedelta(hours=6)
_DAYS_OF_YEAR: Final = (365, 366)


class TimeSpan(msgspec.Struct, frozen=True):
    """From `since` until just before `until`."""

    since: datetime
    until: datetime

    @property
    def days(self) -> int:
        """Return the length in days, rounded."""
        return round((self.until - self.since) / DAY)

    @property
    def is_year(self) -> bool:
        """Return whether it is one calendar year."""
        return self.days in _DAYS_OF_YEAR and (self.since.month, self.since.day) == (1, 1)

    def meets(self, other: TimeSpan) -> bool:
        """Return whether both overlap."""
        return max(self.since, other.since) < min(self.until, other.until)

    def both(self, other: TimeSpan) -> TimeSpan:
        """Return the overlap of two that meet."""
        return TimeSpan(max(self.since, other.since), min(self.until, other.until))

    def through(self, other: TimeSpan) -> TimeSpan:
        """From the beginning of the first to the end of the last."""
        return TimeSpan(min(self.since, other.since), max(self.until, other.until))

    def third(self, number: int) -> TimeSpan:
        """Its beginning (0), its middle (1) or its end (2), in whole days."""
        edges = [self.since + DAY * round(self.days * part / 3) for part in range(3)] + [self.until]
        return TimeSpan(edges[number], edges[number + 1]) if edges[number] < edges[number + 1] else self

    def with_night(self) -> TimeSpan:
        """With the hours after midnight that still are its night."""
        return TimeSpan(self.since, self.until + _NIGHT)

    def year_before(self) -> TimeSpan:
        """The same days of the year before."""
        return TimeSpan(_year_earlier(self.since), _year_earlier(self.until))


def _year_earlier(at: datetime) -> datetime:
    leaping = (at.month, at.day) == (2, 29)
    return at.replace(year=at.year - 1, day=28 if leaping else at.day)


def midnight(now: datetime) -> datetime:
    """Return the start of the day of `now`, in its time zone."""
    return now.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)


def day(now: datetime, back: int = 0) -> TimeSpan:
    """Return the day that many days ago."""
    since = midnight(now) - DAY * back
    return TimeSpan(since, since + DAY)


def week(now: datetime, back: int) -> TimeSpan:
    """Return Monday to Sunday, that many weeks ago."""
    monday = midnight(now) - DAY * now.weekday() - WEEK * back
    return TimeSpan(monday, monday + WEEK)


def month(now: datetime, year: int, number: int) -> TimeSpan:
    """One month of the calendar."""
    first = midnight(now).replace(year=year, month=number, day=1)
    return TimeSpan(first, first.replace(year=year + number // 12, month=number % 12 + 1))


def month_back(now: datetime, back: int) -> TimeSpan:
    """Return the month that many months ago."""
    months = now.year * 12 + now.month - 1 - back
    return month(now, months // 12, months % 12 + 1)


def last_month_called(now: datetime, number: int) -> TimeSpan:
    """The last such month that has begun."""
    return month(now, now.year if number <= now.month else now.year - 1, number)


def part_of_year(now: datetime, months: int, back: int = 0) -> TimeSpan:
    """Return a quarter or a half of the calendar: the one of `now`, or that many earlier."""
    first = now.year * 12 + (now.month - 1) // months * months - back * months
    since = month(now, first // 12, first % 12 + 1).since
    return TimeSpan(since, month(now, since.year, since.month + months - 1).until)


def half_month(now: datetime, back: int) -> TimeSpan:
    """Return the first fifteen days of a month or the rest of it, that many ago."""
    halves = (now.year * 12 + now.month - 1) * 2 + (now.day > 15) - back
    whole = month(now, halves // 24, halves // 2 % 12 + 1)
    middle = whole.since.replace(day=16)
    return TimeSpan(middle, whole.until) if halves % 2 else TimeSpan(whole.since, middle)


def quarter_from(now: datetime, year: int, number: int, first: int) -> TimeSpan:
    """Three months from a day of a year's month."""
    since = midnight(now).replace(year=year, month=number, day=first)
    return TimeSpan(since, since.replace(year=year + (number + 2) // 12, month=(number + 2) % 12 + 1))


def year(now: datetime, number: int) -> TimeSpan:
    """One year of the calendar."""
    first = midnight(now).replace(year=number, month=1, day=1)
    return TimeSpan(first, first.replace(year=number + 1))


def weekend(now: datetime, back: int) -> TimeSpan:
    """Return Saturday and Sunday: the last ones that have begun, or that many weeks earlier."""
    saturday = midnight(now) - DAY * ((now.weekday() - 5) % 7) - WEEK * back
    return TimeSpan(saturday, saturday + 2 * DAY)


def last_weekday(latest: datetime, number: int) -> TimeSpan:
    """The last such day of the week, `latest` included."""
    return day(latest, (latest.weekday() - number) % 7)


def nth_weekday(whole: TimeSpan, number: int, weekday: int) -> TimeSpan:
    """The first, the second such day of a longer time; number 0 is its last one."""
    if not number:
        return last_weekday(whole.until - timedelta(seconds=1), weekday)
    return day(whole.since + DAY * ((weekday - whole.since.weekday()) % 7) + WEEK * (number - 1))


def past(now: datetime, length: timedelta) -> TimeSpan:
    """Return a period of that length up to the end of today."""
    return TimeSpan(midnight(now - length), midnight(now) + DAY)


def easter(number: int) -> tuple[int, int]:
    """Month and day of Easter Sunday in a year of the Gregorian calendar (Meeus, Jones, Butcher)."""
    century, rest = divmod(number, 100)
    golden = number % 19
    moon = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    sunday = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    late = (golden + 11 * moon + 22 * sunday) // 451
    at = moon + sunday - 7 * late + 114
    return at // 31, at % 31 + 1
