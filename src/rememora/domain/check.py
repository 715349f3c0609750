"""Checks of caller input that every noun shares; each names the field it refuses."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from rememora.errors import InvalidInput

NAME_CHARACTERS = 255
METADATA_BYTES = 64 * 1024


def check_name(field: str, value: object) -> str:
    """An id or label: text of 1 to 255 characters without control characters."""
    if not isinstance(value, str):
        raise InvalidInput(field, f"must be text, not {type(value).__name__}")
    if not value or len(value) > NAME_CHARACTERS:
        raise InvalidInput(field, f"must have 1 to {NAME_CHARACTERS} characters")
    if not value.isprintable():
        raise InvalidInput(field, "must have no control characters and no lone surrogates")
    return value


def check_text(field: str, value: object, *, max_bytes: int) -> str:
    """Prose: not empty, encodable as UTF-8, free of NUL, and within `max_bytes`."""
    if not isinstance(value, str):
        raise InvalidInput(field, f"must be text, not {type(value).__name__}")
    if not value or value.isspace():
        raise InvalidInput(field, "must not be empty")
    if "\x00" in value:
        raise InvalidInput(field, "must not hold NUL characters")
    try:
        size = len(value) if value.isascii() else len(value.encode())
    except UnicodeEncodeError:
        raise InvalidInput(field, "must not hold lone surrogates") from None
    if size > max_bytes:
        raise InvalidInput(field, f"must have at most {max_bytes} bytes, not {size}")
    return value


def check_time(field: str, value: object) -> datetime:
    """A moment with a time zone, turned to UTC."""
    if not isinstance(value, datetime):
        raise InvalidInput(field, f"must be a datetime, not {type(value).__name__}")
    if value.tzinfo is None or value.utcoffset() is None:
        raise InvalidInput(field, "must have a time zone")
    return value.astimezone(UTC)


def check_json(field: str, value: object, *, max_bytes: int = METADATA_BYTES) -> bytes:
    """Anything JSON can say, encoded; refused when it cannot or is too long."""
    try:
        encoded = msgspec.json.encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(field, f"must be plain JSON ({error})") from None
    if len(encoded) > max_bytes:
        raise InvalidInput(field, f"must have at most {max_bytes} bytes as JSON, not {len(encoded)}")
    if b"\\u0000" in encoded:
        raise InvalidInput(field, "must not hold NUL characters")
    return encoded


def check_between(field: str, value: object, low: float, high: float) -> None:
    """A number inside its range; booleans are not numbers here."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise InvalidInput(field, f"must be a number from {low} to {high}")
