"""How values stand in columns: moments as whole microseconds, mappings as JSON text."""

from __future__ import annotations

from typing import Any

import msgspec

from rememora.domain.moment import to_micros, to_moment

__all__ = ["from_json", "to_json", "to_micros", "to_moment"]

_decode = msgspec.json.Decoder().decode


def to_json(value: object) -> str | None:
    """JSON text; what is empty is not stored."""
    return msgspec.json.encode(value).decode() if value else None


def from_json(text: str | None) -> Any:
    """The mapping of a column; an absent one is empty."""
    return _decode(text) if text else {}
