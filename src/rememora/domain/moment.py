"""Moments as whole numbers, exactly: microseconds since 1970 in UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_micros(moment: datetime) -> int:
    """Microseconds since 1970 in UTC, exactly."""
    return (moment - _EPOCH) // _MICROSECOND


def to_moment(micros: int) -> datetime:
    """The moment that `to_micros` took apart."""
    return _EPOCH + micros * _MICROSECOND
