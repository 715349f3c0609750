"""How values stand in columns: moments as whole microseconds, mappings as JSON text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_decode = msgspec.json.Decoder().decode


def to_micros(moment: datetime) -> int:
    """Microseconds since 1970 in UTC, exactly."""
    return (moment - _EPOCH) // _MICROSECOND


def to_moment(micros: int) -> datetime:
    """The moment that `to_micros` took apart."""
    return _EPOCH + micros * _MICROSECOND


def to_json(value: object) -> str | None:
    """JSON text; what is empty is not stored."""
    return msgspec.json.encode(value).decode() if value else None


def from_json(text: str | None) -> Any:
    """The mapping of a column; an absent one is empty."""
    return _decode(text) if text else {}
